"""Sizes that do not fit, where of several names that are unpacked together one is used twice and another one never.

height, width = pair(size)
count = (height // patch) * (height // patch)  # meant is `width` once
b, t = ids.shape
places = torch.arange(b)  # numbers the samples: meant is `t`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import unpacked
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.mends.unused_passed import unused
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """In the functions that led there, the innermost first, then where their objects are made."""
    functions = [(source, innermost(source, node)) for source, node in broken.places]
    built = [(source, one) for source, owner in broken.owners for one in owner.body
             if isinstance(one, ast.FunctionDef) and one.name == "__init__"]  # fmt: skip
    for source, function in (*functions, *built):
        statements = [one for one in walk(function) if isinstance(one, ast.Assign)] if function is not None else []
        free = unused(function) if function is not None else []
        for line, names in unpacked(function) if function is not None else ():
            for statement in statements:
                if statement.lineno > line:
                    yield from _edits(source, statement.value, names, free)


def _edits(source: Source, value: ast.expr, names: list[str], free: list[str]) -> Iterator[Edit]:
    used = [one for one in walk(value) if isinstance(one, ast.Name) and one.id in names]
    missing = [name for name in names if name != "_" and name in free]
    for twin in missing:
        twice = [one for one in used if sum(other.id == one.id for other in used) > 1]
        computed = sorted(twice, key=lambda one: not _beside(value, one, twin)) if isinstance(value, ast.BinOp) else []
        numbered = value.args if isinstance(value, ast.Call) and called(value) == "arange" else []
        for one in (*computed, *(one for one in used if one in numbered)):
            title = f"Use `{twin}` in place of `{one.id}`, line {one.lineno}"
            yield Edit(title, source.path, _text.instead(source, one, twin))


def _beside(value: ast.expr, name: ast.Name, twin: str) -> bool:
    """Whether it is computed with something that is called as the twin is: `width // patch_height`."""
    pairs = [one for one in walk(value) if isinstance(one, ast.BinOp) and name in (one.left, one.right)]
    others = [part.id for one in pairs for part in (one.left, one.right) if isinstance(part, ast.Name)]
    return any(other != name.id and other.rpartition("_")[2] == twin.rpartition("_")[2] for other in others)


_CAUSES = ("broadcast-sizes", "matmul-sizes", "cat-sizes", "linear-features", "view-elements")
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
