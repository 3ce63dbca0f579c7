"""A slice as short as it can be said: `net = Net()`, `x = torch.randn(2)`, `net(x)` is `Net()(torch.randn(2))`."""

from __future__ import annotations

import ast

MAX_CALL = 120
"""Characters of a call that names are folded into."""


def fold(statements: list[ast.stmt], call: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """The same run with fewer statements: what only the call uses, and only once, is written there."""
    kept = [statement for statement in statements if not isinstance(statement, ast.Pass)]
    if not any("train(" in ast.unparse(node) for node in (*kept, call)):
        kept = [statement for statement in kept if not _is_eval(statement)]  # an example runs in `eval()` anyway
    while kept and (assigned := _assigned(kept[-1])) is not None:
        name, value = assigned
        if not _once(call, name):
            break
        folded = _Put(name, value).visit(ast.parse(ast.unparse(call), mode="eval").body)
        if len(ast.unparse(folded)) > MAX_CALL:
            break
        call = folded
        kept.pop()
    return kept, call


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
