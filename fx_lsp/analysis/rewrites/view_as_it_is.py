"""A view of the shape that the tensor has already.

Before:
    y = x.view(x.shape)
After:
    y = x
"""

from __future__ import annotations

import ast

from fx_lsp.analysis.rewrites import Rewrite, given_instead
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain
from fx_lsp.model.value import TensorType

_OPERATIONS = frozenset({"view", "reshape", "expand", "squeeze", "flatten", "view_as", "expand_as"})


def _gives_the_same(flow: Flow, term: Term) -> str | None:
    """Whether it gave, whenever it ran, what it got; that it does so for other sizes is found by running it."""
    operation = flow.file.ran(term.node) if term.node is not None and term.op in _OPERATIONS else None
    if operation is None or not isinstance(term.node, ast.Call):
        return None
    if _flattens_an_argument(flow, term):
        return None
    return "" if all(_same(variant.inputs[:1], variant.output) for variant in operation.variants) else None


def _flattens_an_argument(flow: Flow, term: Term) -> bool:
    """Whether it is there for arguments of more dims, of which no example may have been given."""
    if not term.args or flow.argument(term.args[0]) is None:
        return False
    sizes = (size for one in term.args[1:] for size in (one.args if one.op == "tuple" else (one,)))
    return term.op == "flatten" or any(plain(size) == -1 for size in sizes)


def _same(inputs: tuple[object, ...], output: object) -> bool:
    given = inputs[0] if inputs else None
    if not isinstance(given, TensorType) or not isinstance(output, TensorType):
        return False
    return (given.dtype, given.shape) == (output.dtype, output.shape)


RULE = Rewrite("view-as-it-is", "Take the view away", given_instead(_gives_the_same))
