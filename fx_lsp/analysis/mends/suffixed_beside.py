"""Arguments of one call of which some lack what the others have: the same.

model(image.unsqueeze(0), caption)  # meant is `caption.unsqueeze(0)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import arguments, called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.source import Source, walk

MAX_CALLS = 4
"""From what fails outwards."""
_METHODS = frozenset({"unsqueeze", "squeeze", "flatten", "transpose", "permute", "view", "reshape", "float", "long",
                      "bool", "double", "half"})  # fmt: skip
"""Those that change sizes or types."""


def propose(broken: Broken) -> Iterator[Edit]:
    """The calls that led there, then those on the way to its operands: names alone, and what stands after others."""
    led = [*broken.places[:MAX_CALLS], *((step.source, step.node) for step in path(broken))]
    for source, node in {id(node): (source, node) for source, node in led}.values():
        if isinstance(node, ast.Call):
            yield from _alike(source, arguments(node))
        elif isinstance(node, ast.Tuple | ast.List):
            yield from _alike(source, node.elts)


def _alike(source: Source, given: list[ast.expr]) -> Iterator[Edit]:
    names = [one for one in given if isinstance(one, ast.Name)]
    suffixes = dict.fromkeys(text for one in given if (text := _suffix(source, one)))
    for suffix in suffixes if names else ():
        for name in names:
            yield _text.suffixed(source, name, suffix)
        if len(names) > 1:
            changes = [change for name in names for change in _text.suffixed(source, name, suffix).changes]
            yield Edit(f"Add {_text.title(suffix)} to each of them", source.path, tuple(changes))


def _suffix(source: Source, node: ast.expr) -> str:
    """`[None]`, `.unsqueeze(0)`: what stands after a name, where it names nothing itself."""
    owner = node.func if isinstance(node, ast.Call) else node
    value = owner.value if isinstance(owner, ast.Subscript | ast.Attribute) else None
    parts = [one for one in walk(node) if isinstance(one, ast.Name)]
    known = isinstance(node, ast.Subscript) or (isinstance(node, ast.Call) and called(node) in _METHODS)
    if not isinstance(value, ast.Name) or len(parts) > 1 or not known:
        return ""
    return _text.written(source, node)[len(_text.written(source, value)) :]


_CAUSES = ("attention-sizes", "broadcast-sizes", "cat-sizes", "conv-channels", "conv-dims", "dim-range",
           "einsum-sizes", "expand-sizes", "index-dtype", "index-range", "linear-features", "loss-dtypes", "loss-sizes",
           "matmul-sizes", "mixed-dtypes", "norm-features", "recurrent-features", "recurrent-state",
           "unpack-dims", "view-elements")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
