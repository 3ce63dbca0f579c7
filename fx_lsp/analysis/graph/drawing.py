"""A graph made ready to be drawn: nested scopes that open and close, each with the edges between its own children.

What is drawn differs from what ran in three ways, none of which loses anything: parameters are listed in the nodes that
use them, a source that many modules read has a reference in each instead of an edge to all, and equal neighbours stand
once with the number of times.

A child is known by one number: node `n` is `n`, scope `s` is `-s - 1`.
"""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.model.span import Span

BORDER = -1
"""Stands for the border of the scope itself, as the end of an edge: the first scope is never a child."""


def child_of_scope(scope: int) -> int:
    """The number that stands for a scope among children; its own inverse."""
    return -scope - 1


@dataclass(frozen=True)
class DrawnValue:
    """A value that edges carry."""

    label: str
    """`f32[2, 64, 768]`; `(f32[2, 3], f32[2])`."""
    concrete: str
    """With the sizes of the run."""
    dtype: str
    """Of a single tensor, else empty."""
    shape: tuple[int, ...]
    device: str
    stride: tuple[int, ...]
    """Empty when contiguous."""


@dataclass(frozen=True)
class Held:
    """A parameter or buffer that a node reads."""

    name: str
    """`h.0.attn.c_attn.weight`."""
    value: int
    parameter: bool


@dataclass(frozen=True)
class DrawnNode:
    """A box that does not open."""

    title: str
    """What is written on it: `linear`, `Conv2d`, `+`."""
    name: str
    """Its name in the FX graph."""
    op: str
    target: str
    code: str
    role: str
    """`input`, `output`, `operation`, `constant` or `reference`."""
    inputs: tuple[int, ...]
    """Values that it reads."""
    value: int
    """What it makes; -1: nothing with a tensor."""
    scope: int
    place: int
    """Index in `Drawing.spans`; -1: not in the workspace."""
    parameters: int
    flops: int
    bytes: int
    held: tuple[Held, ...] = ()
    origin: int = -1
    """The node that a reference stands for."""
    failed: bool = False


@dataclass(frozen=True)
class DrawnEdge:
    """A value on its way from child to child, or over the border of the scope."""

    source: int
    """Child, or `BORDER`: it comes in through the entry number `exit`."""
    target: int
    """Child, or `BORDER`: it leaves through the exit number `entry`."""
    value: int
    exit: int = 0
    """Number of the source's exit when that is a scope, of this scope's entry when it is `BORDER`."""
    entry: int = 0
    """Number of the target's entry when that is a scope, of this scope's exit when it is `BORDER`."""


@dataclass(frozen=True)
class DrawnScope:
    """A box that opens."""

    form: str
    """`module`; `repeat`: equal neighbours, shown once; `iteration`: one of them where they are several boxes."""
    title: str
    """Name of the class; of a repeat what its members have in common."""
    path: str
    """`h.0.attn`; of a repeat `h.0 … h.11`."""
    key: str
    """Unique in the drawing and the same after an edit elsewhere: what was open stays open."""
    parent: int
    """-1 for the first."""
    times: int
    """Number of members of a repeat, else 1."""
    place: int
    """The expression that calls it; -1: not in the workspace."""
    definition: int
    """Its `def forward`; -1: not in the workspace."""
    inputs: tuple[int, ...]
    """Values that come in, one for each entry."""
    outputs: tuple[int, ...]
    """Values that leave, one for each exit."""
    children: tuple[int, ...]
    """In order of execution."""
    edges: tuple[DrawnEdge, ...]
    operations: int
    """Operations below, of all members."""
    parameters: int
    flops: int
    bytes: int
    failed: bool = False
    """What raised is inside."""


@dataclass(frozen=True)
class Drawing:
    """All of a graph; the first scope is its module."""

    level: str
    name: str
    nodes: tuple[DrawnNode, ...]
    scopes: tuple[DrawnScope, ...]
    values: tuple[DrawnValue, ...]
    spans: tuple[Span, ...]
    omitted: int = 0
    """Operations left out because there were too many."""
    unseen: int = 0
    """Values that came from code which torch tells nothing of."""
