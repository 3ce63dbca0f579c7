"""Names for the dims of an example: what is asked for, and what is found besides them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Optional, Tuple

from fx_lsp.model.span import Span


@dataclass(frozen=True)
class Naming:
    """Run the example at other sizes too, and say which sizes follow which."""

    kind: ClassVar[str] = "naming"
    call: str
    """As written, dims not filled in."""
    names: Tuple[str, ...] = ()
    """Those of its dims; without names, the dims of its tensors get some."""
    sizes: Tuple[int, ...] = ()
    """Of the names, in order."""
    engine: str = "fake"
    """The one that ran it."""


@dataclass(frozen=True)
class Constraint:
    """What a dim has to be, as far as runs tell: `T <= 1024`, `H % 16 == 0`."""

    kind: ClassVar[str] = "constraint"
    text: str
    span: Optional[Span] = None
    """What fails otherwise."""
