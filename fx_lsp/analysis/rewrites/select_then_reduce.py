"""What a mask selects has a size that only its values tell: it stops the device, and breaks compilation and export.

Before:
    total = x[mask].sum()
    mean = total / len(torch.nonzero(mask))
After:
    total = torch.where(mask, x, 0).sum()
    mean = total / torch.count_nonzero(mask)
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._conditions import operands
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._match import Match, matches, pattern
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._write import Unwritable, replaced, without

_SUMS = "torch.sum(x[mask])", "torch.sum(torch.masked_select(x, mask))"
_MEANS = "torch.mean(x[mask])", "torch.mean(torch.masked_select(x, mask))"
_COUNTS = "len(torch.nonzero(mask))", "torch.nonzero(mask).shape[0]"
_RULES = (*((one, "torch.where(mask, x, 0).sum()") for one in _SUMS),
          *((one, "torch.where(mask, x, 0).sum() / mask.sum()") for one in _MEANS),
          *((one, "torch.count_nonzero(mask)") for one in _COUNTS))  # fmt: skip


def find(flow: Flow) -> Iterator[Found]:
    """Sums of what a mask of the same sizes selects, and counts that tensors are computed with."""
    for term, statement in flow.roots:
        for before, after in _RULES:
            for match in matches(pattern(before), term, flow, Match(), top=True):
                if term.node is None or not _fits(flow, term, match):
                    continue
                try:
                    changes = replaced(flow, term, statement, after, match.bound)
                    yield Found(term.node, (*changes, *without(flow, match.through, statement)))
                except Unwritable:
                    continue


def _fits(flow: Flow, term: Term, match: Match) -> bool:
    x, mask = (flow.tensor(match.bound[name]) if name in match.bound else None for name in ("x", "mask"))
    if term.op in ("sum", "mean"):
        return x is not None and mask is not None and mask.dtype == "b8" and x.shape == mask.shape
    counted = match.bound.get("len")
    named = counted is None or (counted.op == "name" and counted.value[0] == "len")
    return (
        named and mask is not None and term.node is not None and all(operands(flow, term.node, whole=True) or [False])
    )


RULE = Rewrite("select-then-reduce", "Keep the size", find)
