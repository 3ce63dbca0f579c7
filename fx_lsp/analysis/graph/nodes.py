"""The nodes of a drawing."""

from __future__ import annotations

from fx_lsp.analysis.graph.drawing import DrawnNode, Held
from fx_lsp.analysis.graph.references import References
from fx_lsp.analysis.graph.sources import Sources
from fx_lsp.analysis.graph.titles import title
from fx_lsp.analysis.graph.values import Values
from fx_lsp.model.graph import Graph

ROLES = {"placeholder": "input", "output": "output", "get_attr": "constant"}
"""By op; everything else is an operation."""


def drawn_nodes(graph: Graph, known: Sources, uses: References, values: Values) -> tuple[list[DrawnNode], list[int]]:
    """All nodes with a box and behind them the references, and the number that each has there."""
    count = len(graph.nodes)
    numbers = [-1] * (count + len(uses.origins))
    for number, node in enumerate((*known.drawn, *range(count, len(numbers)))):
        numbers[node] = number
    origin = [*range(count), *uses.origins]
    drawn: list[DrawnNode] = []
    for node in known.drawn:
        about = graph.nodes[node]
        held = tuple(
            Held(whole.target, values.on_edge(one), whole.source == "parameter")
            for one, whole in ((one, graph.nodes[known.maker[one]]) for one in known.held[node])
        )
        parameters = sum(graph.nodes[known.maker[one]].parameters for one in known.held[node])
        drawn.append(
            DrawnNode(
                title=title(about),
                name=about.name,
                op=about.op,
                target=about.target,
                code=about.code,
                role=ROLES.get(about.op, "operation"),
                inputs=tuple(values.on_edge(origin[value]) for value in uses.uses[node]),
                value=about.output,
                scope=uses.home[node],
                place=about.span,
                parameters=about.parameters + parameters,
                flops=about.flops,
                bytes=about.bytes,
                held=held,
                failed=node == graph.failed,
            )
        )
    for number, value in enumerate(uses.origins, start=count):
        maker = known.maker[value]
        about, of = graph.nodes[value], graph.nodes[maker]
        drawn.append(
            DrawnNode(
                title=title(of),
                name=about.name,
                op=about.op,
                target=about.target,
                code=about.code,
                role="reference",
                inputs=(),
                value=values.on_edge(value),
                scope=uses.home[number],
                place=of.span,
                parameters=0,
                flops=0,
                bytes=0,
                origin=numbers[maker],
            )
        )
    return drawn, numbers
