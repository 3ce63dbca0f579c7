"""Sizes that do not fit, where an attribute is made nearly as one that is called nearly alike: made in the same way.

self.proj_k = nn.Parameter(torch.zeros(length, rank))
self.proj_v = nn.Parameter(torch.zeros(rank, length))
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import walk

MAX_FOUND = 4
_WORD = re.compile(r"\b\w+\b")
_LAST = re.compile(r"\d+$|_?[a-z]$|_[a-z]+$")
"""What tells attributes apart that are called alike: `w1` and `w2`, `to_k` and `to_v`, `att_src` and `att_dst`."""


def propose(broken: Broken) -> Iterator[Edit]:
    """In the classes that led there, the innermost first: what is named there, or has the same in another order."""
    for source, owner in broken.owners:
        made = [(target.attr, one.value) for one in walk(owner) if isinstance(one, ast.Assign)
                if isinstance(target := one.targets[0], ast.Attribute) and isinstance(one.value, ast.Call)]  # fmt: skip
        named = {one.attr for place, node in broken.places if place.path == source.path
                 for one in walk(node) if isinstance(one, ast.Attribute)}  # fmt: skip
        found = [(name, own, other) for name, own in made for beside, other in made
                 if name != beside and _LAST.sub("", name) == _LAST.sub("", beside) and _alike(own, other)
                 and (name in named or _words(own) == _words(other))]  # fmt: skip
        for _, own, other in sorted(found, key=lambda one: one[0] not in named)[:MAX_FOUND]:
            text = _text.written(source, other)
            title = f"Use {_text.title(text)}, line {own.lineno}"
            yield Edit(title, source.path, _text.instead(source, own, text))


def _alike(own: ast.Call, other: ast.Call) -> bool:
    """Whether the same is called in the same form, with other names or numbers, or these in another order."""
    if any(getattr(one, "id", "") == "self" for one in walk(other)):
        return False  # another attribute is in it, which is not for both
    one, two = ast.unparse(own), ast.unparse(other)
    same = ast.unparse(own.func) == ast.unparse(other.func)
    return same and one != two and _WORD.sub("_", one) == _WORD.sub("_", two)


def _words(call: ast.Call) -> list[str]:
    return sorted(_WORD.findall(ast.unparse(call)))


_CAUSES = ("broadcast-sizes", "matmul-sizes", "attention-sizes", "cat-sizes", "einsum-sizes", "linear-features",
           "conv-channels", "norm-features", "recurrent-features")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose)
