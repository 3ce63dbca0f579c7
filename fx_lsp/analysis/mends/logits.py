"""A loss of probabilities that gets logits: the loss that takes them, or a sigmoid."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken


def propose(broken: Broken) -> Iterator[Edit]:
    """The function or layer of the same module, then `sigmoid()`."""
    func = broken.node.func if isinstance(broken.node, ast.Call) else None
    if isinstance(func, ast.Attribute) and func.attr == "binary_cross_entropy":
        yield from broken.instead(func, (f"{broken.alone(func.value)}.binary_cross_entropy_with_logits",))
    for made in broken.made if broken.call.target == "BCELoss" else ():
        if isinstance(made.node.func, ast.Attribute):
            text = f"{_text.alone(made.source, made.node.func.value)}.BCEWithLogitsLoss"
            changes = _text.instead(made.source, made.node.func, text)
            yield Edit("Use `BCEWithLogitsLoss`", made.source.path, changes)
    yield from broken.after(broken.place(0, "input"), (".sigmoid()",))


MEND = Mend(frozenset({"logits-given"}), propose)
