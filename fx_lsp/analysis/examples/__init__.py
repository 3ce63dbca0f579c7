"""Where examples come from: one file per origin, found by folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.snapshot import Problem
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import ORIGINS, Example
from fx_lsp.model.registry import collect

Found = Example | Problem


@dataclass(frozen=True)
class Finder:
    """Finds the examples of one origin for the classes of a file, best first, and mistakes in how they are written."""

    origin: str
    """One of `ORIGINS`."""
    find: Callable[[Workspace, Config, str], tuple[Found, ...]]


@cache
def finders() -> dict[str, Finder]:
    """All finders by origin, in the order of `ORIGINS`."""
    found: dict[str, Finder] = {f.origin: f for f in collect(sys.modules[__name__], "FINDER").values()}
    return {origin: found[origin] for origin in ORIGINS if origin in found}
