"""A graph in an answer that is not to be trusted: one that does not hold together is none.

Whatever draws it or writes it down relies on what `model/graph.py` says of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fx_lsp.model.graph import Graph, GraphNode, GraphScope
from fx_lsp.server.vetted_places import Places
from fx_lsp.server.vetted_values import NAME, Values, number, word

NODES = 70_000
SCOPES = 70_000
DEEPEST = 200
"""Module calls inside each other."""
EDGES = 500_000
CODE = 4000
"""Characters of the statement of one node."""
IMPORTS = 1000
OPS = frozenset({"placeholder", "get_attr", "call_function", "call_method", "call_module", "output"})


def vetted_graph(graph: Graph, places: Places, values: Values) -> Graph | None:
    """The graph as it may be shown; None when it does not hold together."""
    if not _holds_together(graph):
        return None
    spans = [places.span(span) for span in graph.spans]
    left = [-1] * (len(spans) + 1)  # what is no place any more is none: -1 is the last
    kept = [index for index, span in enumerate(spans) if span is not None]
    for new, old in enumerate(kept):
        left[old] = new
    return replace(
        graph,
        level=word(graph.level),
        name=word(graph.name, NAME),
        nodes=tuple(_node(node, left) for node in graph.nodes),
        scopes=tuple(_scope(scope, left) for scope in graph.scopes),
        values=tuple(map(values.vetted, graph.values)),
        spans=tuple(span for span in spans if span is not None),
        imports=tuple(word(line, NAME) for line in graph.imports[:IMPORTS]),
        signature=word(graph.signature, CODE),
        omitted=number(graph.omitted),
    )


def _holds_together(graph: Graph) -> bool:
    nodes, scopes, spans = len(graph.nodes), len(graph.scopes), len(graph.spans)
    if not 0 < scopes <= SCOPES or nodes > NODES or not -1 <= graph.failed < nodes:
        return False
    if sum(len(node.inputs) for node in graph.nodes) > EDGES or len(graph.values) > NODES or not _nest(graph.scopes):
        return False
    for index, node in enumerate(graph.nodes):
        inputs = node.inputs
        if node.op not in OPS or len(set(inputs)) != len(inputs) or not all(0 <= one < index for one in inputs):
            return False
        if not (-1 <= node.output < len(graph.values) and 0 <= node.scope < scopes and -1 <= node.span < spans):
            return False
    return all(-1 <= scope.span < spans and -1 <= scope.definition < spans for scope in graph.scopes)


def _nest(scopes: Sequence[GraphScope]) -> bool:
    """Whether each but the first is in one before it, and none too deep."""
    depths: list[int] = []
    for index, scope in enumerate(scopes):
        if not (0 <= scope.parent < index if index else scope.parent == -1):
            return False
        depths.append(depths[scope.parent] + 1 if index else 0)
    return max(depths) <= DEEPEST


def _node(node: GraphNode, spans: Sequence[int]) -> GraphNode:
    return replace(
        node,
        name=word(node.name),
        target=word(node.target, NAME),
        code=word(node.code, CODE),
        span=spans[node.span],
        parameters=number(node.parameters),
        flops=number(node.flops),
        bytes=number(node.bytes),
        source=word(node.source, NAME),
    )


def _scope(scope: GraphScope, spans: Sequence[int]) -> GraphScope:
    return replace(
        scope,
        path=word(scope.path, NAME),
        name=word(scope.name, NAME),
        call=number(scope.call),
        span=spans[scope.span],
        definition=spans[scope.definition],
        parameters=number(scope.parameters),
    )
