"""What is wrong with the text of an example, as far as can be said without running it."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

from fx_lsp.analysis.source import PYTHON, Source, parse_small
from fx_lsp.model.example import DTYPES, ExampleError, fill, parse

_WORDS = {
    **{torch_name: short for short, torch_name in DTYPES.items()},
    **{"float": "f32", "double": "f64", "half": "f16", "long": "i64", "int": "i64", "short": "i16", "byte": "u8"},
    **{"b1": "b8", "bool_": "b8", "complex": "c64"},
}
_LIKE_A_DTYPE = re.compile(
    r"(?:bf|[fiubc])\d+\w*|(?:bfloat|float|int|uint|bool|complex|long|half|double|short|byte)\d*"
)
_SCALAR = re.compile(rf"\b(?:{'|'.join(DTYPES)})\s*\[(?=\s*\])")


@dataclass(frozen=True)
class Mistake:
    """Why a text is no example, and where: columns in characters of the text."""

    message: str
    column: int
    end_column: int


def find_mistake(call: str, known: Callable[[str], bool] | None = None) -> Mistake | None:
    """The first mistake of an example; `known` tells which names its file defines, None when that cannot be said."""
    try:
        tree = parse(call)
        fill(call, {})
    except RecursionError:
        return Mistake("this is nested too deeply", 0, max(len(call), 1))
    except ExampleError as error:
        column = min(_as_written(call, error.column), len(call))
        return Mistake(str(error), column, max(len(call), column + 1))
    return _wrong_size(call, tree) or _wrong_dtype(call, tree, known) or _wrong_name(call, tree, known)


def knows(source: Source, setup: str = "") -> Callable[[str], bool]:
    """Whether a name is defined or imported in a file, is built in, or is a dtype."""
    names = {*source.bindings, *DTYPES, *PYTHON, *_assigned(setup)}
    return lambda name: bool(source.stars) or name in names


def _assigned(setup: str) -> set[str]:
    tree = parse_small(setup).tree
    if tree is None:
        return set()
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
    return names


def _wrong_size(call: str, tree: ast.Expression) -> Mistake | None:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name) or node.value.id not in DTYPES:
            continue
        for dim in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            size = dim.upper if isinstance(dim, ast.Slice) else dim
            negative = isinstance(size, ast.UnaryOp) and isinstance(size.op, ast.USub)
            if negative or (isinstance(size, ast.Constant) and type(size.value) is not int):
                return _at(call, dim, f"{ast.unparse(dim)} is no size: a dim is a number or a name")
    return None


def _wrong_dtype(call: str, tree: ast.Expression, known: Callable[[str], bool] | None) -> Mistake | None:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            continue
        name = node.value.id
        is_number_type = name in ("float", "int", "bool", "complex")
        defined = known is not None and known(name) and not is_number_type
        if name in DTYPES or defined or not _LIKE_A_DTYPE.fullmatch(name):
            continue
        near = _WORDS.get(name) or next(iter(difflib.get_close_matches(name, DTYPES, 1, 0.3)), "f32")
        return _at(call, node.value, f"unknown dtype {name}, did you mean {near}?")
    return None


def _wrong_name(call: str, tree: ast.Expression, known: Callable[[str], bool] | None) -> Mistake | None:
    if not any(isinstance(node, ast.Call) for node in ast.walk(tree)):
        return Mistake("this calls nothing: an example is written Name(…)(f32[2, 3])", 0, max(len(call), 1))
    root: ast.expr = tree.body
    while isinstance(root, (ast.Call, ast.Attribute, ast.Subscript)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if known is None or not isinstance(root, ast.Name) or known(root.id):
        return None
    return _at(call, root, f"{root.id} is neither defined nor imported in this file")


def _at(call: str, node: ast.expr, message: str) -> Mistake:
    if "\n" in call.strip():
        return Mistake(message, 0, len(call))
    start = _as_written(call, _characters(call, node.col_offset))
    end = _as_written(call, _characters(call, node.end_col_offset or node.col_offset + 1))
    return Mistake(message, start, max(end, start + 1))


def _characters(call: str, column: int) -> int:
    return len(call.encode()[:column].decode(errors="ignore"))


def _as_written(call: str, column: int) -> int:
    """`parse` reads `i64[]` as `i64[()]`: a column of what it read, as a column of what was written."""
    for number, match in enumerate(_SCALAR.finditer(call)):
        if column - 2 * number <= match.end():
            return max(column - 2 * number, 0)
    return max(column - 2 * len(_SCALAR.findall(call)), 0)
