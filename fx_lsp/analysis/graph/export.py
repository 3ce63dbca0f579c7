"""Graphs as text for files: one function for each format."""

from __future__ import annotations

from collections.abc import Callable

from fx_lsp.analysis.graph.as_json import as_json
from fx_lsp.analysis.graph.code import code
from fx_lsp.analysis.graph.dot import dot
from fx_lsp.analysis.graph.hierarchy import draw
from fx_lsp.analysis.graph.html import html
from fx_lsp.analysis.graph.svg import svg
from fx_lsp.model.graph import Graph

TextOf = Callable[[str], str]
"""Gives the text of a file by its path."""

FORMATS: dict[str, Callable[[Graph, TextOf, str], str]] = {
    "py": lambda graph, text_of, root: code(graph).text,
    "dot": lambda graph, text_of, root: dot(draw(graph)),
    "json": as_json,
    "svg": lambda graph, text_of, root: svg(draw(graph)),
    "html": lambda graph, text_of, root: html(draw(graph)),
}
"""By the suffix of their files."""


def export(graph: Graph, form: str, text_of: TextOf, root: str) -> str:
    """The graph in one of the formats; paths in it are relative to `root` where a reader could not use others."""
    return FORMATS[form](graph, text_of, root)
