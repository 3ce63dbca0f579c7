"""Write an example above a module class, as a comment to fill in.

Before:
    class Net(nn.Module):
        def __init__(self, width, depth=2): ...
        def forward(self, x): ...
After:
    # fx: Net(width)(f32[B, ...])
    class Net(nn.Module): ...
"""

from __future__ import annotations

import ast

from fx_lsp.analysis.actions import Action, Edit
from fx_lsp.analysis.coverage import Coverage, coverage
from fx_lsp.analysis.snapshot import ModuleClass, Snapshot
from fx_lsp.model.span import Span

INPUT = "f32[B, 3, 64, 64]"
"""A tensor to start from."""


def find(snapshot: Snapshot, line: int, column: int) -> Edit | None:
    """On offer in the `class` statement, and inside a class that did not run."""
    entry = _entry(snapshot, line)
    if entry is None:
        return None
    module = entry.module
    node = _class(snapshot.text, module)
    if node is None:
        return None
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    indent = " " * node.col_offset
    example = entry.trace.call if entry.trace is not None and _own(entry, snapshot) else _draft(node, module.name)
    place = Span(snapshot.path, first, 0, first, 0)
    return Edit(f"Write an example for {module.name}", snapshot.path, ((place, f"{indent}# fx: {example}\n"),))


def _own(entry: Coverage, snapshot: Snapshot) -> bool:
    trace = entry.trace
    return trace is not None and trace.example.target == entry.module.name and not trace.example.setup


def _entry(snapshot: Snapshot, line: int) -> Coverage | None:
    inside = [entry for entry in coverage(snapshot) if entry.module.line <= line <= entry.module.end_line]
    if not inside:
        return None
    entry = max(inside, key=lambda entry: entry.module.line)
    return entry if entry.use is None or line == entry.module.line else None


def _class(text: str, module: ModuleClass) -> ast.ClassDef | None:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    short = module.name.rpartition(".")[2]
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == short]
    return next((node for node in found if node.lineno == module.line), None)


def _draft(node: ast.ClassDef, name: str) -> str:
    inputs = ", ".join([INPUT] * max(len(_required(node, "forward")), 1))
    return f"{name}({', '.join(_required(node, '__init__'))})({inputs})"


def _required(node: ast.ClassDef, method: str) -> list[str]:
    """Names of the method's parameters that have no default, without `self`."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == method:
            arguments = statement.args
            positional = [*arguments.posonlyargs, *arguments.args]
            positional = positional[: len(positional) - len(arguments.defaults)]
            keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            return [argument.arg for argument in positional[1:]] + [
                f"{argument.arg}={argument.arg}" for argument, default in keywords if default is None
            ]
    return []


ACTION = Action(id="insert-example", title="Write an example", find=find)
