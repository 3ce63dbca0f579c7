"""Feature maps that differ in space only: one resized to the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._imports import imported
from fx_lsp.analysis.mends._pairs import pairs
from fx_lsp.analysis.mends._parameters import called

_RANKS = (4, 5)


def propose(broken: Broken) -> Iterator[Edit]:
    """The smaller one first; predictions to the size of their target."""
    functional = imported(broken.source, "torch.nn.functional")
    if broken.cause == "loss-sizes":
        yield from _predicted(broken, functional)
        return
    found = [pair for pair in pairs(broken) if len(pair[0][1]) == len(pair[1][1])]
    for (node, shape), (other, wanted), differ in sorted(found, key=lambda pair: pair[0][1] > pair[1][1]):
        space = 2 - len(shape)
        plain = isinstance(other, ast.Name | ast.Attribute | ast.Subscript)
        if isinstance(node, ast.Call) and called(node) == "interpolate":
            continue  # to another size, and not twice
        if functional and node is not None and other is not None and plain and len(shape) in _RANKS and differ:
            text = f"{functional}.interpolate({broken.text(node)}, size={broken.text(other)}.shape[2:])"
            fits = all(space <= dim < 0 and wanted[back] > 1 for dim, back in differ)
            fits = fits and 1 not in shape[2:]  # `gain.view(1, 1, -1, 1)` is no map
            yield from broken.instead(node, (text,)) if fits else ()


def _predicted(broken: Broken, functional: str) -> Iterator[Edit]:
    """A class for each place: the target has no dim of classes, or as many dims as the predictions."""
    x, target = broken.call.shape(0, "input") or (), broken.call.shape(1, "target") or ()
    node, other = broken.place(0, "input"), broken.place(1, "target")
    if not functional or len(x) not in _RANKS or node is None or not isinstance(other, ast.Name):
        return
    if x[:1] == target[:1] and (len(target) == len(x) - 1 or x[:2] == target[:2]):
        text = f"{functional}.interpolate({broken.text(node)}, size={other.id}.shape[{2 - len(x)}:])"
        yield from broken.instead(node, (text,))


MEND = Mend(frozenset({"broadcast-sizes", "loss-sizes"}), propose)
