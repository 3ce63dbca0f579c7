"""Results unpacked into another number of names than are given back: the one that is missing, given back or unpacked.

mel, duration, mask = outputs  # `return mel, duration`, of a function that has a `mask`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._path import returned as written_back
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.mends.unpacked_as_returned import Returned, returned
from fx_lsp.analysis.mends.unpacking import assignment
from fx_lsp.analysis.source import Source, walk


def propose(broken: Broken) -> Iterator[Edit]:
    """By the names on both sides, in functions of the same files that give back most of what is unpacked."""
    found = assignment(broken) if broken.call.target == "parts" else None
    names = [one.id for one in found[1].elts if isinstance(one, ast.Name)] if found is not None else []
    if found is None or len(names) != len(found[1].elts):
        return
    if isinstance(found[0].value, ast.Call):
        for source, value in written_back(broken.source, found[0].value, broken.files, broken.callers):
            yield from _alone(source, value, names) if not isinstance(value, ast.Tuple) else ()
    for back in returned(broken.sources):
        known = [name for name in names if back.labels.count(name) == 1]
        if len(known) == len(back.labels) < len(names):
            yield from _given_back(back, names)
        elif len(known) == len(names) < len(back.labels):
            text = ", ".join(label if label in known else "_" for label in back.labels)
            yield from broken.instead(found[1], (text,))


def _given_back(back: Returned, names: list[str]) -> Iterator[Edit]:
    """The names that are missing, where the function binds them."""
    if set(names) <= _bound(back.source, back.value) | {*back.labels}:
        parts = dict(zip(back.labels, back.value.elts, strict=True))
        text = ", ".join(_text.written(back.source, parts[name]) if name in parts else name for name in names)
        yield Edit(f"Return {_text.title(text)}", back.source.path, _text.instead(back.source, back.value, text))


def _alone(source: Source, value: ast.expr, names: list[str]) -> Iterator[Edit]:
    """What is given back by itself, and the names after the first, which the function binds."""
    if len(names) > 1 and {*names[1:]} <= _bound(source, value):
        text = ", ".join([_text.written(source, value), *names[1:]])
        yield Edit(f"Return {_text.title(text)}", source.path, _text.instead(source, value, text))


def _bound(source: Source, value: ast.expr) -> set[str]:
    """The variables of the function around it."""
    function = innermost(source, value)
    inside = [*walk(function)] if function is not None else []
    stored = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return stored | {one.arg for one in inside if isinstance(one, ast.arg)}


MEND = Mend(frozenset({"unpack-dims"}), propose)
