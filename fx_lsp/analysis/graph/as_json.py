"""A graph as JSON that other programs may rely on.

    {"version": 1, "level": "operator", "name": "Net", "failed": null, "omitted": 0,
     "modules": [{"path": "fc", "class": "Linear", "call": 0, "parent": {"path": "", "call": 0}, "parameters": 36,
                  "span": {…}}, …],
     "nodes": [{"name": "linear", "op": "call_function", "target": "torch.nn.functional.linear",
                "code": "linear = …", "inputs": ["x", "fc_weight", "fc_bias"], "value": "f32[2, 4]",
                "dtype": "f32", "shape": [2, 4], "parameters": 0, "flops": 64, "bytes": 32, "source": "",
                "module": {"path": "fc", "call": 0}, "span": {"path": "model.py", "line": 7, "column": 8, …}}, …]}

Nodes stand in order of execution, and `inputs` are names of nodes.  `op` is that of `torch.fx`.  `dtype` and `shape`
are null for what is no single tensor; so is `span` for what is not in the workspace.  Lines count from 1, columns from
0 in characters; paths are relative to the root.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.report import relative
from fx_lsp.model.graph import Graph, GraphNode, GraphScope
from fx_lsp.model.span import Span
from fx_lsp.model.value import TensorType, concrete

VERSION = 1
"""Changes when a reader must."""


def as_json(graph: Graph, text_of: Callable[[str], str], root: str) -> str:
    """The text of a file; `text_of` gives the text of a file by its path."""
    report = _Report(graph, text_of, root).report()
    return "{" + ",\n ".join(f"{_dumped(name)}: {_lines(value)}" for name, value in report.items()) + "}\n"


def _lines(value: Any) -> str:
    """A list with one item a line."""
    if not isinstance(value, list) or not value:
        return _dumped(value)
    return "[\n  " + ",\n  ".join(map(_dumped, cast("list[Any]", value))) + "]"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Report:
    def __init__(self, graph: Graph, text_of: Callable[[str], str], root: str) -> None:
        self._graph, self._text_of, self._root = graph, text_of, root

    def report(self) -> dict[str, Any]:
        """All of it."""
        graph = self._graph
        return {
            "version": VERSION,
            "level": graph.level,
            "name": graph.name,
            "failed": graph.nodes[graph.failed].name if graph.failed != -1 else None,
            "omitted": graph.omitted,
            "modules": [self._module(scope) for scope in graph.scopes],
            "nodes": [self._node(node) for node in graph.nodes],
        }

    def _module(self, scope: GraphScope) -> dict[str, Any]:
        return {
            "path": scope.path,
            "class": scope.name,
            "call": scope.call,
            "parent": self._called(scope.parent) if scope.parent != -1 else None,
            "parameters": scope.parameters,
            "span": self._span(scope.span),
        }

    def _node(self, node: GraphNode) -> dict[str, Any]:
        value = self._graph.values[node.output] if node.output != -1 else None
        tensor = value if isinstance(value, TensorType) else None
        return {
            "name": node.name,
            "op": node.op,
            "target": node.target,
            "code": node.code,
            "inputs": [self._graph.nodes[number].name for number in node.inputs],
            "value": concrete(value) if value is not None else None,
            "dtype": tensor.dtype if tensor is not None else None,
            "shape": list(tensor.shape) if tensor is not None else None,
            "parameters": node.parameters,
            "flops": node.flops,
            "bytes": node.bytes,
            "source": node.source,
            "module": self._called(node.scope),
            "span": self._span(node.span),
        }

    def _called(self, number: int) -> dict[str, Any]:
        scope = self._graph.scopes[number]
        return {"path": scope.path, "call": scope.call}

    def _span(self, number: int) -> dict[str, Any] | None:
        if number == -1:
            return None
        span: Span = self._graph.spans[number]
        places = columns(self._text_of(span.path))
        return {
            "path": relative(span.path, self._root),
            "line": span.line,
            "column": places.character(span.line, span.column),
            "endLine": span.end_line,
            "endColumn": places.character(span.end_line, span.end_column),
        }
