"""Answers with thousands of values that differ and have one hash.  Harm: the server compares each with all others, for
hours."""

from itertools import islice, product

from kit import Harmless, answer, reply, tensor

SAME = [number * ((1 << 61) - 1) for number in range(4)]
values = [tensor(shape=shape) for shape in islice(product(SAME, repeat=8), 20_000)]
uses = [
    {
        "kind": "module_use",
        "path": __file__,
        "name": f"Of{start}",
        "inputs": values[start : start + 2000],
        "output": None,
    }
    for start in range(0, len(values), 2000)
]
answer(reply(modules=[{**use, "output": None, "parameters": 0} for use in uses], files=[__file__]))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
