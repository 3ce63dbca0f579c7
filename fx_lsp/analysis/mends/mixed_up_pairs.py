"""Values where places are wanted, or the other way round: of the two that `sort`, `topk` or `max` give, the other one.

order, ordered = logits.sort(dim=-1)  # meant is `ordered, order = logits.sort(dim=-1)`
predicted = logits.max(dim=1)[0]      # meant is `[1]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import Step, path
from fx_lsp.analysis.mends._places import number

_PAIRS = ("sort", "topk", "max", "min", "median", "mode", "kthvalue", "cummax", "cummin", "nanmedian")
"""Functions that give values and their places."""
_FIELDS = {"values": "indices", "indices": "values"}
_TWO = 2


def propose(broken: Broken) -> Iterator[Edit]:
    """Where it is unpacked to two names, or where one of them is taken."""
    for step in path(broken):
        node = step.node
        if isinstance(node, ast.Call) and called(node) in _PAIRS:
            yield from _unpacked(step, node)
        inside = node.value if isinstance(node, ast.Subscript | ast.Attribute) else None
        if not isinstance(inside, ast.Call) or called(inside) not in _PAIRS:
            continue
        if isinstance(node, ast.Subscript) and number(node.slice) in (0, 1):
            text = str(1 - (number(node.slice) or 0))
            title = f"Use `[{text}]` of `{called(inside)}`, line {node.lineno}"
            yield Edit(title, step.source.path, _text.instead(step.source, node.slice, text))
        elif isinstance(node, ast.Attribute) and node.attr in _FIELDS:
            text = f"{_text.written(step.source, inside)}.{_FIELDS[node.attr]}"
            title = f"Use `{_FIELDS[node.attr]}` in place of `{node.attr}`, line {node.lineno}"
            yield Edit(title, step.source.path, _text.instead(step.source, node, text))


def _unpacked(step: Step, call: ast.Call) -> Iterator[Edit]:
    for one in step.source.every(ast.Assign):
        target = one.targets[0]
        parts = target.elts if isinstance(target, ast.Tuple) else []
        if one.value is call and len(parts) == _TWO and all(isinstance(part, ast.Name) for part in parts):
            texts = [_text.written(step.source, part) for part in parts]
            spans = [step.source.span(part) for part in parts]
            title = f"Unpack {_text.title(f'{texts[1]}, {texts[0]}')}, line {one.lineno}"
            yield Edit(title, step.source.path, tuple(zip(spans, reversed(texts), strict=True)))


_CAUSES = ("whole-numbers", "embedding-ids", "index-dtype", "index-tensor", "index-mask", "index-range", "mixed-dtypes",
           "loss-dtypes", "bitwise-floats")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
