"""A linear layer gets another number of features than it was made for.

    self.fc = nn.Linear(512, 10)
    y = self.fc(x)  # x is f32[8, 256]

Instead: make it for what it gets, `nn.Linear(256, 10)`, or bring the features into the last dim.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """From `in_features`, or the weight that a function is given."""
    if call.target in ("Bilinear", "bilinear"):
        return _of_two(call)
    x, weight = call.operand(0, "input"), call.shape(1, "weight")
    wanted = call.settings.get("in_features") if call.settings else weight[-1] if weight else None
    if x is None or not x.shape or not isinstance(wanted, int) or x.shape[-1] == wanted:
        return None
    text = f"{call.name} takes {wanted} features in the last dim, and {x.known()} has {x.shape[-1]}"
    if wanted in x.shape:
        dim = x.shape.index(wanted)
        text += f"; its dim {dim} has {wanted}"
    return text


def second(call: Call) -> tuple[str, int, int] | None:
    """Of a layer of two inputs: the setting of the one that does not fit, its number, and how many features it has."""
    for number, name in enumerate(("in1_features", "in2_features")):
        wanted, shape = call.settings.get(name), call.shape(number, f"input{number + 1}")
        if isinstance(wanted, int) and shape and shape[-1] != wanted:
            return name, number, shape[-1]
    return None


def _of_two(call: Call) -> str | None:
    found = second(call)
    if found is None:
        return None
    name, number, has = found
    x = call.operand(number, f"input{number + 1}")
    which = ("first", "second")[number]
    given = x.known("it") if x is not None else ""
    return (
        f"{call.name} takes {call.settings[name]} features in the last dim of its {which} input, and {given} has {has}"
    )


CAUSE = Cause(
    "linear-features", "A linear layer for another number of features", {"Linear", "linear", "Bilinear"}, explain
)
