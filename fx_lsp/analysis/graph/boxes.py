"""The boxes that open: module calls, repeats and their iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fx_lsp.analysis.graph.drawing import child_of_scope
from fx_lsp.analysis.graph.folding import Folding
from fx_lsp.analysis.graph.runs import Item
from fx_lsp.analysis.graph.tree import Tree


@dataclass
class Box:
    """A scope of the drawing, while it is made."""

    form: str
    parent: int
    scope: int = -1
    """Of the tree, for a module call."""
    times: int = 1
    items: Sequence[Item] = ()
    """What is in a repeat or an iteration."""
    children: list[int] = field(default_factory=list[int])
    """Nodes by their index in the graph, scopes by that in `Boxes.boxes`."""


@dataclass(frozen=True)
class Boxes:
    """All of them; every parent stands before its scopes."""

    boxes: list[Box]
    home: list[int]
    """The box that each node of the graph is in."""
    of_scope: list[int]
    """The box of each scope of the tree."""

    def parents(self) -> list[int]:
        """Of each box; -1 for the first."""
        return [box.parent for box in self.boxes]


def boxes(tree: Tree, folding: Folding) -> Boxes:
    """Of the whole tree."""
    made = Boxes([Box("module", -1, 0)], [0] * len(tree.home), [0] * len(tree.parents))
    for number, box in enumerate(made.boxes):  # which grows meanwhile
        if box.form == "module":
            box.items = folding.children(box.scope)
        for item in box.items:
            if item.child >= 0 and not item.members:
                made.home[item.child] = number
                box.children.append(item.child)
                continue
            box.children.append(child_of_scope(len(made.boxes)))
            if box.form == "repeat" and len(item.members) == 1:
                made.boxes.append(Box("iteration", number, items=item.members[0]))
            elif item.members:
                members = [_member(item, member) for member in item.members]
                made.boxes.append(Box("repeat", number, times=len(members), items=members))
            else:
                scope = child_of_scope(item.child)
                made.of_scope[scope] = len(made.boxes)
                made.boxes.append(Box("module", number, scope))
    return made


def _member(repeat: Item, member: tuple[Item, ...]) -> Item:
    """One iteration of a repeat: its only box, or all of them as one."""
    return member[0] if len(member) == 1 else replace(repeat, members=(member,))
