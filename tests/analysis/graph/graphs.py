"""Graphs written as text; no torch needed.

    Net
      x = input() f32[2, 3]
      w = parameter(fc.weight) f32[4, 3]
      h = torch.nn.functional.linear(x, w) f32[2, 4] flops=48 line=3
      Block b.0 line=4 parameters=12
        y = .relu(h) f32[2, 4]
        z = @Linear(y) f32[2, 4] parameters=20
      s = torch.split(z, 2) (f32[2, 2], f32[2, 2])
      a = operator.getitem(s, 0) f32[2, 2] failed
      output(a) f32[2, 2]

Indented lines are inside the call above them; `@Class` is a module that is one node, `.name` a method.
"""

from __future__ import annotations

import re
from textwrap import dedent

from fx_lsp.model.graph import Graph, GraphNode, GraphScope
from fx_lsp.model.span import Span
from fx_lsp.model.value import Group, Value
from tests.analysis.facts import PATH, tensor

NODE = re.compile(r"(?:(\w+) = )?([\w.@]+)\((.*?)\)(?: (.*))?$")
OPTION = re.compile(r" (?:(flops|bytes|line|parameters)=(\d+)|(failed))\b")
SOURCES = ("parameter", "buffer", "constant", "unseen")


def graph(text: str, level: str = "operator") -> Graph:
    """The graph that the text says."""
    made = _Builder(level)
    for line in dedent(text).strip("\n").split("\n"):
        if line.strip():
            made.add(len(line) - len(line.lstrip()), line.strip())
    return made.graph()


class _Builder:
    def __init__(self, level: str) -> None:
        self._level = level
        self._nodes: list[GraphNode] = []
        self._numbers: dict[str, int] = {}
        self._scopes: list[GraphScope] = []
        self._open: list[tuple[int, int]] = []
        self._values: dict[Value, int] = {}
        self._spans: dict[Span, int] = {}
        self._failed = -1

    def graph(self) -> Graph:
        """All of it."""
        arguments = ", ".join(node.target for node in self._nodes if node.op == "placeholder")
        return Graph(
            self._level,
            self._scopes[0].name,
            tuple(self._nodes),
            tuple(self._scopes),
            tuple(self._values),
            tuple(self._spans),
            signature=f"def forward(self, {arguments}):",
            failed=self._failed,
        )

    def add(self, indent: int, line: str) -> None:
        """One line."""
        self._open = [(depth, scope) for depth, scope in self._open if depth < indent]
        options = {name or failed: int(value or 1) for name, value, failed in OPTION.findall(line)}
        line = OPTION.sub("", line)
        span = self._span(options.pop("line", 0))
        match = NODE.match(line)
        if match is None:
            name, _, path = line.partition(" ")
            parent = self._open[-1][1] if self._open else -1
            calls = sum(scope.path == path for scope in self._scopes)
            self._open.append((indent, len(self._scopes)))
            self._scopes.append(GraphScope(path, name, parent, calls, span, parameters=options.get("parameters", 0)))
            return
        if options.pop("failed", 0):
            self._failed = len(self._nodes)
        name = match[1] or "output"
        self._numbers[name] = len(self._nodes)
        self._nodes.append(self._node(name, match[2], match[3], match[4] or "", span, options))

    def _node(self, name: str, target: str, args: str, value: str, span: int, options: dict[str, int]) -> GraphNode:
        inputs = tuple(dict.fromkeys(self._numbers[arg] for arg in re.findall(r"\w+", args) if arg in self._numbers))
        op, source, code = "call_function", "", f"{name} = {target}({args})"
        if target == "input":
            op, target, code = "placeholder", name, ""
        elif target == "output":
            op, code = "output", f"return {args}"
        elif target in SOURCES:
            op, target, source, inputs, code = "get_attr", args, target, (), f"{name} = self.{args}"
        elif target.startswith("@"):
            op, target, source = "call_module", name.replace("_", "."), target[1:]
            code = f"{name} = self.{target}({args})"
        elif target.startswith("."):
            op, target = "call_method", target[1:]
            first, _, rest = args.partition(", ")
            code = f"{name} = {first}.{target}({rest})"
        elif target == "operator.getitem":
            whole, _, index = args.partition(", ")
            code = f"{name} = {whole}[{index}]"
        scope = self._open[-1][1]
        return GraphNode(name, op, target, code, inputs, self._value(value), scope, span, source=source, **options)

    def _value(self, text: str) -> int:
        value = parsed(text)
        return self._values.setdefault(value, len(self._values)) if value is not None else -1

    def _span(self, line: int) -> int:
        if not line:
            return -1
        return self._spans.setdefault(Span(PATH, line, 8, line, 20), len(self._spans))


def parsed(text: str) -> Value | None:
    """`f32[2]`, or `(f32[2], f32[3])`."""
    if not text:
        return None
    if text.startswith("("):
        return Group(
            "tuple", tuple(tensor(part.strip(", ") + "]") for part in text.strip("()").split("]") if part.strip(", "))
        )
    return tensor(text)
