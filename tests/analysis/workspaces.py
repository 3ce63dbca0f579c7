"""Workspaces in memory for the tests of what is found in them."""

from __future__ import annotations

import ast
import builtins
from textwrap import dedent

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples import finders
from fx_lsp.analysis.examples._free import free_names
from fx_lsp.analysis.snapshot import Problem
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import DTYPES, Example, fill
from fx_lsp.model.span import Span

ROOT = "/w"

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=3):
        super().__init__()

    def forward(self, x):
        return x
"""


def workspace(files: dict[str, str] | str) -> Workspace:
    """Files by path relative to the root; a single text is `model.py`."""
    given = {"model.py": files} if isinstance(files, str) else files
    texts = {f"{ROOT}/{path}": dedent(text) for path, text in given.items()}
    return Workspace(ROOT, texts.get, lambda: list(texts))


def found(space: Workspace, origin: str, path: str = "model.py", config: Config | None = None) -> list[Example]:
    """Examples of one origin for a file; each of them must run in its scope as far as names go."""
    items = finders()[origin].find(space, config or Config(), f"{ROOT}/{path}")
    examples = [item for item in items if isinstance(item, Example)]
    for example in examples:
        assert_self_contained(space, example)
    return examples


def problems(space: Workspace, origin: str, path: str = "model.py", config: Config | None = None) -> list[Problem]:
    """Mistakes that the finder of one origin reports for a file."""
    items = finders()[origin].find(space, config or Config(), f"{ROOT}/{path}")
    return [item for item in items if isinstance(item, Problem)]


def marked(space: Workspace, span: Span) -> str:
    """The text that a span covers, which must lie on one line."""
    text = space.text(span.path)
    assert text is not None
    assert span.line == span.end_line
    return text.split("\n")[span.line - 1].encode()[span.column : span.end_column].decode()


def assert_self_contained(space: Workspace, example: Example) -> None:
    """Every name is defined by the setup before it is read, by the scope's file, or built in."""
    source = space.source(example.scope)
    assert source is not None
    known = {*dir(builtins), *source.bindings, *DTYPES, "__file__"}
    call, _ = fill(example.call, {})
    for statement in [*ast.parse(example.setup).body, ast.parse(call).body[0]]:
        nodes = list(ast.walk(statement))
        known |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for inner in nodes:
            if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
                known.add(inner.name)
            elif isinstance(inner, (ast.Import, ast.ImportFrom)):
                known |= {alias.asname or alias.name.partition(".")[0] for alias in inner.names}
        missing = set() if isinstance(statement, ast.FunctionDef) else free_names(statement) - known
        assert not missing or source.stars, (missing, example.setup, example.call)
