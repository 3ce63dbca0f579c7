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
    sizes: Tuple[Tuple[str, int], ...] = ()
    """Those of its names; without names, the dims of its tensors get some."""


@dataclass(frozen=True)
class Constraint:
    """What a dim has to be, as far as runs tell: `T <= 1024`, `H % 16 == 0`."""

    kind: ClassVar[str] = "constraint"
    text: str
    span: Optional[Span] = None
    """What fails otherwise."""
