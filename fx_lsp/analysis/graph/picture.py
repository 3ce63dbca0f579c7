"""Sizes and places of everything in a picture of a drawing, innermost scopes first."""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.analysis.graph.drawing import BORDER, Drawing, DrawnNode, DrawnScope, child_of_scope
from fx_lsp.analysis.graph.layout import Box, Placed, Wire, place
from fx_lsp.analysis.graph.opened import Arrow, Opened

FONT, SMALL = 12.0, 10.0
CHARACTER = 0.602
"""Width of a character, in sizes of the font: they are all equal."""
PADDING = 12.0
HEADING = 38.0
"""Height of what is written at the top of a scope."""
NODE, HELD = 26.0, 14.0
"""Height of a node, and of its second line."""
LONGEST, LONGEST_PATH = 36, 60
"""Characters of a line in a box, and of the path of a scope."""


@dataclass(frozen=True)
class Frame:
    """A scope in the picture."""

    number: int
    """Of the scope that the box stands for."""
    scope: DrawnScope
    """The one whose contents are shown."""
    arrows: list[Arrow]
    placed: Placed
    left: float
    """Where its contents begin."""
    top: float
    width: float
    height: float


def frames(opened: Opened) -> dict[int, Frame]:
    """Of every scope that is shown, by the number of its box."""
    found: dict[int, Frame] = {}
    for number in reversed(opened.scopes()):
        found[number] = _frame(opened, number, found)
    return found


def cut(text: str, longest: int = LONGEST) -> str:
    """Not longer than a line may be."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def second_line(drawing: Drawing, node: DrawnNode) -> str:
    """What a node holds, the path of the module that it calls, or where what it refers to is made."""
    if node.role == "reference":
        path = drawing.scopes[drawing.nodes[node.origin].scope].path
        return cut(f"↑ {path or node.name}")
    if node.op == "call_module":
        return cut(node.target)
    return cut(", ".join(one.name.rpartition(".")[2] for one in node.held))


def node_size(drawing: Drawing, node: DrawnNode) -> tuple[float, float]:
    """Width and height of its box."""
    second = second_line(drawing, node)
    width = max(len(cut(node.title)) * FONT, len(second) * SMALL) * CHARACTER + 2 * 10
    return max(width, 44.0), NODE + (HELD if second else 0.0)


def subtitle(scope: DrawnScope) -> str:
    """The second line of a scope's heading."""
    return cut(scope.path, LONGEST_PATH)


def _frame(opened: Opened, number: int, found: dict[int, Frame]) -> Frame:
    scope = opened.shown(number)
    arrows = opened.arrows(scope)
    places = {child: place for place, child in enumerate(scope.children)}
    labels = _labels(opened, arrows)
    boxes = [_box(opened, child, found, labels.get((child, 0), 0.0)) for child in scope.children]
    wires = [
        Wire(places.get(arrow.source, BORDER), places.get(arrow.target, BORDER), arrow.exit, arrow.entry)
        for arrow in arrows
    ]
    exits = [_width_of(opened, value) for value in scope.outputs]
    placed = place(boxes, wires, [8.0] * len(scope.inputs), exits)
    title = max(len(opened.heading(number)) * FONT, len(subtitle(opened.drawing.scopes[number])) * SMALL) * CHARACTER
    width = max(placed.width, title) + 2 * PADDING
    left = (width - placed.width) / 2
    height = HEADING + placed.height + (PADDING if not scope.outputs else 0.0)
    return Frame(number, scope, arrows, placed, left, HEADING, width, height)


def _labels(opened: Opened, arrows: list[Arrow]) -> dict[tuple[int, int], float]:
    """Width of what is written at each output of a child."""
    return {(arrow.source, arrow.exit): _width_of(opened, arrow.value) for arrow in arrows if arrow.source != BORDER}


def _width_of(opened: Opened, value: int) -> float:
    return len(cut(opened.drawing.values[value].label)) * SMALL * CHARACTER + 8


def _box(opened: Opened, child: int, found: dict[int, Frame], label: float) -> Box:
    if child >= 0:
        width, height = node_size(opened.drawing, opened.drawing.nodes[child])
        return Box(width, height, label)
    frame = found[child_of_scope(child)]
    middle = frame.width / 2
    tops = [frame.left + x - middle for x in frame.placed.entries]
    bottoms = [frame.left + x - middle for x in frame.placed.exits]
    return Box(frame.width, frame.height, 0.0, tops, bottoms)
