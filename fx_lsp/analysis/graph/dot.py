"""A drawing in the language of Graphviz: modules are clusters, edges carry shapes."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.graph.drawing import BORDER, Drawing, DrawnNode, DrawnScope, child_of_scope
from fx_lsp.analysis.graph.opened import Opened

_ROLES = {
    "input": 'shape=oval, fillcolor="#dbeafe"',
    "output": 'shape=oval, fillcolor="#dbeafe"',
    "operation": 'shape=box, fillcolor="#ffffff"',
    "constant": 'shape=box, fillcolor="#f1f1f1"',
    "reference": 'shape=box, style="rounded,filled,dashed", fillcolor="#f1f1f1"',
}
_FAILED = ', color="#c00000", fontcolor="#c00000", penwidth=2'


def dot(drawing: Drawing) -> str:
    """The text of a `.dot` file; equal neighbours stand once."""
    return "\n".join(_Writer(drawing).lines()) + "\n"


def quoted(text: str) -> str:
    """A string of DOT, with the line breaks and without escapes of its own."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "").replace("\n", "\\n") + '"'


class _Writer:
    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._opened = Opened(drawing)
        self._makers: dict[tuple[int, int], int] = {}
        self._takers: dict[tuple[int, int], tuple[int, ...]] = {}
        self._edges: list[tuple[int, int, int]] = []

    def lines(self) -> Iterator[str]:
        """All of the file."""
        yield f"digraph {quoted(self._drawing.name)} {{"
        yield f'  graph [label={quoted(self._drawing.name)}, labelloc=t, fontname="Helvetica", style=rounded];'
        yield '  node [fontname="Helvetica", fontsize=11, style="rounded,filled"];'
        yield '  edge [fontname="Helvetica", fontsize=9, color="#666666"];'
        yield from self._contents(0, "  ")
        for source, target, value in dict.fromkeys(self._edges):
            label = quoted(self._drawing.values[value].label)
            yield f"  n{source} -> n{target} [label={label}];"
        yield "}"

    def _contents(self, number: int, margin: str) -> Iterator[str]:
        scope = self._opened.shown(number)
        for child in scope.children:
            if child >= 0:
                yield f"{margin}n{child} [{_node(self._drawing.nodes[child])}];"
                continue
            inner = child_of_scope(child)
            about = self._drawing.scopes[inner]
            heading = quoted(f"{self._opened.heading(inner)}\n{about.path}")
            yield f"{margin}subgraph cluster_{inner} {{"
            yield f"{margin}  label={heading}; fontsize=11; color={_border(about)};"
            yield from self._contents(inner, margin + "  ")
            yield f"{margin}}}"
        self._connect(number, scope)

    def _connect(self, number: int, scope: DrawnScope) -> None:
        """Inner scopes were there before: who makes what leaves them is known."""
        takers: dict[int, list[int]] = {}
        for arrow in self._opened.arrows(scope):
            targets = [arrow.target]
            if arrow.target < BORDER:
                targets = list(self._takers.get((child_of_scope(arrow.target), arrow.entry), ()))
            if arrow.source == BORDER:
                takers.setdefault(arrow.exit, []).extend(one for one in targets if one >= 0)
                continue
            source = arrow.source
            if source < BORDER:
                source = self._makers[child_of_scope(source), arrow.exit]
            if arrow.target == BORDER:
                self._makers[number, arrow.entry] = source
            else:
                self._edges += [(source, target, arrow.value) for target in targets]
        self._takers.update(((number, entry), tuple(found)) for entry, found in takers.items())


def _node(node: DrawnNode) -> str:
    held = ", ".join(one.name.rpartition(".")[2] for one in node.held)
    text = "\n".join(filter(None, (node.title, held)))
    return f"label={quoted(text)}, tooltip={quoted(node.code or node.name)}, {_ROLES[node.role]}{_FAILED * node.failed}"


def _border(scope: DrawnScope) -> str:
    return '"#c00000"' if scope.failed else '"#999999"'
