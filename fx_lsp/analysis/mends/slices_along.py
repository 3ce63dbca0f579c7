"""Sizes that do not fit, where a slice cuts another dim than the one that is meant: that of the dim after or before it.

crop = recording[start : start + length]  # meant is `recording[:, start : start + length]`
padded[i, :length] = row                  # meant is `padded[i, :, :length]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.source import Source


def propose(broken: Broken) -> Iterator[Edit]:
    """What is set there, then each part on the way to the operands."""
    led = [(broken.source, broken.node), *((step.source, step.node) for step in path(broken))]
    for source, node in led:
        if isinstance(node, ast.Subscript):
            for text in _moved(source, node):
                title = f"Use {_text.title(f'{_text.written(source, node.value)}[{text}]')}, line {node.lineno}"
                yield Edit(title, source.path, _text.instead(source, node.slice, text))


def _moved(source: Source, node: ast.Subscript) -> Iterator[str]:
    """The index with each slice that has an end one place further on, or one place back."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    texts = [_text.written(source, part) for part in parts]
    for place, part in enumerate(parts):
        if isinstance(part, ast.Slice) and texts[place] != ":":
            rest = texts[place + 2 :] if texts[place + 1 : place + 2] == [":"] else texts[place + 1 :]
            yield ", ".join([*texts[:place], ":", texts[place], *rest])
            if place and texts[place - 1] == ":":
                yield ", ".join([*texts[: place - 1], *texts[place:]])


_CAUSES = ("assigned-sizes", "broadcast-sizes", "cat-sizes", "conv-channels", "matmul-sizes", "linear-features",
           "recurrent-features", "norm-features", "loss-sizes", "attention-sizes", "index-mask")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
