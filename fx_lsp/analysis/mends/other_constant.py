"""Sizes that do not fit, where a call that led there is given one number of the whole file in place of another one.

decoder = Decoder(WIDTH, SOURCES)  # meant is `TARGETS`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._fields import whole
from fx_lsp.analysis.mends._parameters import arguments
from fx_lsp.analysis.mends._path import path
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.source import Source

MORE = (0, 1, -1)
"""That a size may have more than the number that it is made of."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Those numbers that are sizes of what failed."""
    operands = (*broken.call.operands, *broken.call.named.values())
    wanted = {size + more for one in operands for size in one.shape or () for more in MORE}
    led = [*broken.places, *((step.source, step.node) for step in path(broken))]
    known: dict[str, dict[str, int]] = {}
    for source, node in {id(node): (source, node) for source, node in led}.values():
        given = arguments(node) if isinstance(node, ast.Call) else []
        names = [one for one in given if isinstance(one, ast.Name) and one.id.isupper()]
        if names and source.path not in known:
            known[source.path] = _constants(source)
        constants = known.get(source.path, {})
        for one in names:
            for name, value in constants.items() if one.id in constants else ():
                if value in wanted and value != constants[one.id]:
                    title = f"Use `{name}` in place of `{one.id}`, line {one.lineno}"
                    yield Edit(title, source.path, _text.instead(source, one, name))


def _constants(source: Source) -> dict[str, int]:
    """Numbers of the whole file, by their names."""
    found: dict[str, int] = {}
    for name in source.bindings:
        for node in whole(source, name) if name.isupper() else ():
            if (value := number(node)) is not None:
                found[name] = value
    return found


_CAUSES = ("assigned-sizes", "broadcast-sizes", "cat-sizes", "expand-sizes", "index-tensor", "linear-features",
           "matmul-sizes", "view-elements", "loss-sizes", "recurrent-features", "conv-channels")  # fmt: skip
MEND = Mend(frozenset(_CAUSES), propose, beside=True)
