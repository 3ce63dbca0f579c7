"""A mask the wrong way round: it hides what is to be seen, often a whole row, whose softmax is NaN.

    scores.masked_fill(torch.tril(torch.ones(T, T)).bool(), float("-inf"))  # hides the past
    self.attention(x, x, x, key_padding_mask=ids != self.pad)  # MultiheadAttention hides where it is True

Instead: `~mask`.  Where it is True, `masked_fill` and torch's layers hide, and `F.scaled_dot_product_attention` sees.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import file_of, flows, place_of
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.diagnostics._masks import SINKS, Masked, masked, numbers, padding, triangle
from fx_lsp.analysis.diagnostics._operations import calls
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Lineage

_PLACES = {"masked_fill": ("mask", 1), "where": ("condition", 0), "scaled_dot_product_attention": ("attn_mask", 3),
           "MultiheadAttention": ("", 99)}  # fmt: skip
"""Name and place of the mask, where it is taken; empty for what the lineage says."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each triangle that hides a row as a whole, and for each mask that hides all but padding."""
    yield from besides(_written(snapshot), _ran(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    for one in lineages(snapshot, _PLACES, {"triangle", "padding"}):
        if one.made == "triangle":
            hidden = f"every key of the {'last' if one.sizes == (1,) else 'first'} row"
        else:
            hidden = "what is no padding"
        message = f"this hides {hidden}: {_by(one.target, one.target != 'scaled_dot_product_attention')}"
        yield Problem(_mask_of(snapshot, one), "warning", RULE.id, message)


def _mask_of(snapshot: Snapshot, one: Lineage) -> Span:
    """The mask, as it is written where it is taken."""
    call = calls(snapshot.path, snapshot.text).get(one.span)
    name, place = _PLACES[one.target]
    name = name or one.argument
    if call is None:
        return one.span
    if one.target == "masked_fill" and not file_of(snapshot).dotted(call.func).startswith("torch."):
        place -= 1
    given = [*call.args[place : place + 1], *(part.value for part in call.keywords if part.arg == name)]
    return file_of(snapshot).source.span(given[0]) if given else one.span


def _written(snapshot: Snapshot) -> Iterator[Problem]:
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
    return _by(one.call.op, bool(one.hides))


def _by(name: str, hides: bool) -> str:
    return f"`{name}` {'hides' if hides else 'sees'} what is True"


RULE = Rule(id="mask-inverted", title="A mask the wrong way round", find=find)
