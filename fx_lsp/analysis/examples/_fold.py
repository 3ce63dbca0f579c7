"""A slice as short as it can be said: `net = Net()`, `x = torch.randn(2)`, `net(x)` is `Net()(torch.randn(2))`."""

from __future__ import annotations

import ast
from keyword import iskeyword

from fx_lsp.model import syntax
from fx_lsp.model.example import trains

MAX_CALL = 120
"""Characters of a call that names are folded into."""


def fold(statements: list[ast.stmt], call: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """The same run with fewer statements: what only the call uses, and only once, is written there."""
    kept = [statement for statement in statements if not isinstance(statement, ast.Pass)]
    if not trains(*map(ast.unparse, (*kept, call))):
        kept = [statement for statement in kept if not _is_eval(statement)]  # an example runs in `eval()` anyway
    while kept and (assigned := _assigned(kept[-1])) is not None:
        name, value = assigned
        if not _once(call, name):
            break
        folded = _Put(name, value).visit(syntax.expression(ast.unparse(call)).body)
        if len(ast.unparse(folded)) > MAX_CALL:
            break
        call = folded
        kept.pop()
    return kept, _Flat().visit(call)


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target, value = statement.target, statement.value
    else:
        return None
    return (target.id, value) if isinstance(target, ast.Name) else None


def _is_eval(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.args or call.keywords:
        return False
    return call.func.attr == "eval" and isinstance(call.func.value, ast.Name)


def _once(call: ast.expr, name: str) -> bool:
    """Whether the name is read exactly once, and not where that may happen again or later."""
    delayed = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    nodes = list(ast.walk(call))
    reads = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    return len(reads) == 1 and not any(isinstance(node, delayed) for node in nodes)


class _Put(ast.NodeTransformer):
    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.value if node.id == self.name else node


class _Flat(ast.NodeTransformer):
    """`f(*(x, y), **{"z": z})` is `f(x, y, z=z)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        positional: list[ast.expr] = []
        for argument in node.args:
            value = argument.value if isinstance(argument, ast.Starred) else None
            positional += value.elts if isinstance(value, (ast.Tuple, ast.List)) else [argument]
        named: list[ast.keyword] = []
        for keyword in node.keywords:
            named += _named(keyword.value) if keyword.arg is None and _is_named(keyword.value) else [keyword]
        node.args, node.keywords = positional, named
        return node


def _is_named(node: ast.expr) -> bool:
    keys = node.keys if isinstance(node, ast.Dict) else [None]
    return all(isinstance(key, ast.Constant) and _is_name(key.value) for key in keys)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier() and not iskeyword(value)


def _named(node: ast.expr) -> list[ast.keyword]:
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    return [ast.keyword(key.value, value) for key, value in pairs if isinstance(key, ast.Constant)]  # type: ignore[arg-type]
