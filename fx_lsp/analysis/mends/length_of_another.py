"""Channels that do not fit, of a layer made for as many things as one list has, where another list is meant.

self.project = nn.Conv2d(len(rates) * width, width, 1)  # joins what `self.convs` give, which are more
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import attribute
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk

_LISTS = ("ModuleList", "list", "tuple", "ModuleDict")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of the lists that the same constructor makes before."""
    for made in broken.made:
        function = innermost(made.source, made.node)
        above = [one for one in (walk(function) if function is not None else ())
                 if isinstance(one, ast.Assign) and one.lineno < made.node.lineno]  # fmt: skip
        lists = [target for one in above if _is_list(one.value) for target in one.targets
                 if isinstance(target, ast.Name) or attribute(target) is not None]  # fmt: skip
        for one in walk(made.node):
            if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "len" and len(one.args) == 1:
                old = ast.unparse(one.args[0])
                names = dict.fromkeys(ast.unparse(target) for target in lists)
                for name in sorted((name for name in names if name != old), key=lambda name: "." not in name):
                    title = f"Use `len({name})` in place of `len({old})`, line {one.lineno}"
                    yield Edit(title, made.source.path, _text.instead(made.source, one.args[0], name))


def _is_list(value: ast.expr) -> bool:
    called = getattr(value.func, "attr", getattr(value.func, "id", "")) if isinstance(value, ast.Call) else ""
    return isinstance(value, ast.List | ast.Tuple) or called in _LISTS


MEND = Mend(frozenset({"linear-features", "conv-channels", "norm-features"}), propose, beside=True)
