"""Sizes that do not fit, where a variable is whole in one place and cut at one end in another: cut at the other end.

logits = model(source, target[:, :-1])
loss = criterion(logits.flatten(0, 1), target.flatten())  # meant is `target[:, 1:]`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import arguments
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

MAX_CALLS = 4
"""From what fails outwards."""
_ENDS = {":-1": "1:", "1:": ":-1"}


def propose(broken: Broken) -> Iterator[Edit]:
    """What the calls that led there are given, where the same function has it cut."""
    for source, node in broken.places[:MAX_CALLS]:
        given = arguments(node) if isinstance(node, ast.Call) else []
        for name in (one for argument in given for one in walk(argument) if isinstance(one, ast.Name)):
            for cut in _cuts(source, name):
                yield _text.suffixed(source, name, f"[{cut}]")


def _cuts(source: Source, name: ast.Name) -> Iterator[str]:
    """The other end, then the same, of each part of it that is taken; nothing where this one is a part itself."""
    function = innermost(source, name)
    found = [one for one in source.every(ast.Subscript) if getattr(one.value, "id", "") == name.id]
    if any(one.value is name for one in found):
        return
    for one in (one for one in found if innermost(source, one) is function):
        parts = one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice]
        *first, last = [_text.written(source, part).replace(" ", "") for part in parts]
        if last in _ENDS:
            yield from (", ".join([*first, end]) for end in (_ENDS[last], last))


_CAUSES = ("index-tensor", "loss-sizes", "broadcast-sizes", "index-mask", "cat-sizes")
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
