"""The table of values that edges carry."""

from __future__ import annotations

from fx_lsp.analysis.graph.drawing import DrawnValue
from fx_lsp.model.graph import Graph
from fx_lsp.model.value import TensorType, Value, concrete, label, tensors

NOTHING = DrawnValue("", "", "", (), "", ())
"""On an edge that only says what must run before: no tensor goes over it."""


def drawn_value(value: Value) -> DrawnValue:
    """Dtype, shape and strides are those of a single tensor, the device that of the first."""
    device = next((tensor.device for tensor in tensors(value)), "")
    if isinstance(value, TensorType):
        return DrawnValue(label(value), concrete(value), value.dtype, value.shape, device, value.stride)
    return DrawnValue(label(value), concrete(value), "", (), device, ())


class Values:
    """The values of the graph at their own indexes, and `NOTHING` behind them if it is needed."""

    def __init__(self, graph: Graph) -> None:
        self.drawn = [drawn_value(value) for value in graph.values]
        self._outputs = [node.output for node in graph.nodes]
        self._nothing = -1

    def on_edge(self, node: int) -> int:
        """Index of what comes out of a node and is read."""
        output = self._outputs[node]
        if output != -1:
            return output
        if self._nothing == -1:
            self._nothing = len(self.drawn)
            self.drawn.append(NOTHING)
        return self._nothing
