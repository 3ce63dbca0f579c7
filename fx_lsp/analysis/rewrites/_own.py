"""Rules that a workspace writes itself, as pairs of plain functions; they are read and never run.

    import torch

    def before(x, y):
        return torch.add(x, y)

    def after(x, y):
        return torch.mul(x, y)

A file may hold several pairs: `before_relu` belongs to `after_relu`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from fx_lsp.analysis.rewrites import Rewrite, pairs
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.source import parsed
from fx_lsp.model import syntax
from fx_lsp.model.span import Span

FILE = "fx_rewrites.py"
"""Where they are, below the root, when the configuration names no other file."""
SAYS = "a rule of this workspace"
_MODULES = {"torch": "torch", "torch.nn.functional": "F", "torch.nn": "nn", "math": "math"}


class Unreadable(Exception):
    """A function is more than an expression with names; the message says why."""

    def __init__(self, message: str, node: ast.stmt) -> None:
        super().__init__(message)
        self.node = node


@lru_cache(maxsize=4)
def own_rewrites(path: str, text: str) -> tuple[tuple[Rewrite, ...], tuple[tuple[Span, str], ...]]:
    """The rules in a file, and what is wrong in it."""
    source = parsed(path, text)
    body = source.tree.body if source.tree is not None else []
    functions = {one.name: one for one in body if isinstance(one, ast.FunctionDef)}
    imports = File(source, {}, {}).imports
    rules: list[Rewrite] = []
    wrong: list[tuple[Span, str]] = []
    for name, before in functions.items():
        if not name.startswith(("before", "after")):
            continue
        other = "after" + name[6:] if name.startswith("before") else "before" + name[5:]
        if other not in functions:
            wrong.append((source.span(before), f"`{name}` needs a function `{other}` beside it"))
        elif name.startswith("before"):
            try:
                rules.append(_rule(name, before, functions[other], imports))
            except Unreadable as error:
                wrong.append((source.span(error.node), str(error)))
    return tuple(rules), tuple(wrong)


def _rule(name: str, before: ast.FunctionDef, after: ast.FunctionDef, imports: Mapping[str, str]) -> Rewrite:
    given = [one.arg for one in before.args.args]
    if [one.arg for one in after.args.args] != given:
        raise Unreadable(f"`{after.name}` takes other arguments than `{before.name}`", after)
    texts = [ast.unparse(_expression(one, imports)) for one in (before, after)]
    known = {node.id for node in ast.walk(syntax.expression(texts[0])) if isinstance(node, ast.Name)}
    if missing := [one for one in given if one not in known]:
        raise Unreadable(f"`{before.name}` does not use `{missing[0]}`", before)
    title = (ast.get_docstring(before) or f"{texts[0]} → {texts[1]}").split("\n")[0]
    return Rewrite(
        f"own:{name[len('before') :].strip('_') or 'own'}", title, pairs((texts[0], texts[1]), says=SAYS, other=True)
    )


def _expression(function: ast.FunctionDef, imports: Mapping[str, str]) -> ast.expr:
    """What it returns, with its variables filled in."""
    known: dict[str, ast.expr] = {}
    names = {one.arg for one in function.args.args}
    for statement in function.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, ast.Return) and statement.value is not None:
            return _Filler(known, names, imports, statement).visit(statement.value)
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Name):
            raise Unreadable("a rule is made of assignments to one name and a `return`", statement)
        known[target.id] = _Filler(known, names, imports, statement).visit(statement.value)
    raise Unreadable(f"`{function.name}` returns nothing", function)


class _Filler(ast.NodeTransformer):
    def __init__(
        self, known: Mapping[str, ast.expr], names: set[str], imports: Mapping[str, str], statement: ast.stmt
    ) -> None:
        self.known, self.names, self.imports, self.statement = known, names, imports, statement

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.known:
            return self.known[node.id]
        if node.id in self.names:
            return node
        dotted = self.imports.get(node.id, "")
        if dotted in _MODULES:
            return ast.Name(_MODULES[dotted], ast.Load())
        module, _, name = dotted.rpartition(".")
        if module in _MODULES:
            return ast.Attribute(ast.Name(_MODULES[module], ast.Load()), name, ast.Load())
        raise Unreadable(f"`{node.id}` is neither an argument nor from torch", self.statement)
