"""An attribute that is not there, while another one is called nearly so.

    self.dropout = nn.Dropout(0.1)
    y = self.drpout(x)

Instead: the name that is there.
"""

from __future__ import annotations

from typing import Any, cast

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """From the names that are much like it."""
    owner, name, near = call.operand(0), call.plain(1), names(call)
    if owner is None or not isinstance(name, str) or not near:
        return None
    what = owner.called(f"a {owner.label}")
    return f"{what} has no `{name}`, but {' and '.join(f'`{one}`' for one in near[:2])}"


def names(call: Call) -> list[str]:
    """Those that may have been meant, the most alike first."""
    given = call.plain(len(call.operands), "near")
    found = cast("tuple[Any, ...]", given) if isinstance(given, tuple) else ()
    return [one for one in found if isinstance(one, str) and one.isidentifier()]


CAUSE = Cause("attribute-missing", "An attribute that is not there", {"attribute"}, explain)
