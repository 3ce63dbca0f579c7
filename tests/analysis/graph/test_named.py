"""Names of dims in graphs: where the facts of the same place say so, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from fx_lsp.analysis.graph.named import named
from fx_lsp.model.graph import Graph, GraphNode, GraphScope
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, Operation, OperationVariant, Variant
from fx_lsp.model.value import TensorType, label

HERE, THERE = Span("model.py", 7, 8, 7, 18), Span("model.py", 8, 8, 8, 18)
IN, OUT = TensorType("f32", (2, 8)), TensorType("f32", (2, 4))
B_IN, B_OUT = replace(IN, names=("B", None)), replace(OUT, names=("B", None))
GRAPH = Graph(
    "module",
    "Net",
    (
        GraphNode("x", "placeholder", "x", "", (), output=0),
        GraphNode("fc", "call_module", "fc", "fc = self.fc(x)", (0,), output=1, span=0),
        GraphNode("relu", "call_method", "relu", "relu = fc.relu()", (1,), output=1, span=1),
        GraphNode("output", "output", "output", "return relu", (2,)),
    ),
    (GraphScope("", "Net"),),
    (IN, OUT),
    (HERE, THERE),
)


def operation(span: Span, *outputs: TensorType) -> Operation:
    return Operation(span, "linear", "function", tuple(OperationVariant((B_IN,), output) for output in outputs))


def seen(*operations: Operation) -> TraceReply:
    return TraceReply(1, bindings=(Binding(HERE, "x", "parameter", (Variant(B_IN),)),), operations=operations)


def labels(graph: Graph) -> list[str]:
    return [label(graph.values[node.output]) for node in graph.nodes if node.output != -1]


def test_each_place_has_its_own_names() -> None:
    found = named(GRAPH, seen(operation(HERE, B_OUT)))
    assert labels(found) == ["f32[B, 8]", "f32[B, 4]", "f32[2, 4]"]
    assert found.values[:2] == (IN, OUT)


def test_of_two_names_of_one_place_none_is_taken() -> None:
    other = replace(OUT, names=("T", None))
    assert labels(named(GRAPH, seen(operation(HERE, B_OUT, other), operation(THERE, B_OUT)))) == [
        "f32[B, 8]",
        "f32[2, 4]",
        "f32[B, 4]",
    ]


def test_other_sizes_have_other_names() -> None:
    wide = TensorType("f32", (3, 4), names=("B", None))
    assert labels(named(GRAPH, seen(operation(HERE, wide)))) == ["f32[B, 8]", "f32[2, 4]", "f32[2, 4]"]


def test_without_names_it_is_the_same_graph() -> None:
    assert named(GRAPH, TraceReply(1, operations=(operation(HERE, OUT),))) is GRAPH
