"""A module is given layers before it was initialised.

    class Net(nn.Module):
        def __init__(self):
            self.fc = nn.Linear(8, 4)

Instead: `super().__init__()` first.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """Always: nothing else can be wrong."""
    x = call.operand(0)
    name = x.label if x is not None else ""
    return f"`{name}` has no layers before `super().__init__()` ran" if name.isidentifier() else None


CAUSE = Cause("init-forgotten", "A module that was not initialised", {"initialisation"}, explain)
