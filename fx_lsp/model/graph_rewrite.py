"""A graph that is rewritten, and the module file that comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Optional, Tuple

from fx_lsp.model.span import Span


@dataclass(frozen=True)
class GraphRule:
    """A rewrite of graphs that the worker knows."""

    kind: ClassVar[str] = "graph_rule"
    id: str
    title: str


@dataclass(frozen=True)
class GraphRewrite:
    """Which rewrite of which graph: that of the first instance of a class that the example calls."""

    kind: ClassVar[str] = "graph_rewrite"
    rule: str
    """Empty: the first that there is."""
    path: str
    """File that defines the class."""
    name: str
    """`__qualname__` of the class."""


@dataclass(frozen=True)
class Rewritten:
    """What came of it."""

    kind: ClassVar[str] = "rewritten"
    before: str = ""
    """The graph as it was, as a module file of Python that needs torch alone."""
    after: str = ""
    """The same with the rewrite; empty when there is a reason in `why`."""
    why: str = ""
    """Why it is not done, in one sentence without its full stop."""
    span: Optional[Span] = None
    """The expression that stands in the way."""
    made: Tuple[str, ...] = ()
    """What was rewritten: `conv1 + bn1`."""
    checks: int = 0
    """Runs of old and new that were compared, on real tensors with the state dict of the old one."""
    difference: float = 0.0
    """Largest difference of outputs, relative to the largest value of each that is above one."""
    dtype: str = "f64"
    """What was computed in: `f32` where the model does not run in `f64`."""
    rule: str = ""
    """The rewrite."""
    uncalled: bool = False
    """Whether there is nothing to rewrite since the example does not call the class."""
