"""Rewrites of graphs that have no source form: one file for each, found by folder.

To add one, copy a file: its `RULE` says what it is called and changes a graph; what it returns says how a state dict
of the old module becomes one of the new.  Its docstring has a `forward` before and after, which is its first test.
Whatever it does, the file that comes of it is run beside the old module before anybody gets it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

import torch

from fx_lsp.model import graph_rewrite
from fx_lsp.model.registry import collect


class Change(NamedTuple):
    """What a rule did."""

    made: Tuple[str, ...] = ()
    """A few words for each place."""
    convert: Optional[Callable[..., None]] = None
    """Makes the entries of an old state dict new ones, in place: it is called with the state dict, the prefix, and one
    row.  Its source is written into the file, so it may use nothing but torch and the built-ins."""
    rows: Tuple[Tuple[Any, ...], ...] = ()
    """What it is called with, literals only."""


@dataclass(frozen=True)
class GraphRule:
    """One rewrite."""

    id: str
    title: str
    apply: Callable[[torch.fx.GraphModule, Dict[str, int]], Change]
    """Changes the graph and its modules in place; given the number of dims of each node's tensor, by name."""
    nothing: str
    """Why it finds nothing to do, as a sentence without its full stop."""


def rules() -> Dict[str, GraphRule]:
    """Every rule, by its id."""
    return {rule.id: rule for rule in collect(sys.modules[__name__], "RULE").values()}


def offered() -> "Tuple[graph_rewrite.GraphRule, ...]":
    """What the server is told."""
    return tuple(graph_rewrite.GraphRule(rule.id, rule.title) for rule in rules().values())
