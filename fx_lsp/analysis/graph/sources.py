"""Who reads what: the boxes of a graph, without the nodes that only name a parameter or take a tuple apart."""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.model.graph import Graph, GraphNode
from fx_lsp.model.value import Group

UNSEEN = "unseen"
"""Source of a value that came from code which torch tells nothing of."""

_TAKES_PART = ("operator.getitem", "getattr")


@dataclass(frozen=True)
class Sources:
    """Of each node of the graph, by its index.  A value is known by the node that it comes out of."""

    drawn: tuple[int, ...]
    """Nodes that have a box, in order."""
    reads: list[list[int]]
    """Values that come over an edge, in order of the arguments."""
    held: list[list[int]]
    """Values that the node holds: parameters, buffers and constants.  The output holds only what is no tensor."""
    maker: list[int]
    """The node whose box a value comes out of: another one when the node only takes a part of its output."""
    made: list[list[int]]
    """Values that come out of the node's box and are read, in order."""
    flow: list[bool]
    """Whether the value depends on the first input."""


def sources(graph: Graph) -> Sources:
    """Of the whole graph."""
    count = len(graph.nodes)
    readers: list[list[int]] = [[] for _ in range(count)]
    for number, node in enumerate(graph.nodes):
        for one in node.inputs:
            readers[one].append(number)
    maker = list(range(count))
    for number, node in enumerate(graph.nodes):
        if readers[number] and number != graph.failed and _takes_part(graph, node, maker):
            maker[number] = maker[node.inputs[0]]
    reads: list[list[int]] = [[] for _ in range(count)]
    held: list[list[int]] = [[] for _ in range(count)]
    made: list[list[int]] = [[] for _ in range(count)]
    drawn: list[int] = []
    for number, node in enumerate(graph.nodes):
        if maker[number] == number:
            for one in node.inputs:
                holds = _is_held(graph.nodes[maker[one]]) and (node.op != "output" or graph.nodes[one].output == -1)
                (held if holds else reads)[number].append(one)
    crossing = sorted({one for inputs in reads for one in inputs})
    for one in crossing:
        made[maker[one]].append(one)
    for number, node in enumerate(graph.nodes):
        if maker[number] == number and _has_box(node, bool(readers[number]), bool(made[number])):
            drawn.append(number)
    return Sources(tuple(drawn), reads, held, maker, made, _flow(graph, readers))


def _takes_part(graph: Graph, node: GraphNode, maker: list[int]) -> bool:
    """Whether it only takes a part of a group of tensors."""
    if node.op != "call_function" or node.target not in _TAKES_PART or len(node.inputs) != 1:
        return False
    (whole,) = node.inputs
    output = graph.nodes[whole].output
    return maker[whole] != whole if output == -1 else isinstance(graph.values[output], Group)


def _is_held(node: GraphNode) -> bool:
    return node.op == "get_attr" and node.source != UNSEEN


def _has_box(node: GraphNode, read: bool, crossing: bool) -> bool:
    """An argument without a tensor that nothing reads is left out; so is what is held by all its readers."""
    if node.op == "placeholder":
        return read or node.output != -1
    return crossing or not read or not _is_held(node)


def _flow(graph: Graph, readers: list[list[int]]) -> list[bool]:
    flow = [False] * len(graph.nodes)
    for number, node in enumerate(graph.nodes):
        if node.op == "placeholder" and readers[number]:
            flow[number] = True
            break
    for number, node in enumerate(graph.nodes):
        flow[number] = flow[number] or any(flow[one] for one in node.inputs)
    return flow
