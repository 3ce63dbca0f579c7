"""A layer gets what was flattened from the wrong dim on, or not at all: from another one, or an entry before it."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import entries
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.source import Source

_STARTS = (1, 2, -2)


def propose(broken: Broken) -> Iterator[Edit]:
    """By the function, itself or by a name, or by the module before the layer in its sequence."""
    source, node = broken.origin(broken.place(0, "input"))
    if isinstance(node, ast.Call) and called(node) == "flatten" and isinstance(node.func, ast.Attribute):
        function = isinstance(node.func.value, ast.Name) and node.func.value.id == "torch"
        yield from _started(source, node, 1 if function else 0)
    for made in broken.made:
        calls = made.source.every(ast.Call)
        for given in map(entries, calls):
            place = next((number for number, one in enumerate(given) if one is made.node), 0)
            before = given[place - 1] if place else None
            if isinstance(before, ast.Call) and called(before) == "Flatten":
                yield from _started(made.source, before, 0)
            elif before is not None:
                yield from _inserted(broken, made)


def _inserted(broken: Broken, made: Made) -> Iterator[Edit]:
    """An entry before it that is missing: of maps all is one row, or what is left of them after pooling."""
    shape, wanted = [*(broken.call.shape(0, "input") or ())], broken.call.settings.get("in_features")
    head, _, _ = _text.written(made.source, made.node.func).rpartition(".")
    texts = [f"{head}.Flatten()"] if len(shape) > 2 and math.prod(shape[1:]) == wanted else []
    if 2 < len(shape) < 6 and shape[1] == wanted != shape[-1]:
        texts.append(f"{head}.AdaptiveAvgPool{len(shape) - 2}d(1), {head}.Flatten()")
    for text in texts if head else ():
        new = f"{text}, {_text.written(made.source, made.node)}"
        yield Edit(f"Insert {_text.title(text)}", made.source.path, _text.instead(made.source, made.node, new))


def _started(source: Source, node: ast.Call, place: int) -> Iterator[Edit]:
    named = next((one.value for one in node.keywords if one.arg == "start_dim"), None)
    written = named or (node.args[place] if place < len(node.args) else None)
    for start in _STARTS:
        if written is not None:
            yield Edit(f"Flatten from dim {start}", source.path, _text.instead(source, written, str(start)))
        elif not node.keywords and len(node.args) == place:
            given = ", ".join([*map(ast.unparse, node.args), str(start)])
            text = f"{_text.written(source, node.func)}({given})"
            yield Edit(f"Flatten from dim {start}", source.path, _text.instead(source, node, text))


MEND = Mend(frozenset({"linear-features"}), propose)
