"""What is written for what is no tensor."""

from __future__ import annotations

import ast

from fx_lsp.analysis.causes.tensor_expected import NOTHING
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends.unpacking import assignment
from fx_lsp.analysis.source import walk
from fx_lsp.model.failure import NO_TENSOR


def operand(broken: Broken) -> ast.expr | None:
    """The part of what fails that is written so; of a layer or a function what is None, else the first."""
    given = broken.call.operands
    if broken.call.target == NO_TENSOR:
        text = given[0].text.strip("`")
        unpacks = assignment(broken)
        parts = [one for one in walk(unpacks[0] if unpacks else broken.node) if isinstance(one, ast.expr)]
        return next((one for one in parts if ast.unparse(one) == text), None)
    return broken.place(next((number for number, one in enumerate(given) if one.value == NOTHING), 0))
