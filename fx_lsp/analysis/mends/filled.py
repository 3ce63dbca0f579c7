"""A part of a tensor set to other sizes, where the tensor is too short for all that is put there.

cost = left.new_zeros(b, c, h, w)  # meant is `2 * c`
cost[:, c:] = right
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.index_range import parts
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken

_BEGIN = re.compile(r"slice\((\d+), None")


def propose(broken: Broken) -> Iterator[Edit]:
    """As long as where a part begins and what is put there together."""
    shape, value, index = broken.call.shape(0), broken.call.shape(2), broken.call.operand(1)
    taken = parts(index.value) if index is not None else None
    source, made = broken.origin(broken.place(0))
    if shape is None or value is None or not taken or not isinstance(made, ast.Call):
        return
    sizes = made.args[0].elts if made.args and isinstance(made.args[0], ast.Tuple | ast.List) else made.args
    for dim, part in enumerate(taken[: len(sizes)] if len(sizes) == len(shape) else ()):
        begin, left = _BEGIN.match(part), sum(one.startswith("slice") for one in taken[dim:]) + len(shape) - len(taken)
        wanted = int(begin[1]) + value[-left] if begin is not None and 0 < left <= len(value) else 0
        if shape[dim] and wanted > shape[dim]:
            old = sizes[dim]
            more = f"{_text.written(source, old)} + {wanted - shape[dim]}"
            new = more if wanted % shape[dim] else f"{wanted // shape[dim]} * {_text.alone(source, old)}"
            title = f"Change {_text.title(_text.written(source, old))} to {_text.title(new)}, line {old.lineno}"
            yield Edit(title, source.path, _text.instead(source, old, new))


MEND = Mend(frozenset({"assigned-sizes"}), propose)
