"""A sum over one letter of two tensors is a product of matrices, and `@` says so.

Before:
    y = torch.einsum("bij,bjk->bik", a, b)
After:
    y = a @ b
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, replaced


def find(flow: Flow) -> Iterator[Found]:
    """Every call of `einsum` that was understood as a product."""
    for term, statement in flow.roots:
        node = term.node
        if term.op != "matmul" or not isinstance(node, ast.Call):
            continue
        operation = flow.file.ran(node)
        if operation is None or operation.target.rpartition(".")[2] != "einsum" or term.args[0].node is None:
            continue  # what has to be transposed first is no clearer
        try:
            bound = dict(zip("ab", term.args, strict=True))
            yield Found(node, replaced(flow, term, statement, "a @ b", bound))
        except Unwritable:
            continue


RULE = Rewrite("einsum-matmul", "Use @", find)
