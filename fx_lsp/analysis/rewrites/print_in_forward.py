"""A `print` in a function that a model runs breaks its compilation and export.

Before:
    print(x.shape)
    return self.fc(x)
After:
    return self.fc(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, indent, inserted, removed, spelled

_LEVELS = frozenset({"debug", "info", "warning", "error", "log", "warning_once", "info_once"})


def find(flow: Flow) -> Iterator[Found]:
    """Statements of `forward` that only print or log."""
    for node in ast.walk(flow.function) if flow.owner is not None and flow.function.name == "forward" else ():
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(node, ast.Expr) or not isinstance(call, ast.Call) or id(node) not in flow.block:
            continue
        try:
            if isinstance(call.func, ast.Name) and call.func.id == "print" and len(flow.block[id(node)]) > 1:
                yield Found(node, (removed(flow.file, node),), "it does not print any more")
            elif _logs(flow, call.func) and not _is_guarded(flow, node):
                torch, imported = spelled(flow.file, "torch")
                before = indent(flow.file, node)
                step = indent(flow.file, flow.function.body[0])[flow.function.col_offset :]
                text = flow.file.text(node)
                if "\n" in text:
                    raise Unwritable
                guard = f"if not {torch}.compiler.is_compiling():"
                changes = (inserted(flow.file, node.lineno, before + guard), (flow.file.source.span(node), step + text))
                yield Found(
                    node, (*changes, *imported), "it does not log while it is compiled", "Log when not compiled"
                )
        except Unwritable:
            continue


def _logs(flow: Flow, func: ast.expr) -> bool:
    """Whether it is a method of a logger of the file, or a function of `logging`."""
    if not isinstance(func, ast.Attribute) or func.attr not in _LEVELS or not isinstance(func.value, ast.Name):
        return False
    if flow.file.dotted(func.value) == "logging":
        return True
    tree = flow.file.source.tree
    made = [one.value for one in (tree.body if tree is not None else ()) if isinstance(one, ast.Assign)
            and any(isinstance(to, ast.Name) and to.id == func.value.id for to in one.targets)]  # fmt: skip
    return bool(made) and all("getLogger" in ast.unparse(one) or "get_logger" in ast.unparse(one) for one in made)


def _is_guarded(flow: Flow, node: ast.stmt) -> bool:
    around = flow.parents.get(id(node))
    return isinstance(around, ast.If) and "is_compiling" in ast.unparse(around.test)


RULE = Rewrite("print-in-forward", "Take the print away", find)
