"""A plot of what a model costs against the size of one dim, as an SVG picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 84, 16, 34, 40
LINES = ("#0969da", "#1a7f37", "#bc4c00")
"""One colour for each line of a panel, readable on light and on dark."""

STYLE = """
svg { --paper: #ffffff; --text: #1f2328; --faint: #59636e; --grid: #d1d9e0; background: var(--paper); }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --text: #e6edf3; --faint: #9198a1; --grid: #3d444d; } }
text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; fill: var(--text);
  font-size: 12px; }
.small { font-size: 10px; fill: var(--faint); }
.grid { stroke: var(--grid); }
.line { fill: none; stroke-width: 2; }
"""


@dataclass(frozen=True)
class Line:
    """One number at each size."""

    name: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Panel:
    """Lines of one unit."""

    title: str
    lines: tuple[Line, ...]
    written: Callable[[int], str]
    """The number with its unit."""


def plot(title: str, dim: str, sizes: Sequence[int], panels: Sequence[Panel]) -> str:
    """The text of an `.svg` file, one panel below the other."""
    return "\n".join(_lines(title, dim, sizes, panels)) + "\n"


def _lines(title: str, dim: str, sizes: Sequence[int], panels: Sequence[Panel]) -> Iterator[str]:
    height = TOP + HEIGHT * len(panels)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'role="img" aria-labelledby="title">'
    )
    yield f'<title id="title">{escape(title)}</title>'
    yield f"<style>{STYLE}</style>"
    yield f'<text x="{LEFT}" y="20">{escape(title)}</text>'
    for number, panel in enumerate(panels):
        yield f'<g transform="translate(0 {TOP + HEIGHT * number})">'
        yield from _panel(panel, dim, sizes)
        yield "</g>"
    yield "</svg>"


def _panel(panel: Panel, dim: str, sizes: Sequence[int]) -> Iterator[str]:
    step = _step(max((number for line in panel.lines for number in line.numbers), default=1))
    top = step * max(math.ceil(max(max(line.numbers) for line in panel.lines) / step), 1)
    first, last = min(sizes), max(sizes)

    def across(size: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (size - first) / max(last - first, 1)

    def up(number: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * number / top

    yield f'<text x="{LEFT}" y="14">{escape(panel.title)}</text>'
    for tick in range(0, top + 1, step):
        yield f'<path class="grid" d="M{LEFT} {up(tick):.1f} H{WIDTH - RIGHT}"/>'
        label = escape(panel.written(tick))
        yield f'<text class="small" text-anchor="end" x="{LEFT - 6}" y="{up(tick) + 3:.1f}">{label}</text>'
    for size in sizes:
        label = escape(f"{dim}={size}")
        at = f'x="{across(size):.1f}" y="{HEIGHT - BOTTOM + 16}"'
        yield f'<text class="small" text-anchor="middle" {at}>{label}</text>'
    for index, line in enumerate(panel.lines):
        colour = LINES[index % len(LINES)]
        points = " ".join(
            f"{across(size):.1f},{up(number):.1f}" for size, number in zip(sizes, line.numbers, strict=True)
        )
        yield f'<polyline class="line" stroke="{colour}" points="{points}"/>'
        for size, number in zip(sizes, line.numbers, strict=True):
            told = escape(f"{line.name}, {dim}={size}: {panel.written(number)}")
            yield (
                f'<circle cx="{across(size):.1f}" cy="{up(number):.1f}" r="3" fill="{colour}"><title>{told}</title>'
                "</circle>"
            )
        x = LEFT + 12 + index * (WIDTH - LEFT - RIGHT) / len(panel.lines)
        yield f'<text x="{x:.1f}" y="{TOP - 4}" style="fill: {colour}">{escape(line.name)}</text>'


def _step(largest: int) -> int:
    """A round number of which the largest is at most five."""
    rough = max(largest / 5, 1)
    size = 10 ** math.floor(math.log10(rough))
    return next(step * size for step in (1, 2, 5, 10) if step * size >= rough)
