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
    if call.target == NO_TENSOR:
        return told(call, "None") if call.operands[0].value == NOTHING else None
    found = next((one for one in call.operands[: taken(call)] if one.value == NOTHING), None)
    return f"{call.name} takes a tensor, and {found.called()} is None" if found is not None else None


CAUSE = Cause("none-given", "None where a tensor is taken", TAKES | {NO_TENSOR}, explain)
