"""A drawing as indented text.

Net
  x: input f32[2]
  Block × 2 [b.0 … b.1] in f32[2] out f32[2]
    …
    > -> b.0
"""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.graph.drawing import BORDER, Drawing, DrawnScope, child_of_scope


def outline(drawing: Drawing, depth: int = 99, members: int = 1) -> str:
    """Every scope with its children and edges; of a repeat the first `members` members."""
    return "\n".join(_scope(drawing, 0, 0, depth, members))


def name(drawing: Drawing, child: int) -> str:
    """What stands for a child: a node's name, `^` before it for a reference; a scope's key."""
    if child == BORDER:
        return "|"
    if child < 0:
        return drawing.scopes[child_of_scope(child)].key or "."
    node = drawing.nodes[child]
    return f"^{node.name}" if node.role == "reference" else node.name


def _scope(drawing: Drawing, number: int, indent: int, depth: int, members: int) -> Iterator[str]:
    scope = drawing.scopes[number]
    margin = "  " * indent
    times = f" × {scope.times}" if scope.form == "repeat" else ""
    form = "" if scope.form == "module" else f" ({scope.form})"
    failed = " FAILED" if scope.failed else ""
    yield f"{margin}{scope.title}{times} <{scope.path}>{form}{failed}"
    if not depth:
        return
    shown = scope.children if scope.form != "repeat" else scope.children[:members]
    for child in shown:
        if child < 0:
            yield from _scope(drawing, child_of_scope(child), indent + 1, depth - 1, members)
        else:
            node = drawing.nodes[child]
            label = f" {drawing.values[node.value].label}" if node.value >= 0 else ""
            held = f" holds {', '.join(one.name for one in node.held)}" if node.held else ""
            failed = " FAILED" if node.failed else ""
            kind = "" if node.role == "operation" else f" ({node.role})"
            yield f"{margin}  {name(drawing, child)}: {node.title}{kind}{label}{held}{failed}"
    for line in edges(drawing, scope, shown):
        yield f"{margin}  {line}"


def edges(drawing: Drawing, scope: DrawnScope, shown: tuple[int, ...]) -> Iterator[str]:
    """`x -> h.0`, with the numbers of exits and entries that are not the first."""
    for edge in scope.edges:
        if {edge.source, edge.target} <= {*shown, BORDER}:
            source = name(drawing, edge.source) + (f".{edge.exit}" if edge.exit else "")
            target = name(drawing, edge.target) + (f".{edge.entry}" if edge.entry else "")
            yield f"{source} -> {target}"
