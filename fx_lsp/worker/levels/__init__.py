"""Levels of graph, one file each, found by folder; what there is, the worker says in its `Hello`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Callable, Dict

from torch import nn

from fx_lsp.model import graph
from fx_lsp.model.registry import collect


@dataclass(frozen=True)
class Level:
    """A level that is recorded while the module runs."""

    id: str
    title: str
    is_leaf: Callable[[nn.Module], bool]
    """Whether a call of the module is one node; else what runs inside is recorded."""


def levels() -> Dict[str, Level]:
    """Every level, by its id."""
    return {level.id: level for level in collect(sys.modules[__name__], "LEVEL").values()}


def offered() -> "tuple[graph.Level, ...]":
    """What the server is told."""
    return tuple(graph.Level(level.id, level.title) for level in levels().values())
