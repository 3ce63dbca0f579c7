"""A mask of zeros and ones that is added to the scores: nothing is hidden, some scores are 1 larger.

    mask = (ids != pad).float()
    F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

Instead: the mask of True and False itself; `(1 - mask) * -1e9` where it is to be added.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import flows, place_of
from fx_lsp.analysis.diagnostics._masks import SINKS, masked, numbers
from fx_lsp.analysis.snapshot import Problem, Snapshot


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each mask that is a cast of True and False, or a triangle of ones."""
    for flow in flows(snapshot, SINKS):
        for one in masked(flow):
            found = numbers(flow, one.mask) if one.call.op not in ("masked_fill", "where") else None
            first = place_of(flow, found) if found is not None else None
            place = place_of(flow, one.mask) or place_of(flow, one.call)
            if first is not None and place is not None:
                message = "this mask of zeros and ones is added to the scores: it hides nothing"
                yield Problem(place, "warning", RULE.id, message, ((first, "made numbers here"),))


RULE = Rule(id="mask-of-numbers", title="A mask that hides nothing", find=find)
