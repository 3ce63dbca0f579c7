"""Lists of lists as arguments, one for each stage: `for width, repeats, stride in stages`, `len(anchors[0])`."""

from __future__ import annotations

import ast
import functools
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from fx_lsp.worker.inference.live import parsed
from fx_lsp.worker.inference.meaning import OTHERS, argument
from fx_lsp.worker.inference.names import text_of

_AROUND = frozenset({"enumerate", "reversed", "list", "tuple", "zip"})
_LETTERS = {"t": "2", "e": "2", "k": "3", "s": "1", "p": "1", "r": "1", "d": "1", "n": "1", "g": "1"}
"""What a name of one letter is in the description of a layer: expansion, kernel, stride, padding, repeats."""
MAX_PLACES = 8
STAGES = 2
WIDE = "64"


def rows(cls: type, name: str) -> List[str]:
    """What may be given for an argument that the constructor goes through or looks into as a list of lists; none where
    it does not."""
    found: Optional[Sequence[str]] = None
    for function in _constructors(cls):
        for node in ast.walk(function):
            if isinstance(node, (ast.For, ast.comprehension)):
                for target, value in _pairs(node.target, node.iter):
                    if _named(value) == name:
                        found = _larger(found, _row(function, target, name))
            elif isinstance(node, ast.Subscript) and _named(node.value) == name and not _is_slice(node):
                found = _larger(found, _of_value(function, node, name))
    if found is None:
        return []
    row = f"({', '.join(found)},)" if len(found) == 1 else f"({', '.join(found)})"
    return [f"[{', '.join([row] * count)}]" for count in (STAGES, 1, 4)]


@functools.cache
def _constructors(cls: type) -> Tuple[ast.FunctionDef, ...]:
    nodes = ast.walk(ast.Module(parsed(text_of(cls)), []))
    return tuple(one for one in nodes if isinstance(one, ast.FunctionDef) and one.name == "__init__")


def _is_slice(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Slice)


def _named(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _larger(one: Optional[Sequence[str]], other: Optional[Sequence[str]]) -> Optional[Sequence[str]]:
    return other if one is None or (other is not None and len(other) > len(one)) else one


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[Tuple[ast.expr, ast.expr]]:
    """What each part of a target goes through."""
    called = _named(value.func) if isinstance(value, ast.Call) else ""
    if isinstance(value, ast.Call) and called in _AROUND and value.args:
        parts = target.elts if isinstance(target, ast.Tuple) else []
        if called == "enumerate" and len(parts) == 2:
            yield from _pairs(parts[1], value.args[0])
        elif called == "zip" and len(parts) == len(value.args):
            for one, other in zip(parts, value.args):
                yield from _pairs(one, other)
        elif called not in ("enumerate", "zip"):
            yield from _pairs(target, value.args[0])
    elif isinstance(value, ast.Subscript) and _is_slice(value):
        yield from _pairs(target, value.value)
    else:
        yield target, value


def _row(function: ast.FunctionDef, target: ast.expr, name: str) -> Optional[Sequence[str]]:
    """What each is, by what it is unpacked to or by how it is looked into."""
    if isinstance(target, (ast.Tuple, ast.List)):
        if any(not isinstance(one, ast.Name) for one in target.elts):
            return None
        return [_meant(_named(one)) for one in target.elts]
    return _read(function, _named(target), name) if _named(target) else None


def _read(function: ast.FunctionDef, variable: str, name: str) -> Optional[Sequence[str]]:
    found: Optional[Sequence[str]] = None
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _named(node.value) == variable:
            found = (
                _larger(found, _row(function, node.targets[0], name))
                if isinstance(node.targets[0], ast.Tuple)
                else found
            )
        elif isinstance(node, ast.Name) and node.id == variable and isinstance(node.ctx, ast.Load):
            found = _larger(found, _of_value(function, node, name))
    return found


def _of_value(function: ast.FunctionDef, value: ast.expr, name: str) -> Optional[Sequence[str]]:
    """What an expression is that stands for one of them; None where nothing says that it is a list."""
    above = _above(function).get(value)
    size = _size(name)
    if isinstance(above, ast.Subscript) and above.value is value:
        place = above.slice.value if isinstance(above.slice, ast.Constant) else 1
        return [size] * (place + 1) if isinstance(place, int) and 0 <= place < MAX_PLACES else None
    if (
        isinstance(above, ast.Call)
        and _named(above.func) in ("len", "enumerate", "list", "tuple", "zip")
        and value in above.args
    ):
        return [size, size]
    goes_through = isinstance(above, (ast.For, ast.comprehension)) and above.iter is value
    return [size, size] if goes_through else None


@functools.cache
def _above(function: ast.FunctionDef) -> Dict[ast.AST, ast.AST]:
    return {below: node for node in ast.walk(function) for below in ast.iter_child_nodes(node)}


def _size(name: str) -> str:
    usual = [text for text in argument(name) if text.isdigit()]
    return usual[0] if usual else WIDE


def _meant(name: str) -> str:
    letter = _LETTERS.get(name.lower().strip("_"), "")
    usual = argument(name)
    return letter or (usual[0] if usual is not OTHERS and usual[0][0] not in "([" else WIDE)
