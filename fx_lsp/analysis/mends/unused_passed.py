"""Sizes that do not fit, where a variable that is made beside a call is used nowhere, and is named as a parameter of
what is called: passed.

downsample = nn.Sequential(...) if stride != 1 else None
layers = [block(inplanes, planes, stride)]  # meant is `block(inplanes, planes, stride, downsample)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import passed_to
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """In the methods of the classes that led there, by the calls of anything that may be one of these files' own."""
    known = [passed_to(one) for source in broken.sources for one in source.every(ast.FunctionDef)]
    for source, owner in broken.owners:
        for function in (one for one in owner.body if isinstance(one, ast.FunctionDef)):
            for name in unused(function):
                lists = [names for names in known if name in names]
                yield from _calls(source, function, name, lists)


def unused(function: ast.FunctionDef) -> list[str]:
    """Variables that are bound and nowhere read."""
    names = [one for one in walk(function) if isinstance(one, ast.Name)]
    read = {one.id for one in names if not isinstance(one.ctx, ast.Store)}
    return [*dict.fromkeys(one.id for one in names if isinstance(one.ctx, ast.Store) and one.id not in read)]


def _calls(source: Source, function: ast.FunctionDef, name: str, lists: list[list[str]]) -> Iterator[Edit]:
    """By place where it comes next, else by name."""
    bound = min(one.lineno for one in walk(function) if isinstance(one, ast.Name) and one.id == name)
    for one in walk(function):
        if not isinstance(one, ast.Call) or one.lineno <= bound or not isinstance(one.func, ast.Name) or not one.args:
            continue
        if any(isinstance(part, ast.Starred) for part in one.args) or any(part.arg == name for part in one.keywords):
            continue
        fitting = [names for names in lists if len(one.args) <= names.index(name)]
        if fitting:
            next_one = not one.keywords and fitting[0].index(name) == len(one.args)
            text = name if next_one else f"{name}={name}"
            shown = _text.title(f"{one.func.id}(…, {text})")
            changes = _text.added(source, one, text)
            yield from [Edit(f"Use {shown}, line {one.lineno}", source.path, changes)] if changes is not None else []


_CAUSES = ("broadcast-sizes", "cat-sizes", "matmul-sizes", "linear-features", "conv-channels", "norm-features")
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
