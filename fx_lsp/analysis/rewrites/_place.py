"""The statement in which a rewrite puts what several statements before it have computed."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from fx_lsp.analysis.rewrites._flow import Definition, Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._write import Unwritable, text_of


@dataclass(frozen=True)
class Place:
    """Where the fused call is to stand."""

    flow: Flow
    statement: ast.stmt


def text(at: Place, term: Term, gone: tuple[Definition, ...] = ()) -> str:
    """As it is written, if it means the same there, or asks only for the dtype or device of what is `gone`.

    Raises:
        Unwritable: it does not.
    """
    if not all(at.flow.same_at(leaf, at.statement, gone) or _is_of(at.flow, leaf, gone) for leaf in term.leaves()):
        raise Unwritable
    return text_of(at.flow.file, term)


def _is_of(flow: Flow, leaf: Term, gone: tuple[Definition, ...]) -> bool:
    """Whether it is what one of them binds: all else that reads it is gone with it."""
    if leaf.op != "name":
        return False
    path, versions = leaf.value
    found = flow.definitions.get((path.partition(".")[0], versions[:1]))
    return any(found is one for one in gone)


def seen(at: Place, term: Term, through: tuple[Definition, ...]) -> tuple[Term, tuple[Definition, ...]]:
    """What a variable that is used only here stands for."""
    while (found := at.flow.defined(term)) is not None:
        term, through = found.term, (*through, found)
    return term, through
