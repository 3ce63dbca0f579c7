"""Answers with thousands of values that differ and have one hash.  Harm: the server compares each with all others, for
hours."""

from itertools import islice, product

from kit import Harmless, answer, binding, reply, span, tensor

LINE = 23
SAME = [number * ((1 << 61) - 1) for number in range(4)]
SHAPES = list(islice(product(SAME, repeat=7), 12_000))
place = span(__file__, LINE, 22, LINE, 23)
groups = [
    {"kind": "group", "form": "list", "items": [tensor()], "omitted": number * ((1 << 61) - 1)}
    for number in range(3_000)
]
variants = [{"kind": "variant", "value": one} for one in [*(tensor(shape=one) for one in SHAPES), *groups]]
cut = [variants[start : start + 900] for start in range(0, len(variants), 900)]
answer(reply(bindings=[binding(place, f"x{number}", variants=one) for number, one in enumerate(cut)], files=[__file__]))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        return self.linear(x)
