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
    x, weight = call.operand(0, "input"), call.shape(1, "weight")
    wanted = call.settings.get("in_features") if call.settings else weight[-1] if weight else None
    if x is None or not x.shape or not isinstance(wanted, int) or x.shape[-1] == wanted:
        return None
    text = f"{call.name} takes {wanted} features in the last dim, and {x.known()} has {x.shape[-1]}"
    if wanted in x.shape:
        dim = x.shape.index(wanted)
        text += f"; its dim {dim} has {wanted}"
    return text


CAUSE = Cause("linear-features", "A linear layer for another number of features", {"Linear", "linear"}, explain)
