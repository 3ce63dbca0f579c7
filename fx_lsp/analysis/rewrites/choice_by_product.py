"""One of two tensors chosen by multiplying both with a mask: infinities and NaN of the other come through.

Before:
    m = mask.float()
    y = x * m + y * (1 - m)
After:
    y = torch.where(mask, x, y)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._match import Match, matches, pattern
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._write import Unwritable, replaced

_BEFORE = ("x * m + y * (1 - m)", "y + m * (x - y)", "x * m + y * ~m")
_CASTS = frozenset({"float", "double", "half", "bfloat16", "to", "type_as", "int", "long"})
_VIEWS = frozenset({"unsqueeze", "squeeze", "view", "reshape", "expand", "transpose", "permute", "getitem"})


def find(flow: Flow) -> Iterator[Found]:
    """Where what both are multiplied with is a cast of True and False."""
    for term, statement in flow.roots:
        for match in (one for text in _BEFORE for one in matches(pattern(text), term, flow, Match(), top=True)):
            mask = _mask(flow, match.bound["m"], statement)
            if mask is None or term.node is None:
                continue
            after, bound = "torch.where(m, x, y)", {**match.bound, "m": mask}
            known = flow.tensor(mask)
            if mask == match.bound["m"] and (known is None or known.dtype != "b8"):
                after = "torch.where(m.bool(), x, y)"
            try:
                yield Found(term.node, replaced(flow, term, statement, after, bound))
            except Unwritable:
                continue
            break


def _mask(flow: Flow, term: Term, statement: ast.stmt) -> Term | None:
    """The mask before the cast where it is still the same, else as it is; None where it was never True and False."""
    known = flow.tensor(term)
    if known is not None and known.dtype == "b8":
        return term
    made = flow.bound(term) if term.op == "name" else term
    if made is not None and made.op in _VIEWS and made.args:
        return term if _mask(flow, made.args[0], statement) is not None else None
    if made is None or made.op not in _CASTS or not made.args:
        return None
    tensor = flow.tensor(made.args[0])
    if tensor is None or tensor.dtype != "b8":
        return None
    return made.args[0] if flow.same_at(made.args[0], statement) else term


RULE = Rewrite("choice-by-product", "Choose with where", find)
