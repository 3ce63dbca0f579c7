"""A mask of zeros and ones that is added to the scores: nothing is hidden, some scores are 1 larger.

    mask = (ids != pad).float()
    F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

Instead: the mask of True and False itself; `(1 - mask) * -1e9` where it is to be added.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import file_of, flows, place_of
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.diagnostics._masks import SINKS, masked, numbers
from fx_lsp.analysis.diagnostics._operations import calls, ran
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Lineage

_TAKE = frozenset({"scaled_dot_product_attention", "MultiheadAttention"})
_MASK = re.compile("mask|pad|valid", re.IGNORECASE)
_MESSAGE = "this mask of zeros and ones is added to the scores: it hides nothing"


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each mask that is a cast of True and False, or a triangle of ones."""
    told = [*besides(_written(snapshot), _ran(snapshot))]
    yield from told
    yield from _added(snapshot, {one.span.line for one in told})


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    for one in lineages(snapshot, _TAKE, {"numbers"}):
        related = ((one.source, "made numbers here"),)
        yield Problem(_mask_of(snapshot, one), "warning", RULE.id, _MESSAGE, related)


def _added(snapshot: Snapshot, told: Container[int]) -> Iterator[Problem]:
    """What is added to scores under a name that says it is a mask; anything else may be a bias."""
    source = file_of(snapshot).source
    spans = {one.span for one in lineages(snapshot, {"softmax"}, {"added"}) if one.span.line not in told}
    for node in ast.walk(source.tree) if source.tree is not None and spans else ():
        sides = (node.right, node.left) if isinstance(node, ast.BinOp) and source.span(node) in spans else ()
        mask = next((side for side in sides if any(map(_MASK.search, _names(side)))), None)
        if mask is not None:
            yield Problem(source.span(mask), "warning", RULE.id, _MESSAGE)


def _names(node: ast.expr) -> list[str]:
    return [str(getattr(part, "id", getattr(part, "attr", ""))) for part in ast.walk(node)]


def _mask_of(snapshot: Snapshot, one: Lineage) -> Span:
    """The mask, as it is written where it is taken; the call, where that is not certain."""
    call, pads = calls(snapshot.path, snapshot.text).get(one.span), "padding" in one.argument
    if call is None:
        return one.span
    named = [part for part in call.keywords if part.arg is not None and part.arg.endswith("mask")]
    given = [part.value for part in named if ("padding" in str(part.arg)) == pads]
    if not given and any(part.span == one.span and part.target.rpartition(".")[2] in _TAKE for part in ran(snapshot)):
        place = 5 if one.target == "MultiheadAttention" and not pads else 3
        given = call.args[place : place + 1]
    return file_of(snapshot).source.span(given[0]) if len(given) == 1 else one.span


def _written(snapshot: Snapshot) -> Iterator[Problem]:
    for flow in flows(snapshot, SINKS):
        for one in masked(flow):
            found = numbers(flow, one.mask) if one.call.op not in ("masked_fill", "where") else None
            first = place_of(flow, found) if found is not None else None
            place = place_of(flow, one.mask) or place_of(flow, one.call)
            if first is not None and place is not None:
                yield Problem(place, "warning", RULE.id, _MESSAGE, ((first, "made numbers here"),))


RULE = Rule(id="mask-of-numbers", title="A mask that hides nothing", find=find)
