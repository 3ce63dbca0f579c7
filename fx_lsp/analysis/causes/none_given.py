"""None, where a tensor is taken.

    def encode(self, x):
        h = self.norm(x)  # and no `return`

    y = self.head(self.encode(x))

Instead: `return h`, or the flag with which a layer gives what is asked for.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.analysis.causes.tensor_expected import NOTHING, TAKES, taken, told
from fx_lsp.model.failure import NO_TENSOR


def explain(call: Call) -> str | None:
    """From the first operand that is none."""
    given = call.operands[:1] if call.target == NO_TENSOR else call.operands[: taken(call)]
    found = next((one for one in given if one.value == NOTHING), None)
    if found is None or found.text == "`None`":  # of which anybody sees what it is
        return None
    if call.target == NO_TENSOR:
        return told(call, "None")
    return f"{call.name} takes a tensor, and {found.called()} is None"


CAUSE = Cause("none-given", "None where something else is taken", TAKES | {NO_TENSOR}, explain)
