"""Features that do not fit, where a layer is made with a size of one of the parts that a constructor is given, and gets
what another one of them gives: with the size of that one.

self.vision, self.text = vision, text
self.proj = nn.Linear(vision.width, dim)  # gets `self.text(tokens)`: meant is `text.width`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, attribute, last_bound
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import passed_to
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """Of those that the failing expression names, or what it is given was made by."""
    for made in broken.made:
        init = innermost(made.source, made.node)
        given = passed_to(init) if init is not None else []
        for one in walk(made.node):
            if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in given:
                for name in _parts(broken, given):
                    if name != one.value.id:
                        text = f"{name}.{one.attr}"
                        title = f"Use `{text}` in place of `{one.value.id}.{one.attr}`, line {one.lineno}"
                        yield Edit(title, made.source.path, _text.instead(made.source, one, text))


def _parts(broken: Broken, given: list[str]) -> list[str]:
    """Parameters of the constructor that the parts in the expression are."""
    function = innermost(broken.source, broken.node)
    names = [one for one in walk(broken.node) if isinstance(one, ast.Name)]
    bound = [last_bound(function, one) for one in names] if function is not None else []
    inside = [one for node in (broken.node, *bound) if node is not None for one in walk(node)]
    found = [value for one in inside if isinstance(one, ast.Attribute) and (name := attribute(one)) is not None
             for value in assigned(broken.source, broken.node, name)]  # fmt: skip
    return [*dict.fromkeys(one.id for one in found if isinstance(one, ast.Name) and one.id in given)]


_CAUSES = ("linear-features", "conv-channels", "norm-features", "recurrent-features")
MEND = Mend(frozenset(_CAUSES), propose, sure=True)
