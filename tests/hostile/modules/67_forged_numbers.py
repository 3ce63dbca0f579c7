"""Answers with places and sizes that cannot be: negative, huge, turned round.  Harm: who counts with them breaks."""

from kit import Harmless, answer, binding, operation, reply, span, tensor

BIG = 10**18
SPANS = [
    (-1, -1, -1, -1),
    (BIG, BIG, BIG, BIG),
    (9, 5, 3, 1),
    (0, 0, 0, 0),
    (1, 0, BIG, BIG),
    (1, BIG, 1, 0),
    (2**63, 0, 2**64, 0),
]
places = [span(__file__, *one) for one in SPANS]
VALUES = [
    tensor(shape=(-1, BIG)),
    tensor(shape=[2] * 5000),
    tensor(shape=(2,), names=["a"] * 99),
    tensor(stride=(BIG, -BIG)),
]
answer(
    reply(
        ms=1e308,
        bindings=[binding(place, "x", value) for place in places for value in VALUES],
        operations=[operation(place, value=value) for place in places for value in VALUES],
        modules=[
            {
                "kind": "module_use",
                "path": __file__,
                "name": "Model",
                "inputs": VALUES,
                "output": None,
                "parameters": -BIG,
            }
        ],
        reached=[{"kind": "reached", "path": __file__, "unreached": [-1, 0, BIG, *range(50_000)]}],
        files=[__file__] * 10_000,
    )
)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
