"""Code in documentation: fenced blocks of a README, `>>>` lines and fenced blocks of docstrings.

Each is a file of its own, next to the one it stands in and with the same line numbers, so that everything that holds
for scripts holds for it.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from textwrap import dedent

from fx_lsp.analysis.names import run_name
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.span import Span

_MARK = "#snippet"
_FENCE = re.compile(r"^([ \t]*)```[ \t]*(?:python|py|python3|pycon)\b[^\n]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: (.*))?$")
_NAMES = ("README.md", "readme.md", "README.rst")
MAX_SNIPPETS = 200
"""Blocks of one README or docstring."""


def is_snippet(path: str) -> bool:
    """Whether the path is that of code in documentation."""
    return _MARK in path


def snippet_span(span: Span) -> Span:
    """The place in the file that is documentation; the columns are those of the code, whose indent is left out."""
    return replace(span, path=span.path.partition(_MARK)[0]) if is_snippet(span.path) else span


def snippets(workspace: Workspace, path: str) -> list[str]:
    """Paths of the code in a file's docstrings and in the READMEs above it."""
    return workspace.memo(("snippets", path), lambda: _snippets(workspace, path))


def _snippets(workspace: Workspace, path: str) -> list[str]:
    found: list[str] = []
    for readme in _readmes(workspace, path):
        for line, code in islice(_fenced(workspace.text(readme) or ""), MAX_SNIPPETS):
            found.append(_written(workspace, readme, line, code, ""))
    source = workspace.source(path)
    name = run_name(workspace, path, path)
    for node in ast.walk(source.tree) if source is not None and source.tree is not None else ():
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (place := _docstring(node)) is not None:
            for line, code in islice(chain(_fenced(place.value), _prompted(place.value)), MAX_SNIPPETS):
                # what stands in the file is known to its docstrings
                head = f"from {name} import *; " if name else ""
                found.append(_written(workspace, path, place.lineno + line - 1, code, head))
    return found


def _readmes(workspace: Workspace, path: str) -> Iterator[str]:
    folder = os.path.dirname(path)
    while folder.startswith(workspace.root):
        for name in _NAMES:
            if workspace.exists(os.path.join(folder, name)):
                yield os.path.join(folder, name)
                break
        folder = os.path.dirname(folder)


def _written(workspace: Workspace, path: str, line: int, code: str, head: str) -> str:
    snippet = f"{path}{_MARK}{line}.py"
    workspace.write(snippet, head + "\n" * (line - 1) + code)
    return snippet


def _docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> ast.Constant | None:
    first = node.body[0] if node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _fenced(text: object) -> Iterator[tuple[int, str]]:
    """Line (from 1, in the text) and code of each fenced block."""
    line, before = 1, 0
    for match in _FENCE.finditer(str(text)):
        line, before = line + str(text).count("\n", before, match.start(2)), match.start(2)
        code = dedent(match[2])
        if any(_PROMPT.match(each) for each in code.splitlines()):
            for offset, prompted in _prompted(code):
                yield line + offset - 1, prompted
        else:
            yield line, code


def _prompted(text: object) -> Iterator[tuple[int, str]]:
    """The `>>>` lines of a text as one block; what they print is left out."""
    if "```" in str(text):
        return
    lines = [_PROMPT.match(line) for line in str(text).split("\n")]
    first = next((number for number, match in enumerate(lines) if match), None)
    if first is not None:
        yield first + 1, "\n".join((match[1] or "") if match else "" for match in lines[first:])
