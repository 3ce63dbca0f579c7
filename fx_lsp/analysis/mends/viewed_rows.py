"""A loss of other rows than targets, where what it is given is viewed in a width that is not its own.

F.cross_entropy(logits.view(-1, self.width), targets.view(-1))  # meant is `logits.view(-1, logits.size(-1))`
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called

_VIEWS = ("view", "reshape")


def propose(broken: Broken) -> Iterator[Edit]:
    """The last size of the view is that of what is viewed, where as many rows as targets may come of it."""
    shape, target = broken.call.shape(0, "input"), broken.call.shape(1, "target")
    if shape is None or target is None or len(shape) != 2 or not target or not target[0]:
        return
    source, node = broken.origin(broken.place(0, "input"))
    if not isinstance(node, ast.Call) or called(node) not in _VIEWS or not isinstance(node.func, ast.Attribute):
        return
    of = node.func.value
    plain = isinstance(of, ast.Name) and len(node.args) == 2 and ast.unparse(node.args[0]) == "-1"
    if plain and shape[0] != target[0] and math.prod(shape) % target[0] == 0:
        text = f"{_text.written(source, of)}.size(-1)"
        yield Edit(f"Use {_text.title(text)}", source.path, _text.instead(source, node.args[1], text))


MEND = Mend(frozenset({"loss-sizes"}), propose, sure=True)
