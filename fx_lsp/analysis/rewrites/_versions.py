"""Versions of variables: each place that binds one makes another."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from fx_lsp.analysis.rewrites._terms import Term

Key = tuple[str, tuple[int, ...]]
"""A variable, or an attribute of one, and the version of each of its parts."""


@dataclass(frozen=True)
class Definition:
    """A statement that only binds one variable."""

    statement: ast.stmt
    term: Term


def versioned(path: str, versions: Mapping[str, int]) -> Key:
    """What it is by now."""
    parts = path.split(".")
    return path, tuple(versions.get(".".join(parts[: count + 1]), 0) for count in range(len(parts)))
