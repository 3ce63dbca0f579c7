"""Places in the source that probes report to, by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Tuple

from fx_lsp.model.span import Span


@dataclass(frozen=True)
class Site:
    """A name that is bound there."""

    span: Span
    name: str
    role: str


@dataclass(frozen=True)
class Block:
    """Statements that run together or not at all."""

    path: str
    entry: int
    """Number of the block that opens the same function."""
    lines: Tuple[int, ...]


class Sites:
    """Grows while workspace files are imported."""

    def __init__(self) -> None:
        self.bindings: List[Site] = []
        self.blocks: List[Block] = []
        self.sources: Dict[str, str] = {}
        """Text of each instrumented file, by path."""

    def binding(self, span: Span, name: str, role: str) -> int:
        """Number of a new binding site."""
        self.bindings.append(Site(span, name, role))
        return len(self.bindings) - 1

    def block(self, path: str, entry: int, lines: Tuple[int, ...]) -> int:
        """Number of a new block; `entry` -1 makes it the first of its function."""
        number = len(self.blocks)
        self.blocks.append(Block(path, number if entry < 0 else entry, lines))
        return number
