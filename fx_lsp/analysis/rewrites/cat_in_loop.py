"""A tensor that grows in a loop is copied in every round.

Before:
    for x in parts:
        out = torch.cat([out, x], dim=1)
After:
    outs = [out]
    for x in parts:
        outs.append(x)
    out = torch.cat(outs, dim=1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, indent, inserted
from fx_lsp.model.span import Span


def find(flow: Flow) -> Iterator[Found]:
    """Loops that read the tensor for nothing else."""
    for loop in ast.walk(flow.function):
        for statement in loop.body if isinstance(loop, ast.For | ast.While) and not loop.orelse else ():
            parts = _grows(flow, statement)
            if parts is None or not isinstance(loop, ast.For | ast.While):
                continue
            name, rest, call = parts
            read = [node for node in ast.walk(loop) if isinstance(node, ast.Name) and node.id == name]
            if len(read) == 2:
                try:
                    yield Found(statement, _moved(flow, loop, statement, name, rest, call))
                except Unwritable:
                    continue


def _grows(flow: Flow, statement: ast.stmt) -> tuple[str, list[ast.expr], ast.Call] | None:
    """The name, what is added to it, and the call, of `out = torch.cat([out, x], dim)`."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None
    call, name = statement.value, statement.targets[0].id
    if not isinstance(call, ast.Call) or flow.file.dotted(call.func) not in ("torch.cat", "torch.concat"):
        return None
    items = call.args[0].elts if call.args and isinstance(call.args[0], ast.List | ast.Tuple) else []
    first = items[0] if len(items) > 1 else None
    own = isinstance(first, ast.Name) and first.id == name and flow.file.ran(call) is not None
    return (name, items[1:], call) if own else None


def _moved(
    flow: Flow, loop: ast.For | ast.While, statement: ast.stmt, name: str, rest: list[ast.expr], call: ast.Call
) -> tuple[tuple[Span, str], ...]:
    file = flow.file
    before, end = indent(file, loop), loop.end_lineno or loop.lineno
    taken = {node.id for node in ast.walk(flow.function) if isinstance(node, ast.Name)}
    several = next(one for one in (f"{name}s", f"{name}_parts", f"{name}_parts_") if one not in taken)
    if statement.lineno != statement.end_lineno:
        raise Unwritable
    items = ", ".join(file.text(one) for one in rest)
    add = f"{several}.append({items})" if len(rest) == 1 else f"{several}.extend([{items}])"
    whole, group = file.text(call), file.text(call.args[0])
    joined = whole.replace(group, several, 1)
    return (
        inserted(file, loop.lineno, f"{before}{several} = [{name}]"),
        (file.source.span(statement), add),
        inserted(file, end + 1, f"{before}{name} = {joined}"),
    )


RULE = Rewrite("cat-in-loop", "Join once, after the loop", find)
