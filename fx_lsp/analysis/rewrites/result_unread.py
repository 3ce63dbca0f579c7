"""What is computed, bound to a name, and never read.

Before:
    scores = q @ k
    return v
After:
    return v
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._write import Unwritable, removed
from fx_lsp.model.comparison import MODULE


def find(flow: Flow) -> Iterator[Found]:
    """Assignments of what only torch has computed, to variables of a function that nobody reads."""
    for key, definition in flow.definitions.items() if flow.function.name != MODULE else ():
        if (
            not isinstance(definition.statement, ast.Assign)
            or flow.uses[key]
            or not _is_pure(definition.term)
            or len(flow.block[id(definition.statement)]) < 2
        ):
            continue
        try:
            yield Found(definition.statement, (removed(flow.file, definition.statement),))
        except Unwritable:
            continue


def _is_pure(term: Term) -> bool:
    """Whether it is an operation on variables and constants, and on nothing that runs code of the user's."""
    if term.op.startswith(("?", ".", "nn.")) or term.op.endswith("_"):
        return False
    return term.op not in ("name", "constant", "text") and all(_is_pure(one) or not [*one.parts] for one in term.parts)


RULE = Rewrite("result-unread", "Take the statement away", find)
