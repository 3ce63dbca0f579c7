"""Sizes that are asked of a variable which a rewrite has no use for any more: what it was made of has the same ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._match import Match
from fx_lsp.analysis.rewrites._terms import Term, written
from fx_lsp.analysis.rewrites._write import Unwritable, text_of

_EACH = frozenset({"sigmoid", "log_softmax", "softmax"})
"""Give as many numbers as they take."""


def asked_of_given(flow: Flow, match: Match) -> Match:
    """With `x.size(-1)` for the `p.size(-1)` of `p = x.softmax(-1)`, which is looked through; that statement is gone if
    nothing else reads it."""
    for variable, made in match.seen:
        x, definition = made.args[0], flow.definitions.get(variable.value)
        if made.op not in _EACH or x.op != "name" or definition is None:
            continue
        bound, count = _asked(flow, match.bound, variable.value[0], x)
        through = match.through
        if count and flow.uses[variable.value] - flow.asides[variable.value] == 1 + count:
            through = (*through, definition)
        match = replace(match, bound=bound, through=through)
    return match


def _asked(flow: Flow, bound: Mapping[str, Term], name: str, x: Term) -> tuple[dict[str, Term], int]:
    """What is bound, and how often it asked."""
    sizes, found, count = re.compile(rf"(?<![\w.]){re.escape(name)}(?=\.(?:size\(|shape\b))"), dict(bound), 0
    for key, term in bound.items():
        if term is x or not any(_is_of(leaf, name) for leaf in term.leaves()):
            continue
        try:
            text, times = sizes.subn(text_of(flow.file, x), text_of(flow.file, term))
        except Unwritable:
            continue
        found[key], count = written(text), count + times
    return found, count


def _is_of(leaf: Term, name: str) -> bool:
    return leaf.op == "name" and leaf.value[0].partition(".")[0] == name
