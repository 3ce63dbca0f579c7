"""From a recorded graph to the one that is sent."""

from __future__ import annotations

import inspect
import re
from types import CodeType
from typing import Any, Dict, Optional, Tuple

from torch import fx
from torch.fx.graph_module import _format_import_statement
from torch.package import sys_importer

from fx_lsp.model.graph import Graph, GraphNode, GraphScope
from fx_lsp.model.span import Span
from fx_lsp.model.value import Opaque, Value
from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.modules import parameter_count
from fx_lsp.worker.capture.recorder import function_name
from fx_lsp.worker.graph.recording import Recording, Site

_FREED = re.compile(r";  (\w+ = )+None$")
"""FX drops each value after its last use."""


def graph_of(recording: Recording, frames: Frames) -> Graph:
    """The graph as the server gets it."""
    return _Facts(recording, frames).graph()


class _Facts:
    def __init__(self, recording: Recording, frames: Frames) -> None:
        self._recording, self._frames = recording, frames
        self._values: Dict[Value, int] = {}
        self._spans: Dict[Span, int] = {}
        self._sites: Dict[Site, int] = {}
        self._parameters: Dict[int, int] = {}
        self._definitions: Dict[type, int] = {}

    def graph(self) -> Graph:
        """Everything."""
        recording = self._recording
        order = {node: number for number, node in enumerate(recording.graph.nodes)}
        code, signature, imports = _code(recording.graph)
        return Graph(
            level=recording.level.id,
            name=type(recording.root).__qualname__,
            nodes=tuple(self._node(node, order, code.get(node, "")) for node in order),
            scopes=tuple(self._scope(number) for number in range(len(recording.scopes))),
            values=tuple(self._values),
            spans=tuple(self._spans),
            imports=imports,
            signature=signature,
            failed=order[recording.failed] if recording.failed is not None else -1,
            omitted=recording.omitted,
        )

    def _node(self, node: fx.Node, order: Dict[fx.Node, int], code: str) -> GraphNode:
        about = self._recording.about[node]
        module = about.module
        return GraphNode(
            name=node.name,
            op=node.op,
            target=node.target if isinstance(node.target, str) else _function_name(node.target),
            code=code,
            inputs=tuple(order[one] for one in node.all_input_nodes),
            output=self._value(about.value),
            scope=about.scope,
            span=self._argument(node.target) if node.op == "placeholder" else self._site(about.site),
            parameters=self._count(module) if module is not None else about.parameters,
            flops=about.flops,
            bytes=about.bytes,
            source=about.source,
        )

    def _scope(self, number: int) -> GraphScope:
        scope = self._recording.scopes[number]
        return GraphScope(
            path=scope.path,
            name=type(scope.module).__name__,
            parent=scope.parent,
            call=scope.call,
            span=self._site(scope.site),
            definition=self._definition(type(scope.module)),
            parameters=self._count(scope.module),
        )

    def _count(self, module: Any) -> int:
        if id(module) not in self._parameters:
            self._parameters[id(module)] = parameter_count(module)
        return self._parameters[id(module)]

    def _value(self, value: Optional[Value]) -> int:
        if value is None or isinstance(value, Opaque):
            return -1
        return self._values.setdefault(value, len(self._values))

    def _site(self, site: Optional[Site]) -> int:
        if site is None:
            return -1
        if site not in self._sites:
            self._sites[site] = self._span(self._frames.span(*site[1:]))
        return self._sites[site]

    def _argument(self, target: str) -> int:
        code = _forward(type(self._recording.root))
        place = self._frames.argument(code, target.lstrip("*")) if self._is_ours(code) else None
        return self._span(place) if place is not None else -1

    def _is_ours(self, code: Optional[CodeType]) -> bool:
        return code is not None and code.co_filename in self._frames.sources

    def _definition(self, cls: type) -> int:
        if cls not in self._definitions:
            code = _forward(cls)
            self._definitions[cls] = self._span(self._frames.definition(code)) if self._is_ours(code) else -1
        return self._definitions[cls]

    def _span(self, span: Span) -> int:
        return self._spans.setdefault(span, len(self._spans))


def _forward(cls: type) -> Any:
    forward = getattr(cls, "forward", None)
    return getattr(inspect.unwrap(forward), "__code__", None) if forward is not None else None


def _function_name(target: Any) -> str:
    if getattr(target, "__module__", "") in ("_operator", "builtins"):
        name = target.__name__
        return name if target.__module__ == "builtins" else f"operator.{name}"
    return function_name(target)


def _code(graph: fx.Graph) -> "Tuple[Dict[fx.Node, str], str, Tuple[str, ...]]":
    """The statement of each node, the line of `def`, and the imports, as FX writes them."""
    written = graph.python_code("self")
    lines = written.src.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith("def "))
    nodes = list(graph.nodes)
    found: Dict[fx.Node, str] = {}
    for line, number in (written._lineno_map or {}).items():
        if number is not None and start + line < len(lines):
            found.setdefault(nodes[number], _FREED.sub("", lines[start + line].strip()))
    words = set(re.findall(r"\w+", written.src))
    used = {name: value for name, value in written.globals.items() if name in words}
    return found, lines[start], tuple(sorted({_import(name, value) for name, value in used.items()} - {""}))


def _import(name: str, value: Any) -> str:
    if name in ("getattr", "setattr"):
        return ""
    return _format_import_statement(name, value, sys_importer)
