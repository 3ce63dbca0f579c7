"""Names under which the classes of a file are registered: `@register_model`, `@MODELS.register_module("net")`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples._instances import Instances
from fx_lsp.analysis.examples._sites import DEFINITIONS, Function
from fx_lsp.analysis.names import Definition, dotted
from fx_lsp.analysis.workspace import Workspace

MAX_QUOTING = 20
"""Files parsed because they quote a name."""
_NO_REGISTRY = frozenset(
    ["dataclass", "staticmethod", "classmethod", "property", "wraps", "contextmanager", "no_grad", "inference_mode",
     "script", "compile", "lru_cache", "cache", "overload", "final", "runtime_checkable", "fixture", "total_ordering",
     "parametrize", "deprecated", "require_torch", "abstractmethod", "command", "main", "define", "attrs"]
)  # fmt: skip
"""Decorators that register nothing."""


def registered(workspace: Workspace, path: str, instances: Instances) -> dict[str, Definition]:
    """Classes of the file, and functions of it that make one, by the names they are built under elsewhere."""
    source = workspace.source(path)
    found: dict[str, Definition] = {}
    for name, statements in source.bindings.items() if source is not None else ():
        node = statements[-1]
        definition = Definition(path, name, node)
        if isinstance(node, DEFINITIONS) and (words := list(_words(node))) and _makes(instances, definition):
            found.update(dict.fromkeys(words, definition))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and source is not None:
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                known = source.bindings.get(dotted(value) or "", [])
                made = Definition(path, dotted(value) or "", known[-1]) if known else None
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and made and _makes(instances, made):
                    found[key.value] = made
    return found


def quoting(workspace: Workspace, config: Config, path: str, names: frozenset[str]) -> list[str]:
    """Other files that write one of the names as a string."""
    found: list[str] = []
    for file, present in workspace.mentioning(names, config.exclude).items() if names else ():
        text = workspace.text(file) or ""
        if file != path and any(f'"{name}"' in text or f"'{name}'" in text for name in present):
            found.append(file)
    return found


def _makes(instances: Instances, definition: Definition) -> bool:
    if isinstance(definition.node, ast.ClassDef):
        return instances.is_module(definition)
    if not isinstance(definition.node, Function):
        return False
    made = instances.returned(definition)
    return made is not None and made.path == definition.path


def _words(node: ast.stmt) -> Iterator[str]:
    """The name of what is decorated, and those that a decorator gives it."""
    if not isinstance(node, DEFINITIONS):
        return
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (dotted(called) or "").rpartition(".")[2] in _NO_REGISTRY:
            continue
        yield node.name
        given = [*decorator.args, *(k.value for k in decorator.keywords)] if isinstance(decorator, ast.Call) else []
        for value in given:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value.value
