"""Layers made in a loop, each given what the one before made, all made for what the first one is given.

for i in range(layers):
    self.rnns.append(nn.LSTM(dim, hidden))  # meant is `dim if i == 0 else hidden`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._origin import OUTPUTS
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk

_INPUTS = ("in_features", "in_channels", "input_size")


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the layer is made, and where what makes it is given both sizes."""
    name = next((one for one in _INPUTS if one in broken.call.settings), "")
    for made in broken.made:
        output = next((one for one in made.parameters if one in OUTPUTS), "")
        first, last = made.argument(name), made.argument(output)
        if first is None or last is None:
            continue
        yield from _chained(made, first, last)
        for above, other in zip(made.above(first), made.above(last), strict=False):
            one, two = above.argument(name), other.argument(output)
            if one is not None and two is not None and above.node is other.node:
                yield from _chained(above, one, two)


def _chained(made: Made, first: ast.expr, last: ast.expr) -> Iterator[Edit]:
    source, function = made.source, innermost(made.source, made.node)
    texts = [_text.written(source, one) for one in (first, last)]
    if isinstance(first, ast.IfExp) or texts[0] == texts[1]:
        return
    for loop in walk(function) if function is not None else ():
        part = loop.generators[0] if isinstance(loop, ast.ListComp | ast.GeneratorExp) else loop
        if not isinstance(part, ast.For | ast.comprehension) or not any(one is made.node for one in walk(loop)):
            continue
        if isinstance(part.target, ast.Name) and isinstance(part.iter, ast.Call) and called(part.iter) == "range":
            name = "i" if part.target.id == "_" else part.target.id
            text = f"{texts[0]} if {name} == 0 else {texts[1]}"
            changes = [(source.span(first), text), (source.span(part.target), name)]
            title = f"Make {_text.title(_text.written(source, made.node.func))} with {_text.title(text)}"
            yield Edit(title, source.path, tuple(changes[: 1 + (name != part.target.id)]))


MEND = Mend(frozenset({"linear-features", "conv-channels", "recurrent-features"}), propose)
