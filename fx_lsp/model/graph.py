"""The FX graph of one call of a module, as the worker sends it.

Values and spans are in tables and nodes say only where: a model of twenty thousand operations has few distinct ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Tuple

from fx_lsp.model.span import Span
from fx_lsp.model.value import Value


@dataclass(frozen=True)
class Level:
    """A level of graph that the worker can make."""

    kind: ClassVar[str] = "level"
    id: str
    title: str


@dataclass(frozen=True)
class GraphNode:
    """A node of the `torch.fx.Graph`."""

    kind: ClassVar[str] = "graph_node"
    name: str
    """Its name in the graph: `linear_3`."""
    op: str
    """`placeholder`, `get_attr`, `call_function`, `call_method`, `call_module` or `output`."""
    target: str
    """`torch.nn.functional.linear`, `view`, `h.0.attn.c_attn`; the argument's name for a placeholder."""
    code: str
    """The statement that FX writes for it; for a placeholder only where its name in the graph is not the argument's."""
    inputs: Tuple[int, ...]
    """Nodes that it reads, in order of its arguments, each once."""
    output: int = -1
    """Index in `Graph.values`; -1: nothing with a tensor."""
    scope: int = 0
    """Index in `Graph.scopes`: the module call that it ran in."""
    span: int = -1
    """Index in `Graph.spans`: the expression of the workspace that made it; -1: none."""
    parameters: int = 0
    """Elements of the parameters that it uses: for `call_module` those of the module, for `get_attr` its own."""
    flops: int = 0
    """Floating-point operations as `torch.utils.flop_counter` counts them: products and convolutions, two for each
    multiplication with addition; everything else counts nothing."""
    bytes: int = 0
    """Bytes of new memory that its output holds; none for views and for what was there before."""
    source: str = ""
    """For `get_attr`: `parameter`, `buffer`, `constant`, or `unseen` for a value made by code that torch tells nothing
    of; for `call_module` the name of the class."""


@dataclass(frozen=True)
class GraphScope:
    """One call of a module that nodes ran in; the first is the call that the graph is of."""

    kind: ClassVar[str] = "graph_scope"
    path: str
    """`h.0.attn`, seen from the graph's own module; empty for that one."""
    name: str
    """Name of its class."""
    parent: int = -1
    """Index of the scope around it, always smaller than its own; -1 for the first."""
    call: int = 0
    """How many calls of the same module came before in this graph."""
    span: int = -1
    """Index in `Graph.spans`: the expression that calls it."""
    definition: int = -1
    """Index in `Graph.spans`: its `def forward`; -1 when that is not in the workspace."""
    parameters: int = 0
    """Elements of the parameters below the module, shared ones once."""


@dataclass(frozen=True)
class Graph:
    """What one call of a module did, whole or up to where it failed."""

    kind: ClassVar[str] = "graph"
    level: str
    name: str
    """Qualified name of the module's class."""
    nodes: Tuple[GraphNode, ...]
    """In order of execution; inputs stand before their users."""
    scopes: Tuple[GraphScope, ...]
    values: Tuple[Value, ...] = ()
    spans: Tuple[Span, ...] = ()
    imports: Tuple[str, ...] = ()
    """Import statements that the code of the nodes needs."""
    signature: str = ""
    """`def forward(self, x, mask = None):`"""
    failed: int = -1
    """Node that raised; -1 when none did, or when what raised is no operation."""
    omitted: int = 0
    """Nodes left out because there were too many."""
