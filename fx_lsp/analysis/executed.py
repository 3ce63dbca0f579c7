"""What of a notebook runs when it is imported: what defines things, and nothing that does things.

A script keeps what it does behind `if __name__ == "__main__":`; a notebook trains, plots and downloads between its
classes.  Whatever else a call needs becomes part of the example.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from fx_lsp.analysis.modules import own_method
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.source import Source, blocks, parsed

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_BINDINGS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_SETTINGS = frozenset(("sys.path.append", "sys.path.insert", "sys.path.extend", "torch.set_default_dtype"))
"""Calls that say how what follows is imported or built."""
_DOES = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
_SAYS_NOTHING = re.compile(rb"\s*(#.*)?")


def executed(path: str, text: str) -> str:
    """The text with nothing in place of what does not run; every other character stays where it is."""
    source = parsed(path, text)
    if source.tree is None:
        return text
    needed = _needed(source)
    lines = [line.encode("utf-8", "surrogatepass") for line in source.lines]
    for number, statement in enumerate(source.tree.body):
        if not _runs(statement, needed) or (_is_future(statement) and number > 0):
            _blank(lines, statement)
    return "\n".join(line.decode("utf-8", "surrogatepass") for line in lines)


def _runs(statement: ast.stmt, needed: set[str]) -> bool:
    """Whether it only defines things, or is needed by what does."""
    if isinstance(statement, (*_DEFINITIONS, *_IMPORTS, ast.Pass)):
        return True
    if isinstance(statement, _BINDINGS):
        return not _does(statement) or bool(_bound(statement) & needed)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return dotted(statement.value.func) in _SETTINGS
    if isinstance(statement, (ast.If, ast.Try)):
        return all(_runs(inner, needed) for inner in blocks(statement)) and not _does(getattr(statement, "test", None))
    return False


def _needed(source: Source) -> set[str]:
    """Names that the models read, and what those are made of: what has to be there when one runs."""
    body = source.tree.body if source.tree is not None else []
    found: set[str] = set()
    queue = [part for statement in body for part in _roots(statement)]
    while queue:
        for name in _read(queue.pop()) - found:
            found.add(name)
            queue += [one for one in source.bindings.get(name, ()) if isinstance(one, (*_DEFINITIONS, *_BINDINGS))]
    return found


def _roots(statement: ast.stmt) -> Iterator[ast.AST]:
    """A class that has a `forward`; of everything else what is evaluated where it is defined."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from statement.decorator_list
        yield statement.args
    elif isinstance(statement, ast.ClassDef) and own_method(statement, "forward") is not None:
        yield statement
    elif isinstance(statement, ast.ClassDef):
        yield from (*statement.decorator_list, *statement.bases, *statement.keywords)
        for inner in statement.body:
            yield from [inner] if not isinstance(inner, _DEFINITIONS) else _roots(inner)


def _read(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _bound(statement: ast.stmt) -> set[str]:
    return {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _does(node: ast.AST | None) -> bool:
    return node is not None and any(isinstance(one, _DOES) for one in ast.walk(node))


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _blank(lines: list[bytes], statement: ast.stmt) -> None:
    """Spaces; where other statements stand on the same lines, an empty tuple as wide as this one."""
    first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    start, end = statement.col_offset, statement.end_col_offset or 0
    shared = lines[first][:start].strip() or not _SAYS_NOTHING.fullmatch(lines[last][end:])
    wide = first < last or end - start > 1
    for number in range(first, last + 1):
        line = lines[number]
        left, right = start if number == first else 0, end if number == last else len(line)
        lines[number] = line[:left] + b" " * (right - left) + line[right:]
    if shared:
        lines[first] = lines[first][:start] + (b"(" if wide else b"0") + lines[first][start + 1 :]
    if shared and wide:
        lines[last] = lines[last][: end - 1] + b")" + lines[last][end:]
