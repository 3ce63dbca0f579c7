"""What holds for every drawing, whatever the graph: nothing is lost, nothing goes backwards, sums add up."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from fx_lsp.analysis.graph.code import code
from fx_lsp.analysis.graph.dot import dot
from fx_lsp.analysis.graph.drawing import BORDER, Drawing, child_of_scope
from fx_lsp.analysis.graph.hierarchy import draw
from fx_lsp.analysis.graph.svg import svg
from fx_lsp.model.graph import Graph, GraphNode, GraphScope
from fx_lsp.model.value import Group, TensorType

VALUES = (
    TensorType("f32", (2,)),
    TensorType("f32", (3,)),
    Group("tuple", (TensorType("f32", (2,)), TensorType("f32", (3,)))),
)
STEP = st.tuples(
    st.sampled_from(("call", "call", "call", "call", "enter", "enter", "leave", "part", "get_attr")),
    st.lists(st.integers(1, 6), max_size=3),
    st.integers(0, 2),
)
"""What happens, how far back its inputs are, and a choice."""
Program = list[tuple[list[tuple[str, list[int], int]], int]]
PROGRAM = st.lists(st.tuples(st.lists(STEP, min_size=1, max_size=8), st.integers(1, 5)), min_size=1, max_size=5)
"""Pieces, each some times over, so that there is something to fold."""


def built(program: Program, failed: bool = False) -> Graph:
    """A graph in which modules nest as calls do."""
    nodes = [GraphNode("x", "placeholder", "x", "", (), 0), GraphNode("m", "placeholder", "m", "", (), 0)]
    scopes = [GraphScope("", "Net")]
    running = [0]
    for piece, (steps, times) in enumerate(program):
        for turn in range(times):
            for kind, back, choice in steps:
                if kind == "enter":
                    path = f"p{piece}.{turn}.{choice}"
                    running.append(len(scopes))
                    scopes.append(GraphScope(path, "ABC"[choice], running[-2], parameters=choice))
                elif kind == "leave":
                    running = running[: max(1, len(running) - 1)]
                else:
                    nodes.append(_node(nodes, kind, back, choice, running[-1]))
        running = running[: 1 + piece % 2]
    last = len(nodes) - 1
    if not failed:
        nodes.append(GraphNode("output", "output", "output", f"return {nodes[-1].name}", (last,)))
    return Graph("operator", "Net", tuple(nodes), tuple(scopes), VALUES, failed=last if failed else -1)


def _node(nodes: list[GraphNode], kind: str, back: list[int], choice: int, scope: int) -> GraphNode:
    name = f"n{len(nodes)}"
    if kind == "get_attr":
        source = ("parameter", "buffer", "unseen")[choice]
        return GraphNode(name, kind, f"w{choice}", f"{name} = self.w", (), 0, scope, source=source, parameters=choice)
    inputs = tuple(dict.fromkeys(max(0, len(nodes) - one) for one in back))
    if kind == "part" and inputs:
        target, inputs = "operator.getitem", inputs[:1]
    else:
        target = ("torch.relu", "torch.add", "torch.split")[choice]
    written = f"{name} = {target}({', '.join(nodes[one].name for one in inputs)})"
    return GraphNode(name, "call_function", target, written, inputs, choice, scope, flops=choice, bytes=4)


def makers(drawing: Drawing) -> dict[str, set[str]]:
    """For each node the nodes whose outputs reach it, over borders and references."""
    found: dict[str, set[str]] = {node.name: set() for node in drawing.nodes if node.role != "reference"}
    incoming: dict[tuple[int, int], list[str]] = {}

    def ends(scope: int, source: int, leaves_by: int) -> list[str]:
        if source == BORDER:
            return incoming[scope, leaves_by]
        if source >= 0:
            node = drawing.nodes[source]
            return [drawing.nodes[node.origin].name if node.role == "reference" else node.name]
        inner = child_of_scope(source)
        exits = [edge for edge in drawing.scopes[inner].edges if edge.target == BORDER and edge.entry == leaves_by]
        return [name for edge in exits for name in ends(inner, edge.source, edge.exit)]

    for number, scope in enumerate(drawing.scopes):
        for edge in scope.edges:
            if edge.target == BORDER:
                continue
            names = ends(number, edge.source, edge.exit)
            if edge.target >= 0:
                found[drawing.nodes[edge.target].name].update(names)
            else:
                incoming.setdefault((child_of_scope(edge.target), edge.entry), []).extend(names)
    return found


def needed(graph: Graph) -> dict[str, set[str]]:
    """For each node that computes something the nodes that it needs, seen through parts of tuples."""
    nodes = graph.nodes

    def maker(number: int) -> int:
        node = nodes[number]
        if node.target == "operator.getitem" and number != graph.failed and node.inputs:
            whole = nodes[node.inputs[0]]
            if whole.output != -1 and isinstance(graph.values[whole.output], Group):
                return maker(node.inputs[0])
        return number

    return {
        node.name: {
            nodes[source].name
            for source in map(maker, node.inputs)
            if nodes[source].op != "get_attr" or nodes[source].source == "unseen" or node.op == "output"
        }
        for number, node in enumerate(nodes)
        if maker(number) == number
    }


@settings(deadline=None, max_examples=300)
@given(PROGRAM, st.booleans())
def test_every_dependence_is_drawn_and_no_other(program: Program, failed: bool) -> None:
    graph = built(program, failed)
    drawing = draw(graph)
    wanted = needed(graph)
    for name, sources in makers(drawing).items():
        assert sources == wanted.get(name, sources), name
    shown = {node.name for node in drawing.nodes}
    assert {name for name, sources in wanted.items() if sources} <= shown
    boxes = [node for node in drawing.nodes if node.op != "output" and node.role != "reference"]
    held = {node.name: [one.name for one in node.held] for node in boxes}
    for node in graph.nodes:
        if node.name in held and node.target != "operator.getitem":
            read = [graph.nodes[one] for one in node.inputs]
            assert held[node.name] == [one.target for one in read if one.op == "get_attr" and one.source != "unseen"]


@settings(deadline=None, max_examples=300)
@given(PROGRAM, st.booleans())
def test_the_shape_of_a_drawing(program: Program, failed: bool) -> None:
    drawing = draw(built(program, failed))
    children = Counter(child for scope in drawing.scopes for child in scope.children)
    assert children == Counter([*range(len(drawing.nodes)), *(-one - 1 for one in range(1, len(drawing.scopes)))])
    assert len({scope.key for scope in drawing.scopes}) == len(drawing.scopes)
    for number, scope in enumerate(drawing.scopes):
        assert scope.parent < number
        place = {child: at for at, child in enumerate(scope.children)}
        for child in scope.children:
            owner = drawing.nodes[child].scope if child >= 0 else drawing.scopes[child_of_scope(child)].parent
            assert owner == number
        assert len(set(scope.edges)) == len(scope.edges)
        for edge in scope.edges:
            if BORDER not in (edge.source, edge.target):
                assert place[edge.source] < place[edge.target], "an edge goes backwards"
        entries = {edge.exit for edge in scope.edges if edge.source == BORDER}
        exits = {edge.entry for edge in scope.edges if edge.target == BORDER}
        assert (entries, exits) == (set(range(len(scope.inputs))), set(range(len(scope.outputs))))
        inner = [drawing.scopes[child_of_scope(child)] for child in scope.children if child < 0]
        own = [drawing.nodes[child] for child in scope.children if child >= 0]
        assert scope.flops == sum(one.flops for one in (*inner, *own))
        assert scope.bytes == sum(one.bytes for one in (*inner, *own))
        assert scope.operations == sum(one.operations for one in inner) + sum(one.role == "operation" for one in own)
        assert scope.failed == any(one.failed for one in (*inner, *own))
        if scope.form == "repeat":
            assert len(scope.children) == scope.times == len(inner) > 1
            assert len({_look(drawing, child_of_scope(child)) for child in scope.children}) == 1


def _look(drawing: Drawing, number: int) -> object:
    """A member of a repeat, but for names."""
    scope = drawing.scopes[number]
    place = {child: at for at, child in enumerate(scope.children)}
    edges = tuple(
        (place.get(edge.source, -1), place.get(edge.target, -1), edge.exit, edge.entry, edge.value)
        for edge in scope.edges
    )
    children = tuple(
        drawing.nodes[child].title if child >= 0 else _look(drawing, child_of_scope(child)) for child in scope.children
    )
    return scope.form, len(scope.inputs), len(scope.outputs), edges if scope.form != "repeat" else (), children


@settings(deadline=None, max_examples=100)
@given(PROGRAM, st.booleans())
def test_every_graph_can_be_written(program: Program, failed: bool) -> None:
    graph = built(program, failed)
    drawing = draw(graph)
    assert svg(drawing).endswith("</svg>\n")
    assert dot(drawing).endswith("}\n")
    compile(code(graph).text, "graph.py", "exec")
