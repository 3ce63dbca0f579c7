"""Dims that are swapped and swapped back.

Before:
    y = x.transpose(1, 2).transpose(1, 2)
After:
    y = x
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite, pairs
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._match import Match, matches, pattern
from fx_lsp.analysis.rewrites._terms import Term, plain
from fx_lsp.analysis.rewrites._write import Unwritable, replaced, without

_TWICE = pairs(("torch.transpose(torch.transpose(x, a, b), a, b)", "x"))
_ORDERED = "torch.permute(torch.permute(x, a), b)"


def find(flow: Flow) -> Iterator[Found]:
    """Two swaps, and two orders of dims of which the second one is the first one again."""
    yield from _TWICE(flow)
    for term, statement in flow.roots:
        for match in matches(pattern(_ORDERED), term, flow, Match(), top=True):
            first, second = (_dims(match.bound[name]) for name in "ab")
            if term.node is None or not first or [*range(len(first))] != [first[dim] for dim in second]:
                continue
            try:
                changes = replaced(flow, term, statement, "x", match.bound, match.through)
                yield Found(term.node, (*changes, *without(flow, match.through, statement)))
            except Unwritable:
                continue


def _dims(order: Term) -> list[int]:
    """Counted from the first one; nothing where it is no order."""
    dims = [plain(one) for one in order.args] if order.op == "tuple" else []
    known = [dim % len(dims) for dim in dims if isinstance(dim, int)]
    return known if sorted(known) == [*range(len(dims))] else []


RULE = Rewrite("double-transpose", "Take both transposes away", find)
