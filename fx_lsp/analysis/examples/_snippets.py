"""Code in documentation: notebooks, blocks in READMEs and other documents, `>>>` lines and blocks of docstrings.

Each is a file of its own, next to the one it stands in and with the same line numbers, so that everything that holds
for scripts holds for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from fx_lsp.analysis.examples._blocks import Block, blocks_of, continued
from fx_lsp.analysis.examples._notebook import notebook_code
from fx_lsp.analysis.names import run_name
from fx_lsp.analysis.source import docstring
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.span import Span

_MARK = "#snippet"
WITH_CODE = (".ipynb", ".md", ".rst")
"""How the names of documents end that may hold code."""
MAX_SNIPPETS = 200
"""Blocks of one document or docstring."""
MAX_DOCUMENT = 1 << 20
"""Characters of a document; what is longer was generated."""


def is_snippet(path: str) -> bool:
    """Whether the path is that of code in documentation."""
    return _MARK in path


def snippet_span(span: Span) -> Span:
    """The place in the file that is documentation; the columns are those of the code, whose indent is left out."""
    return replace(span, path=span.path.partition(_MARK)[0]) if is_snippet(span.path) else span


def in_docstrings(workspace: Workspace, path: str) -> list[str]:
    """Paths of the code in the docstrings of a file."""
    return workspace.memo(("docstrings", path), lambda: _in_docstrings(workspace, path))


def in_document(workspace: Workspace, path: str) -> list[str]:
    """Paths of the code in a notebook, a Markdown or a reStructuredText file."""
    return workspace.memo(("document", path), lambda: _in_document(workspace, path))


def _in_docstrings(workspace: Workspace, path: str) -> list[str]:
    found: list[str] = []
    source = workspace.source(path)
    name = run_name(workspace, path, path)
    # what stands in the file is known to its docstrings
    head = f"from {name} import *" if name else ""
    for node in ast.walk(source.tree) if source is not None and source.tree is not None else ():
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and (place := docstring(node.body)) is not None
        ):
            found += _written(workspace, path, blocks_of(str(place.value)), place.lineno - 1, head)
    return found


def _in_document(workspace: Workspace, path: str) -> list[str]:
    text = workspace.text(path) or ""
    if path.endswith(".ipynb"):
        return _written(workspace, path, [Block(1, notebook_code(text))])
    if len(text) > MAX_DOCUMENT:
        return []
    return _written(workspace, path, continued(list(islice(blocks_of(text), MAX_SNIPPETS))))


def _written(workspace: Workspace, path: str, blocks: Iterable[Block], above: int = 0, head: str = "") -> list[str]:
    found: list[str] = []
    for number, block in enumerate(islice(blocks, MAX_SNIPPETS)):
        snippet = f"{path}{_MARK}{above}-{number}.py"
        before, lines = head or block.head, above + block.line - 1
        workspace.write(snippet, before + ("\n" * lines or "; " * bool(before)) + block.code)
        found.append(snippet)
    return found
