"""How a file writes names that annotations need, and the imports that it lacks."""

from __future__ import annotations

import ast
from functools import lru_cache

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.rewrites._file import File
from fx_lsp.analysis.rewrites._write import Unwritable, inserted
from fx_lsp.analysis.source import docstring, parsed
from fx_lsp.model.span import Span

Import = ast.Import | ast.ImportFrom


class Imports:
    """Of one file; collects what has to be added above a line of it."""

    def __init__(self, file: File, line: int) -> None:
        self._file, self._wanted = file, dict[str, list[str]]()
        tree = file.source.tree
        self._body = tree.body if tree is not None else []
        self._above = [one for one in self._body if isinstance(one, Import) and one.lineno < line]

    def spelled(self, module: str, name: str) -> str:
        """How the file writes `module.name`.

        Raises:
            Unwritable: the file has something else under that name.
        """
        full = f"{module}.{name}"
        for own, dotted in self._file.imports.items():
            if dotted == full and any(own == (one.asname or one.name) for s in self._above for one in s.names):
                return own
        for own, dotted in self._file.imports.items():
            if dotted == module and any(isinstance(one, ast.Import) for one in self._above):
                return f"{own}.{name}"
        if self._has(name):
            raise Unwritable
        wanted = self._wanted.setdefault(module, [])
        if name not in wanted:
            wanted.append(name)
        return name

    def _has(self, name: str) -> bool:
        """Whether something of the file has or reads that name; most texts are told at a glance."""
        text = self._file.source.text
        return (name in text or not text.isascii()) and name in _names(self._file.source.path, text)

    def changes(self) -> Changes:
        """What adds the imports, each in one piece with those that it belongs to."""
        found: list[tuple[Span, str]] = []
        lines: dict[int, list[str]] = {}
        for module, names in sorted(self._wanted.items()):
            statement = self._of(module)
            if statement is not None:
                found += self._joined(statement, names)
            else:
                text = f"from {module} import {', '.join(sorted(names, key=_order))}"
                lines.setdefault(self._line(module), []).append(text)
        return (*found, *(inserted(self._file, line, *self._spaced(line, texts)) for line, texts in lines.items()))

    def _of(self, module: str) -> ast.ImportFrom | None:
        """A statement that imports from the module."""
        for one in self._above:
            if isinstance(one, ast.ImportFrom) and one.module == module and not one.level and one.names[0].name != "*":
                return one
        return None

    def _joined(self, statement: ast.ImportFrom, names: list[str]) -> list[tuple[Span, str]]:
        """Names put among those of a statement, in the order that they have there."""
        found: dict[tuple[int, int], str] = {}
        for name in sorted(names, key=_order):
            after = next((one for one in statement.names if _order(one.name) > _order(name)), None)
            last = statement.names[-1]
            if after is not None:
                place, text = (after.lineno, after.col_offset), f"{name}, "
            else:
                place, text = (last.end_lineno or last.lineno, last.end_col_offset or 0), f", {name}"
            found[place] = found.get(place, "") + text
        path = self._file.source.path
        return [(Span(path, line, column, line, column), text) for (line, column), text in found.items()]

    def _line(self, module: str) -> int:
        """Before which line it belongs: among the imports that stand with torch's, else after the last, else on top."""
        block = _together(self._above)
        for one in block:
            if isinstance(one, ast.ImportFrom) and not one.level and _order(one.module or "") > _order(module):
                return one.lineno
        said = docstring(self._body)
        above = block[-1] if block else said
        return (above.end_lineno or above.lineno) + 1 if above is not None else 1

    def _spaced(self, line: int, texts: list[str]) -> list[str]:
        """Lines below a docstring stand apart from it."""
        said = docstring(self._body)
        return ["", *texts] if said is not None and line == (said.end_lineno or 0) + 1 else texts


@lru_cache(maxsize=4)
def _names(path: str, text: str) -> frozenset[str]:
    """Every name that something of a file has or reads."""
    found: set[str] = set()
    tree = parsed(path, text).tree
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
    return frozenset(found)


def _together(imports: list[Import]) -> list[Import]:
    """The lines of imports around the first of torch; else those around the last one."""
    blocks: list[list[Import]] = []
    for one in imports:
        near = blocks and one.lineno == (blocks[-1][-1].end_lineno or 0) + 1
        if near:
            blocks[-1].append(one)
        else:
            blocks.append([one])
    return next((block for block in blocks if any(_of_torch(one) for one in block)), blocks[-1] if blocks else [])


def _of_torch(statement: Import) -> bool:
    modules = [one.name for one in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
    return any(module.partition(".")[0] == "torch" for module in modules)


def _order(name: str) -> tuple[int, str]:
    """As import sorters do: constants, classes, the rest."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name.lower()
