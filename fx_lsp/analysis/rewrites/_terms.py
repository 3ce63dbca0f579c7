"""Expressions as what they compute, whatever way they are spelt: `q @ k.mT` and `torch.bmm(q, k.transpose(1, 2))` are
one term."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

COMMUTATIVE = frozenset({"add", "mul", "eq", "ne", "maximum", "minimum", "logical_and", "logical_or"})


@dataclass(frozen=True)
class Term:
    """An operation on terms, or a leaf.  Terms that compute the same are equal wherever they stand."""

    op: str
    """Name of the function in torch, or `name`, `constant`, `text` for what is no operation."""
    args: tuple[Term, ...] = ()
    named: tuple[tuple[str, Term], ...] = ()
    value: Any = None
    """Of a leaf: the name with its version, the constant, the text."""
    node: ast.expr | None = field(default=None, compare=False, repr=False)
    """Where it is written."""

    def get(self, place: int, name: str) -> Term | None:
        """The argument at a place or with a name."""
        found = next((term for key, term in self.named if key == name), None)
        return found if found is not None or place >= len(self.args) else self.args[place]

    @property
    def parts(self) -> Iterator[Term]:
        """Its arguments."""
        yield from self.args
        yield from (term for _, term in self.named)

    def leaves(self) -> Iterator[Term]:
        """All the leaves."""
        inner = [*self.parts]
        if not inner:
            yield self
        for term in inner:
            yield from term.leaves()


def constant(value: Any, node: ast.expr | None = None) -> Term:
    """A constant: `True` is not 1."""
    return Term("constant", value=(isinstance(value, bool), value), node=node)


def plain(term: Term | None) -> Any:
    """The value of a constant; None for everything else."""
    return term.value[1] if term is not None and term.op == "constant" else None


def name(key: tuple[str, tuple[int, ...]], node: ast.expr | None = None) -> Term:
    """A variable, or an attribute such as `self.scale`, with its version."""
    return Term("name", value=key, node=node)


def written(text: str) -> Term:
    """What is to be written as it is."""
    return Term("written", value=text)


def swapped(term: Term, key: tuple[str, tuple[int, ...]], other: Term) -> Term:
    """The term with another one in place of a variable; what is written stays what it is."""
    if term.op == "name" and term.value == key:
        return replace(other, node=term.node)
    if not term.args and not term.named:
        return term
    named = tuple((at, swapped(one, key, other)) for at, one in term.named)
    return replace(term, args=tuple(swapped(one, key, other) for one in term.args), named=named)
