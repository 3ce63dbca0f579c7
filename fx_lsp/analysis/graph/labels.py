"""What scopes are called, where they are written, and the keys by which a client remembers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fx_lsp.analysis.graph.boxes import Boxes
from fx_lsp.analysis.graph.drawing import child_of_scope
from fx_lsp.analysis.graph.tree import Tree
from fx_lsp.model.graph import Graph

MOST = 3
"""Names of modules in one title."""


@dataclass(frozen=True)
class Label:
    """See the fields of the same names of `DrawnScope`."""

    title: str
    path: str
    key: str
    place: int
    definition: int


def labels(graph: Graph, tree: Tree, made: Boxes) -> list[Label]:
    """Of each box."""
    found: list[Label] = [Label("", "", "", -1, -1)] * len(made.boxes)
    for number in reversed(range(len(made.boxes))):  # inner boxes first
        box = made.boxes[number]
        inner = [child_of_scope(child) for child in box.children if child < 0]
        if box.form == "module":
            call = graph.scopes[tree.calls[box.scope]]
            key = f"{call.path}#{call.call}" if call.call else call.path
            found[number] = Label(call.name, call.path, key, call.span, call.definition)
        elif box.form == "repeat":
            if made.boxes[inner[0]].form == "iteration":
                _iterations(inner, found, made)
            found[number] = _repeat([found[one] for one in inner])
    return _unique(found)


def _iterations(members: Sequence[int], found: list[Label], made: Boxes) -> None:
    """They are called what their modules have in common when that tells them apart, else what the modules are."""
    inside = [[found[child_of_scope(child)] for child in made.boxes[one].children if child < 0] for one in members]
    shared = [".".join(_common([_first(label.path).split(".") for label in one])) for one in inside]
    apart = len(set(shared)) == len(shared) and all(len(one) > 1 for one in inside)
    for number, inner, path in zip(members, inside, shared, strict=True):
        names = list(dict.fromkeys(label.title for label in inner))
        title = path if apart else ", ".join(names[:MOST]) + (", …" if len(names) > MOST else "")
        path = path if apart else _range(inner[0].path, inner[-1].path)
        found[number] = Label(title, path, f"{inner[0].key}:iteration", inner[0].place, -1)


def _repeat(inner: Sequence[Label]) -> Label:
    first, last = inner[0], inner[-1]
    title = first.title
    if title == first.path:
        # Of `layers.0` … `layers.5` the part before the number.
        title = ".".join(_common([first.path.split("."), last.path.split(".")])) or title
    key = first.key.removesuffix(":iteration")
    return Label(title, _range(first.path, last.path), f"{key}:repeat", first.place, first.definition)


def _range(first: str, last: str) -> str:
    start, end = _first(first), last.split(" … ")[-1]
    return start if start == end else f"{start} … {end}"


def _first(path: str) -> str:
    return path.split(" … ")[0]


def _common(paths: list[list[str]]) -> list[str]:
    shared: list[str] = []
    for names in zip(*paths, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return shared


def _unique(labels: list[Label]) -> list[Label]:
    """With a number behind each key that was there before."""
    seen: dict[str, int] = {}
    found: list[Label] = []
    for label in labels:
        number = seen[label.key] = seen.get(label.key, 0) + 1
        found.append(label if number == 1 else replace(label, key=f"{label.key}/{number}"))
    return found
