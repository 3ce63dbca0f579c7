"""A drawing as an SVG picture, with everything open: boxes in boxes, and arrows with shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from fx_lsp.analysis.graph.drawing import BORDER, Drawing, child_of_scope
from fx_lsp.analysis.graph.opened import Opened
from fx_lsp.analysis.graph.picture import (
    PADDING,
    Frame,
    cut,
    frames,
    node_size,
    second_line,
    subtitle,
)  # fmt: skip

MARGIN = 16.0
_UNSPEAKABLE = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

STYLE = """
svg { --paper: #ffffff; --text: #1f2328; --faint: #59636e; --line: #8b949e; --scope: #d1d9e0; --fill: #f6f8fa;
  --box: #ffffff; --module: #ddf4ff; --end: #dafbe1; --other: #eff2f5; --failed: #cf222e; --wrong: #ffebe9;
  background: var(--paper); }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --text: #e6edf3; --faint: #9198a1; --line: #768390; --scope: #3d444d; --fill: #151b23;
    --box: #0d1117; --module: #122d46; --end: #12361f; --other: #212830; --failed: #ff7b72; --wrong: #3c1418; }
}
text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; fill: var(--text);
  font-size: 12px; }
.small { font-size: 10px; fill: var(--faint); }
.scope > rect { fill: var(--fill); stroke: var(--scope); }
.deep > rect { fill: var(--paper); }
.repeat > rect { stroke-width: 3; }
.heading text { paint-order: stroke; stroke: var(--fill); stroke-width: 4px; stroke-linejoin: round; }
.deep > .heading text { stroke: var(--paper); }
.heading .title { font-weight: 600; }
.node rect { fill: var(--box); stroke: var(--line); }
.node text { text-anchor: middle; }
.call_module rect { fill: var(--module); }
.input rect, .output rect { fill: var(--end); }
.constant rect, .reference rect { fill: var(--other); }
.reference rect { stroke-dasharray: 4 3; }
.failed > rect, .failed > g > rect { stroke: var(--failed); stroke-width: 2; }
.node.failed rect { fill: var(--wrong); }
.edge { fill: none; stroke: var(--line); }
.head { fill: var(--line); }
.shape { font-size: 10px; fill: var(--faint); paint-order: stroke; stroke: var(--fill); stroke-width: 3px; }
"""
"""Colours of light and dark surroundings."""


def svg(drawing: Drawing) -> str:
    """The text of an `.svg` file; equal neighbours stand once."""
    return "\n".join(_Writer(drawing).lines()) + "\n"


class _Writer:
    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._opened = Opened(drawing)
        self._frames = frames(self._opened)

    def lines(self) -> Iterator[str]:
        """All of the file."""
        root = self._frames[0]
        width, height = root.width + 2 * MARGIN, root.height + 2 * MARGIN
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-labelledby="title description">'
        )
        yield f'<title id="title">{_text(self._drawing.name)}</title>'
        yield f'<desc id="description">{_text(self._description())}</desc>'
        yield f"<style>{STYLE}</style>"
        yield '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        yield ' orient="auto"><path class="head" d="M0 0.5 L8 4 L0 7.5 z"/></marker></defs>'
        yield from self._frame(0, MARGIN, MARGIN, 0)
        yield "</svg>"

    def _description(self) -> str:
        root = self._drawing.scopes[0]
        failed = next((f" It fails at {node.name}." for node in self._drawing.nodes if node.failed), "")
        return f"The FX graph of {self._drawing.name}: {root.operations} operations.{failed}"

    def _frame(self, number: int, x: float, y: float, depth: int) -> Iterator[str]:
        frame, scope = self._frames[number], self._drawing.scopes[number]
        classes = ["scope", "deep" * (depth % 2), "repeat" * (scope.form == "repeat"), "failed" * scope.failed]
        yield f'<g class="{" ".join(filter(None, classes))}" data-scope="{number}">'
        yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{frame.width:.1f}" height="{frame.height:.1f}" rx="6"/>'
        left, top = x + frame.left, y + frame.top
        for entry in frame.placed.entries:
            yield f'<path class="edge" d="M{left + entry:.1f} {y:.1f}V{top:.1f}"/>'
        yield '<g class="heading">'
        yield _line(x + PADDING, y + 15, self._opened.heading(number), "title")
        if scope.path:
            yield _line(x + PADDING, y + 28, subtitle(scope), "small")
        yield "</g>"
        yield from self._arrows(frame, left, top)
        for child, (across, down) in zip(frame.scope.children, frame.placed.boxes, strict=True):
            if child < 0:
                yield from self._frame(child_of_scope(child), left + across, top + down, depth + 1)
            else:
                yield from self._node(child, left + across, top + down)
        yield from self._shapes(frame, left, top)
        yield "</g>"

    def _node(self, number: int, x: float, y: float) -> Iterator[str]:
        node = self._drawing.nodes[number]
        width, height = node_size(self._drawing, node)
        classes = ["node", node.role, node.op * (node.op == "call_module"), "failed" * node.failed]
        yield f'<g class="{" ".join(filter(None, classes))}" data-node="{number}">'
        yield f"<title>{_text(node.code or node.name)}</title>"
        yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{_round(node.role)}"/>'
        yield _line(x + width / 2, y + 17, cut(node.title))
        second = second_line(self._drawing, node)
        if second:
            yield _line(x + width / 2, y + 32, second, "small")
        yield "</g>"

    def _arrows(self, frame: Frame, left: float, top: float) -> Iterator[str]:
        for arrow, path in zip(frame.arrows, frame.placed.paths, strict=True):
            head = ' marker-end="url(#head)"' if arrow.target >= 0 else ""
            yield f'<path class="edge" d="{_curve(path, left, top)}"{head}/>'

    def _shapes(self, frame: Frame, left: float, top: float) -> Iterator[str]:
        """What goes over the edges, once at each output."""
        seen: set[tuple[int, int]] = set()
        for arrow, path in zip(frame.arrows, frame.placed.paths, strict=True):
            label = self._drawing.values[arrow.value].label
            if BORDER in (arrow.source, arrow.target) or (arrow.source, arrow.exit) in seen or not label:
                continue  # over a border it is written on the other side
            seen.add((arrow.source, arrow.exit))
            x, y = path[0]
            yield _line(left + x + 5, top + y + 11, cut(label), "shape")


def _curve(path: list[tuple[float, float]], left: float, top: float) -> str:
    """Down in straight lines, and from column to column in a curve."""
    x, y = path[0]
    parts = [f"M{left + x:.1f} {top + y:.1f}"]
    for next_x, next_y in path[1:]:
        if abs(next_x - x) < 0.5:
            if next_y - y > 0.05:
                parts.append(f"V{top + next_y:.1f}")
        else:
            middle = top + (y + next_y) / 2
            ends = f"{left + x:.1f} {middle:.1f} {left + next_x:.1f} {middle:.1f}"
            parts.append(f"C{ends} {left + next_x:.1f} {top + next_y:.1f}")
        x, y = next_x, next_y
    return "".join(parts)


def _line(x: float, y: float, text: str, style: str = "") -> str:
    named = f" class={quoteattr(style)}" if style else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}">{_text(text)}</text>'


def _round(role: str) -> int:
    return 13 if role in ("input", "output") else 4


def _text(text: str) -> str:
    """Escaped, without what XML cannot say."""
    return escape(_UNSPEAKABLE.sub("�", text))
