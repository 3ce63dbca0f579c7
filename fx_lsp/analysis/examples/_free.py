"""Names that a piece of code takes from around it."""

from __future__ import annotations

import ast
import copy
import symtable
from collections.abc import Iterable, Mapping


def free_names(node: ast.expr | ast.stmt) -> set[str]:
    """Names read from outside, at once or when a function in it is called; what it only assigns is not among them."""
    statement = node if isinstance(node, ast.stmt) else ast.Expr(node)
    text = ast.unparse(ast.fix_missing_locations(ast.Module([copy.copy(statement)], [])))
    found: set[str] = set()
    _collect(symtable.symtable(text, "slice", "exec"), found, top=True)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        found.discard(node.name)
    return found


def read_by_functions(names: Iterable[str], bindings: Mapping[str, Iterable[ast.stmt]]) -> set[str]:
    """What functions and classes read that have one of these names, or that a variable of such a name is made of."""
    found, queue = set[str](), [*names]
    seen = set(queue)
    while queue:
        for statement in bindings.get(queue.pop(), ()):
            defines = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            if defines or isinstance(statement, (ast.Assign, ast.AnnAssign)):
                new = free_names(statement)
                found |= new if defines else set()
                queue.extend(new - seen)
                seen |= new
    return found


def _collect(table: symtable.SymbolTable, found: set[str], top: bool = False) -> None:
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (top or symbol.is_global()):
            found.add(symbol.get_name())
    for child in table.get_children():
        _collect(child, found)
