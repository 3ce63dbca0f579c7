"""Sizes that do not fit, where a loop takes the entry of its round of a list that starts one earlier: the next one.

for i in range(len(self.ups)):
    x = torch.cat([self.ups[i](x), skips[i]], dim=1)  # `skips[0]` is what `x` was made of
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import loop_over
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import passed_to
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk


def propose(broken: Broken) -> Iterator[Edit]:
    """The list without its first entry where it is passed, then the next entry where it is taken."""
    function = innermost(broken.source, broken.node)
    taken = [one for one in walk(broken.node) if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name)
             and isinstance(one.slice, ast.Name) and loop_over(function, one.slice) is not None]  # fmt: skip
    given = passed_to(function) if function is not None else []
    source, call = broken.callers[0] if broken.callers else (broken.source, None)
    for one in taken:
        name = one.value.id if isinstance(one.value, ast.Name) else ""
        place = given.index(name) if name in given else None
        if isinstance(call, ast.Call) and place is not None and place < len(call.args):
            passed = call.args[place]
            shown = _text.title(f"{_text.alone(source, passed)}[1:]")
            if not isinstance(passed, ast.Starred):
                yield Edit(f"Pass {shown}", source.path, _text.after(source, passed, "[1:]"))
        text = f"{_text.written(broken.source, one.slice)} + 1"
        shown = _text.title(f"{name}[{text}]")
        yield Edit(f"Use {shown}", broken.source.path, _text.instead(broken.source, one.slice, text))


MEND = Mend(frozenset({"cat-sizes", "broadcast-sizes"}), propose)
