"""Is good in its first run, and tells of costs that cannot be in the next: negative, huge, thousands a line, with names
that mislead.  Harm: the server breaks, is busy for long, or shows them as they are."""

from kit import Harmless, answer, asked, reply, span

STUDIED = 8.0
OWN = True
GRAPH = True
SETTINGS = {"hints": {"cost": True}}
EVIL = "\u202e\x1b[2J [a](command:evil.run) <img src=x>"
BIG = 10**30


def cost(flops):
    return {"kind": "cost", "flops": flops, "backward": -BIG, "moved": 0, "made": BIG, "kept": flops}


def module(number):
    return {
        "kind": "module_cost", "path": __file__, "name": EVIL + "Model", "module": ".".join("a" * 200), "root": -number,
        "total": cost(number), "parameters": BIG, "calls": -1,
    }  # fmt: skip


if "costs" in asked():
    places = [span(__file__, 52, 15, 52, 15 + number % 90) for number in range(20_000)]
    costs = {
        "kind": "costs",
        "total": cost(-5),
        "parameters": BIG,
        "weights": -1,
        "peak": BIG,
        "expressions": [
            {"kind": "expression_cost", "span": one, "own": cost(BIG), "total": cost(7)} for one in places
        ],
        "lines": [
            {"kind": "line_cost", "expressions": [*range(number % 500), -1, BIG], "total": cost(BIG)}
            for number in range(10_000)
        ],
        "modules": [module(number) for number in range(5_000)],
        "training": {
            "kind": "training", "peak": BIG, "after": -1, "gradients": BIG, "largest": BIG, "flops": BIG, "mode": EVIL
        },
        "why": EVIL * 1000,
    }  # fmt: skip
    answer(reply(costs=costs, files=[__file__]))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        return self.linear(x)
