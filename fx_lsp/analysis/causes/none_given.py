"""None, where a tensor is taken.

    def encode(self, x):
        h = self.norm(x)  # and no `return`

    y = self.head(self.encode(x))

Instead: `return h`, or the flag with which a layer gives what is asked for.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call
from fx_lsp.analysis.causes.cat_sizes import TARGETS
from fx_lsp.analysis.causes.tensor_expected import NOTHING, TAKES, taken, told
from fx_lsp.model.failure import JOINED, NO_TENSOR
from fx_lsp.model.value import Group


def explain(call: Call) -> str | None:
    """From the first operand that is none; of what is joined, from the first entry."""
    if call.target in (JOINED, *TARGETS):
        return _joined(call)
    given = call.operands[:1] if call.target == NO_TENSOR else call.operands[: taken(call)]
    found = next((one for one in given if one.value == NOTHING), None)
    if found is None or found.text == "`None`":  # of which anybody sees what it is
        return None
    if call.target == NO_TENSOR:
        return told(call, "None")
    return f"{call.name} takes a tensor, and {found.called()} is None"


def _joined(call: Call) -> str | None:
    if call.target == JOINED:
        given = [(one.value, one.called(f"number {number} of them")) for number, one in enumerate(call.operands)]
    else:
        listed = call.operand(0, "tensors")
        held = listed.value if listed is not None else None
        items = held.items if isinstance(held, Group) and held.form in ("tuple", "list") else ()
        given = [(one, f"number {number} of what it gets") for number, one in enumerate(items)]
    what = next((what for value, what in given if value == NOTHING), None)
    return f"{call.name} joins tensors, and {what} is None" if what is not None else None


CAUSE = Cause("none-given", "None where something else is taken", TAKES | TARGETS | {JOINED, NO_TENSOR}, explain)
