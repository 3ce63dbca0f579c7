"""A graph as Python, in the style of torch's `print_readable`.

    class GPT(torch.nn.Module):
        def forward(self, idx: "i64[2, 16]", targets = None):
            # transformer.wte: Embedding, gpt2.py:71
            embedding: "f32[2, 16, 768]" = torch.nn.functional.embedding(idx, transformer_wte_weight)

The statements are those of `torch.fx`, so that the text runs as the `forward` of the module.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass

from fx_lsp.model import syntax
from fx_lsp.model.graph import Graph, GraphNode
from fx_lsp.model.value import label

WIDTH = 120
"""Characters of a signature on one line."""

_INDENT = "    "
_BODY = 2 * _INDENT


@dataclass(frozen=True)
class GeneratedCode:
    """Python text, and where its lines come from."""

    text: str
    lines: tuple[tuple[int, int], ...]
    """Line from 0, and index in `Graph.spans`; only lines that come from the workspace."""


def code(graph: Graph) -> GeneratedCode:
    """The whole graph; of a half one what ran, and then the failing statement as a comment."""
    return _Writer(graph).written()


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lines: list[str] = []
        self._links: list[tuple[int, int]] = []
        self._scope = 0
        self._source = ""

    def written(self) -> GeneratedCode:
        """Everything."""
        graph, root = self._graph, self._graph.scopes[0]
        for line in sorted({*graph.imports, "import torch"}, key=lambda one: (one.startswith("from"), one)):
            self._add(line)
        self._add("")
        self._add("")
        self._add(f"class {class_name(graph.name)}(torch.nn.Module):", root.definition)
        for line in self._signature():
            self._add(line, root.definition)
        start = len(self._lines)
        statements = [
            (number, node) for number, node in enumerate(graph.nodes) if node.op != "placeholder" or node.code
        ]
        for number, node in statements:
            self._heading(node)
            text = self._statement(node)
            if number == graph.failed:
                text = f"# This failed: {' '.join(text.split()) or node.name}"
            for line in text.split("\n"):
                self._add(_BODY + line, node.span)
        if graph.omitted:
            self._add(f"{_BODY}# {graph.omitted} more operations are left out: there were too many.")
        if all(line.lstrip().startswith("#") or not line for line in self._lines[start:]):
            self._add(f"{_BODY}pass")
        return GeneratedCode("\n".join(self._lines) + "\n", tuple(self._links))

    def _add(self, line: str, span: int = -1) -> None:
        if span != -1:
            self._links.append((len(self._lines), span))
        self._lines.append(line)

    def _heading(self, node: GraphNode) -> None:
        """A comment where another module or another line of the source begins."""
        span = self._graph.spans[node.span] if node.span != -1 else None
        source = f"{os.path.basename(span.path)}:{span.line}" if span is not None else self._source
        if node.scope != self._scope:
            scope = self._graph.scopes[node.scope]
            name = f"{scope.path}: {scope.name}" if scope.path else scope.name
            self._add("")
            self._add(f"{_BODY}# {', '.join(filter(None, (name, source if span else '')))}", scope.span)
        elif source != self._source:
            self._add(f"{_BODY}# {source}", node.span)
        self._scope, self._source = node.scope, source

    def _signature(self) -> list[str]:
        nodes = {node.target.lstrip("*"): node for node in self._graph.nodes if node.op == "placeholder"}
        parts = [
            self._typed(star + name, nodes[name]) + (f" = {default}" if default else "")
            if name in nodes
            else star + name + (f" = {default}" if default else "")
            for star, name, default in _parameters(self._graph.signature or "def forward(self):")
        ]
        line = f"{_INDENT}def forward({', '.join(parts)}):"
        if len(line) <= WIDTH:
            return [line]
        return [f"{_INDENT}def forward(", *(f"{_BODY}{part}," for part in parts), f"{_INDENT}):"]

    def _typed(self, name: str, node: GraphNode) -> str:
        if node.output == -1:
            return name
        text = label(self._graph.values[node.output]).replace("\\", "\\\\").replace('"', '\\"')
        return f'{name}: "{text}"'

    def _statement(self, node: GraphNode) -> str:
        start = f"{node.name} = "
        if not node.code.startswith(start):
            return node.code
        return f"{self._typed(node.name, node)} = {node.code[len(start) :]}"


def class_name(name: str) -> str:
    """The last name of a qualified one."""
    return name.rpartition(".")[2]


def _parameters(signature: str) -> Iterator[tuple[str, str, str]]:
    """Stars, name and default of each."""
    (function,) = syntax.module(f"{signature} pass").body
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [""] * (len(plain) - len(given.defaults)) + [ast.unparse(default) for default in given.defaults]
    for argument, default in zip(plain, defaults, strict=True):
        yield "", argument.arg, default
    if given.vararg is not None:
        yield "*", given.vararg.arg, ""
    for argument, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield "", argument.arg, ast.unparse(value) if value is not None else ""
    if given.kwarg is not None:
        yield "**", given.kwarg.arg, ""
