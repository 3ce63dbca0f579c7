"""A graph with the names of dims that runs at other sizes found, where these say the same of the same place."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace

from fx_lsp.analysis.naming import stripped
from fx_lsp.model.graph import Graph
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.value import Value, tensors

Known = dict[tuple[Hashable, Value], set[Value]]
"""By place and sizes what was seen there, with names."""


def named(graph: Graph, reply: TraceReply) -> Graph:
    """The graph with values as the facts of the same example have them; a place where two have the same sizes and other
    names stays as it is."""
    known = _known(reply)
    if not known:
        return graph
    values = list(graph.values)
    places = {value: number for number, value in enumerate(values)}
    nodes = list(graph.nodes)
    for number, node in enumerate(nodes):
        if node.output == -1:
            continue
        place = node.target if node.op == "placeholder" else graph.spans[node.span] if node.span != -1 else None
        found = known.get((place, stripped(graph.values[node.output])), set())
        if len(found) == 1:
            (value,) = found
            if value not in places:
                places[value] = len(values)
                values.append(value)
            nodes[number] = replace(node, output=places[value])
    return replace(graph, nodes=tuple(nodes), values=tuple(values))


def _known(reply: TraceReply) -> Known:
    found: Known = {}
    for place, value in _seen(reply):
        found.setdefault((place, stripped(value)), set()).add(value)
    named = any(any(tensor.names) for values in found.values() for value in values for tensor in tensors(value))
    return found if named else {}


def _seen(reply: TraceReply) -> Iterator[tuple[Hashable, Value]]:
    """Results of expressions, and of arguments by their names, which is what a placeholder is called."""
    for operation in reply.operations:
        yield from ((operation.span, variant.output) for variant in operation.variants)
    for binding in reply.bindings:
        values: Iterable[Value] = (variant.value for variant in binding.variants)
        if binding.role == "parameter":
            yield from ((binding.name, value) for value in values)
