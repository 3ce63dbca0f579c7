"""Whether a term is an instance of a pattern, looking through variables, mostly those that are used only there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from fx_lsp.analysis.rewrites._calls import Caller
from fx_lsp.analysis.rewrites._flow import Definition, Flow
from fx_lsp.analysis.rewrites._terms import COMMUTATIVE, Term
from fx_lsp.model import syntax

MODULES = frozenset({"torch", "F", "nn", "math"})
"""Names that mean the same in every pattern."""


@dataclass(frozen=True)
class Match:
    """What the variables of a pattern stand for."""

    bound: Mapping[str, Term] = field(default_factory=lambda: dict[str, Term]())
    through: tuple[Definition, ...] = ()
    """Statements whose only use is part of it."""
    shared: bool = False
    """Whether it may also be what a variable is bound to that is read elsewhere: that statement stays."""
    seen: tuple[tuple[Term, Term], ...] = ()
    """Such variables, and what they are bound to."""


@lru_cache(maxsize=512)
def pattern(text: str) -> Term:
    """The term of a pattern: `torch.log(torch.softmax(x, dim=d))`; each name is a variable.

    Raises:
        SyntaxError: it is no expression.
    """
    return _pattern(syntax.expression(text).body)


def _pattern(node: ast.expr) -> Term:
    if isinstance(node, ast.Name) and node.id not in MODULES:
        return Term("variable", value=node.id)
    if isinstance(node, ast.Constant):
        return Term("constant", value=(isinstance(node.value, bool), node.value))
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in MODULES:
        return CALLER.imported(node)
    return CALLER.build(node, _pattern)


CALLER = Caller(None, {}, {})


def matches(wanted: Term, term: Term, flow: Flow, found: Match, top: bool = False) -> Iterator[Match]:
    """Every way in which it is one."""
    if wanted.op == "variable":
        if wanted.value not in found.bound:
            yield replace(found, bound={**found.bound, wanted.value: term})
        elif found.bound[wanted.value] == term:
            yield found
        return
    if wanted.op != term.op:
        definition = None if top else flow.defined(term)
        if definition is not None:
            through = replace(found, through=(*found.through, definition))
            yield from matches(wanted, definition.term, flow, through)
        elif found.shared and not top and (made := flow.bound(term)) is not None and _costs_nothing(made):
            yield from matches(wanted, made, flow, replace(found, seen=(*found.seen, (term, made))))
        return
    if not wanted.args and not wanted.named:
        if wanted.value == term.value or _is_written(term, wanted):
            yield found
        return
    if len(wanted.args) != len(term.args) or [key for key, _ in wanted.named] != [key for key, _ in term.named]:
        return
    pairs = [*zip(wanted.parts, term.parts, strict=True)]
    yield from _all(pairs, flow, found)
    if wanted.op in COMMUTATIVE and len(pairs) == 2:
        (one, left), (two, right) = pairs
        yield from _all([(one, right), (two, left)], flow, found)


def _costs_nothing(made: Term) -> bool:
    """Whether what it was made of can be named once more."""
    return all(one.op in ("name", "constant") for one in made.parts)


def _is_written(term: Term, wanted: Term) -> bool:
    """Whether a dim that is counted from the last one by now is written as it is wanted."""
    node = term.node
    if wanted.op != "constant" or not isinstance(node, ast.Constant):
        return False
    return (isinstance(node.value, bool), node.value) == wanted.value


def _all(pairs: list[tuple[Term, Term]], flow: Flow, found: Match) -> Iterator[Match]:
    if not pairs:
        yield found
        return
    for one in matches(*pairs[0], flow, found):
        yield from _all(pairs[1:], flow, one)
