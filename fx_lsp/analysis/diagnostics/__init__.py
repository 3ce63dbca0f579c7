"""Diagnostics: one file per rule, found by folder.

To add a rule, copy a file: its `RULE` says what it is called (after the bad pattern) and finds its problems.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.registry import collect


@dataclass(frozen=True)
class Rule:
    """How problems of one kind are found."""

    id: str
    title: str
    find: Callable[[Snapshot], Iterable[Problem]]


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule in this folder, by file name."""
    return tuple(collect(sys.modules[__name__], "RULE").values())


def all_problems(snapshot: Snapshot) -> tuple[Problem, ...]:
    """Those found without running anything, then those of the rules; by place, each once."""
    found = [*snapshot.problems, *(problem for rule in rules() for problem in rule.find(snapshot))]
    return tuple(sorted(dict.fromkeys(found), key=lambda problem: (problem.span, problem.code)))
