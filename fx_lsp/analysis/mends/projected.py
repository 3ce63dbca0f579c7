"""Sizes unlike those of a shortcut, which is projected on a condition that leaves the channels out.

if stride != 1:  # meant is `stride != 1 or cin != cout`
    self.shortcut = nn.Conv2d(cin, cout, 1, stride)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.source import Source

_SIZES = (ast.Name, ast.Attribute, ast.BinOp)


def propose(broken: Broken) -> Iterator[Edit]:
    """For each condition under which something is made of two sizes that it does not compare."""
    for source, owner in broken.classes:
        for one in ast.walk(owner):
            if not isinstance(one, ast.If | ast.IfExp) or isinstance(one.test, ast.Constant):
                continue
            text = f"{_text.written(source, one.test)} or {{}}"
            if isinstance(one.test, ast.BoolOp) and isinstance(one.test.op, ast.And):
                text = f"({_text.written(source, one.test)}) or {{}}"
            for compared in _compared(source, one):
                new = text.format(compared)
                yield Edit(f"Use {_text.title(new)}", source.path, _text.instead(source, one.test, new))


def _compared(source: Source, made: ast.If | ast.IfExp) -> Iterator[str]:
    """`cin != cout` for what is made with both, where the condition has not both of them already."""
    body = made.body if isinstance(made.body, list) else [made.body]
    calls = [part for one in body for part in ast.walk(one) if isinstance(part, ast.Call) and len(part.args) > 1]
    known = ast.unparse(made.test)
    for call in calls:
        one, other = call.args[:2]
        texts = _text.written(source, one), _text.written(source, other)
        names = [name for part in (one, other) for inner in ast.walk(part) for name in [getattr(inner, "id", None)
                 or getattr(inner, "attr", None)] if name not in (None, "self")]  # fmt: skip
        new = isinstance(one, _SIZES) and isinstance(other, _SIZES) and texts[0] != texts[1]
        if new and not all(name in known for name in names if name is not None):
            yield f"{texts[0]} != {texts[1]}"
            return


MEND = Mend(frozenset({"broadcast-sizes"}), propose)
