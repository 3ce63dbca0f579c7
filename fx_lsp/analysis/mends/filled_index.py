"""Places, some of which are filled with a number that is none: filled with 0, which their mask hides as well.

tags = pad_sequence(tags, batch_first=True, padding_value=-100)
scores.gather(2, tags.unsqueeze(2))  # meant is `padding_value=0`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number

_FILLS = {
    "pad_sequence": (2, "padding_value"),
    "pad_packed_sequence": (2, "padding_value"),
    "pad": (3, "value"),
    "masked_fill": (2, "value"),
    "full": (1, "fill_value"),
    "full_like": (1, "fill_value"),
    "new_full": (1, "fill_value"),
}
_METHODS = frozenset({"masked_fill", "new_full"})


def propose(broken: Broken) -> Iterator[Edit]:
    """Where they are filled, the nearest place first."""
    node = broken.place(2, "index", "indices") if broken.call.target != "embedding" else broken.place(0, "input")
    node = broken.place(1) if broken.call.target in ("getitem", "setitem") else node
    for step in path(replace(broken, written={"0": node})) if node is not None else ():
        call = step.node
        function = called(call) if isinstance(call, ast.Call) else ""
        if not isinstance(call, ast.Call) or function not in _FILLS:
            continue
        place, name = _FILLS[function]
        place -= function in _METHODS and isinstance(call.func, ast.Attribute)
        given = [*call.args[place : place + 1], *(one.value for one in call.keywords if one.arg == name)]
        for value in given:
            if (number(value) or 0) < 0:
                title = f"Fill with `0` in place of {_text.title(ast.unparse(value))}, line {value.lineno}"
                yield Edit(title, step.source.path, _text.instead(step.source, value, "0"))


MEND = Mend(frozenset({"index-range", "embedding-ids"}), propose)
