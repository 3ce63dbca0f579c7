"""The module calls of a graph as a tree, with their nodes and inner calls in order of execution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fx_lsp.analysis.graph.drawing import child_of_scope
from fx_lsp.model.graph import Graph, GraphScope


@dataclass(frozen=True)
class Tree:
    """Scopes without anything inside are not in it."""

    parents: list[int]
    """-1 for the first, which is the graph's own module; every parent stands before its scopes."""
    calls: list[int]
    """Index in `Graph.scopes`; the same one twice when something else ran in the middle of it."""
    children: list[list[int]]
    """In order of execution, numbered as in `Drawing`."""
    home: list[int]
    """Of each node of the graph; that of a node without a box is 0."""


def tree(graph: Graph, drawn: Sequence[int]) -> Tree:
    """Of the nodes that are drawn."""
    made = Tree([-1], [0], [[]], [0] * len(graph.nodes))
    latest: dict[int, int] = {0: 0}
    for number in drawn:
        home = _open(graph.scopes, graph.nodes[number].scope, latest, made)
        made.home[number] = home
        made.children[home].append(number)
    return made


def _open(scopes: Sequence[GraphScope], call: int, latest: dict[int, int], made: Tree) -> int:
    """The scope that a node of this call belongs into: the one that was the last to get something, else a new one."""
    chain: list[int] = []
    while call > 0:
        chain.append(call)
        call = scopes[call].parent
    here = 0
    for call in reversed(chain):
        known = latest.get(call, -1)
        if known == -1 or made.children[here][-1:] != [child_of_scope(known)]:
            known = latest[call] = len(made.parents)
            made.parents.append(here)
            made.calls.append(call)
            made.children.append([])
            made.children[here].append(child_of_scope(known))
        here = known
    return here
