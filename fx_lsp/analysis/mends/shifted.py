"""A loss of what is shifted by one: predictions cut at one end, and the targets not cut, or the other way round.

F.cross_entropy(logits[:, :-1].flatten(0, 1), labels.flatten())  # meant is `labels[:, 1:]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.loss_sizes import EQUAL
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import last_bound, of_file, subject
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source

MAX_STEPS = 8
_FLAT = ("reshape", "view", "flatten")
_FIRST, _LAST = ":-1", "1:"
"""All but the last, all but the first."""


def propose(broken: Broken) -> Iterator[Edit]:
    """What is not cut is cut where it comes from, at the same place: first the way that targets and predictions are."""
    sides = [broken.place(0, "input"), broken.place(1, "target")]
    ways = [[*_back(broken.source, side)] if side is not None else [] for side in sides]
    classes = broken.call.target not in EQUAL
    if classes and not any(_cut(one) for way in ways for one in way):
        yield from _longer(broken)
    for own, other in ((0, 1), (1, 0)):
        found = next(filter(None, map(_cut, ways[own])), None)
        if found is None or not ways[other] or any(map(_cut, ways[other])):
            continue
        before, after = found
        if "..." in before and classes:
            # A tensor of scores has a dim more at its end.
            after = [*after, ":"] if own else after[1:]
        texts = [_LAST, _FIRST] if own == 0 else [_FIRST, _LAST]
        base = ways[other][-1]
        for text in texts:
            trailing = after if "..." in before else []
            index = ", ".join([*before, text, *trailing])
            yield _text.suffixed(broken.source, base, f"[{index}]")


def _longer(broken: Broken) -> Iterator[Edit]:
    """A class for each step, of a model that was given one step fewer than its target has, or one more."""
    x, target = broken.call.shape(0, "input"), broken.call.shape(1, "target")
    if x is None or target is None or len(target) != len(x) - 1:
        return
    if len(x) < 3:
        yield from _longer_in_one(broken, x, target)
        return
    if x[0] != target[0] or x[3:] != target[2:]:
        return
    if target[1] == x[2] + 1:
        yield from broken.after(broken.place(1, "target"), (f"[:, {_LAST}]", f"[:, {_FIRST}]"))
    elif x[2] == target[1] + 1:
        yield from broken.after(broken.place(0, "input"), (f"[:, :, {_FIRST}]", f"[:, :, {_LAST}]"))


def _longer_in_one(broken: Broken, x: tuple[int, ...], target: tuple[int, ...]) -> Iterator[Edit]:
    """The same of all steps in one dim: one step is as many as the difference, that of each sample."""
    scores, targets = sum(x[:1]), sum(target[:1])
    batch = abs(targets - scores)
    node = broken.place(1, "target") if targets > scores else broken.place(0, "input")
    inner = subject(broken.source, node) if isinstance(node, ast.Call) and called(node) in _FLAT else None
    if inner is not None and 0 < batch < min(scores, targets) and scores % batch == 0:
        for text in (_LAST, _FIRST) if targets > scores else (_FIRST, _LAST):
            yield _text.suffixed(broken.source, inner, f"[:, {text}]")


def _back(source: Source, node: ast.expr) -> Iterator[ast.expr]:
    """The expression, and what it was made of in the same function, up to a name that nothing there is bound to."""
    for _ in range(MAX_STEPS):
        yield node
        function = innermost(source, node)
        if isinstance(node, ast.Name):
            bound = [last_bound(function, node)] if function is not None else of_file(source, node)
            held = bound[0] if bound else None
            # What a layer gives, or one of several results, is not followed.
            inner = held if isinstance(held, ast.Name | ast.Subscript) or _is_method(held) else None
        elif isinstance(node, ast.Subscript):
            inner = node.value
        else:
            inner = subject(source, node) if isinstance(node, ast.Call) and _is_method(node) else None
        if inner is None:
            return
        node = inner


def _is_method(node: ast.expr | None) -> bool:
    """`labels.view(-1)`, whatever the tensor is; not `self.head(x)`."""
    value = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    return value is not None and not (isinstance(value, ast.Name) and value.id in ("self", "torch", "F", "nn"))


def _cut(node: ast.expr) -> tuple[list[str], list[str]] | None:
    """What stands before and after the one part of an index that leaves out the first or the last."""
    if not isinstance(node, ast.Subscript):
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    texts = [ast.unparse(one) for one in parts]
    for place, part in enumerate(parts):
        if isinstance(part, ast.Slice) and part.step is None and (number(part.lower), number(part.upper)) in _ENDS:
            return texts[:place], texts[place + 1 :]
    return None


_ENDS = ((1, None), (None, -1))
MEND = Mend(frozenset({"loss-sizes"}), propose)
