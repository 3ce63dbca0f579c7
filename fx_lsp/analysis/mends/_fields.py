"""What is written in a file for a name: in a configuration, an option of a program, a variable of the whole file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from fx_lsp.analysis.mends._bound import assigned
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.source import Source, walk


def fields(source: Source, name: str) -> Iterator[ast.expr]:
    """What is written for a field of a configuration or a model: a keyword, a key, a field or property of a class."""
    plain = (ast.Constant, ast.List, ast.Tuple)
    yield from (one.value for one in source.every(ast.keyword) if one.arg == name and isinstance(one.value, plain))
    for one in source.every(ast.Dict):
        yield from (value for key, value in zip(one.keys, one.values, strict=True)
                    if isinstance(key, ast.Constant) and key.value == name)  # fmt: skip
    yield from whole(source, name)
    for one in source.every(ast.Call):
        if called(one) == "add_argument" and f"--{name}" in map(_option, one.args):
            yield from (given.value for given in one.keywords if given.arg == "default")
    for part in (part for one in source.every(ast.ClassDef) for part in one.body):
        if isinstance(part, ast.Assign | ast.AnnAssign) and part.value is not None:
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            yield from [part.value] if any(isinstance(one, ast.Name) and one.id == name for one in targets) else []
        elif isinstance(part, ast.FunctionDef) and part.name == name and part.decorator_list:
            values = [inner.value for inner in walk(part) if isinstance(inner, ast.Return)]
            yield from (value for value in values if value is not None)
        elif isinstance(part, ast.FunctionDef) and part.name == "__init__":
            yield from assigned(source, part.body[0], name)


def bound(statement: ast.Assign, name: str) -> Iterator[ast.expr]:
    for target in statement.targets:
        if isinstance(target, ast.Name) and target.id == name:
            yield statement.value
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            yield from (value for part, value in zip(target.elts, statement.value.elts, strict=False)
                        if isinstance(part, ast.Name) and part.id == name)  # fmt: skip


def whole(source: Source, name: str) -> Iterator[ast.expr]:
    """What a variable of the whole file is bound to."""
    for one in source.bindings.get(name, ()):
        if isinstance(one, ast.Assign):
            yield from bound(one, name)
        elif isinstance(one, ast.AnnAssign) and one.value is not None:
            yield one.value


def _option(node: ast.expr) -> str:
    """An option as the field of its name."""
    text = node.value if isinstance(node, ast.Constant) else None
    return f"--{text.lstrip('-').replace('-', '_')}" if isinstance(text, str) else ""


def alike(node: ast.expr, size: int, files: Iterable[Source]) -> Iterator[str]:
    """Other fields of the configuration of which one is written, that have this size by default: `cfg.channels`."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return
    for source in files:
        for owner in source.every(ast.ClassDef):
            fields = {one.target.id: one.value.value for one in owner.body if isinstance(one, ast.AnnAssign)
                      and isinstance(one.target, ast.Name) and isinstance(one.value, ast.Constant)}  # fmt: skip
            others = [name for name, value in fields.items() if type(value) is int and value == size]
            if node.attr in fields:
                yield from (f"{node.value.id}.{name}" for name in others if name != node.attr)
