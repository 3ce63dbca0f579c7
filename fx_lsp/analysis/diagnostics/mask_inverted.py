"""A mask the wrong way round: it hides what is to be seen, often a whole row, whose softmax is NaN.

    scores.masked_fill(torch.tril(torch.ones(T, T)).bool(), float("-inf"))  # hides the past
    self.attention(x, x, x, key_padding_mask=ids != self.pad)  # MultiheadAttention hides where it is True

Instead: `~mask`.  Where it is True, `masked_fill` and torch's layers hide, and `F.scaled_dot_product_attention` sees.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import flows, place_of
from fx_lsp.analysis.diagnostics._masks import SINKS, Masked, masked, numbers, padding, triangle
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.snapshot import Problem, Snapshot


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each triangle that hides a row as a whole, and for each mask that hides all but padding."""
    for flow in flows(snapshot, SINKS):
        for one in masked(flow):
            place = place_of(flow, one.mask) or place_of(flow, one.call)
            if one.hides is None or place is None or numbers(flow, one.mask) is not None:
                continue
            message = _message(flow, one)
            if message:
                yield Problem(place, "warning", RULE.id, message)


def _message(flow: Flow, one: Masked) -> str:
    shape, pads = triangle(flow, one.mask), padding(flow, one.mask)
    hidden = shape if shape is None or one.hides else shape.inverted
    if hidden is not None and hidden.whole_row:
        return f"this hides every key of the {hidden.whole_row} row: {_way(one)}"
    if pads is not None and pads != one.hides:
        return f"this hides what is no padding: {_way(one)}"
    return ""


def _way(one: Masked) -> str:
    return f"`{one.call.op}` {'hides' if one.hides else 'sees'} what is True"


RULE = Rule(id="mask-inverted", title="A mask the wrong way round", find=find)
