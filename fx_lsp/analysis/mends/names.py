"""An attribute that is not there: the name that is much like it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.attribute_missing import names
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken


def propose(broken: Broken) -> Iterator[Edit]:
    """The most alike first."""
    node = broken.node.func if isinstance(broken.node, ast.Call) else broken.node
    if isinstance(node, ast.Attribute):
        yield from broken.instead(node, (f"{broken.alone(node.value)}.{name}" for name in names(broken.call)))


MEND = Mend(frozenset({"attribute-missing"}), propose)
