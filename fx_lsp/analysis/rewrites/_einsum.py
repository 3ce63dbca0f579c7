"""Sums over products that are a product of matrices."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fx_lsp.analysis.rewrites._terms import Term, constant, plain

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum(args: Sequence[Term], named: bool, node: ast.expr | None) -> Term | None:
    """The product, of operands and with a result that are turned where need be; `named`: axes have names, and what is
    done comes last, as einops has it."""
    parts = _parts(args, named)
    if parts is None:
        return None
    (left, right, output), operands = parts
    if not {*output} <= {*left, *right} or any(len({*one}) != len(one) for one in (left, right, output)):
        return None
    summed = ({*left} & {*right}) - {*output}
    if len(summed) != 1 or ({*left} ^ {*right}) - {*output}:
        return None
    (k,) = summed
    alone = not {*left} & {*right} & {*output} and len(right) == 2 and left[-1] == k
    if alone and output == left[:-1] + right.replace(k, ""):
        other = operands[1] if right[0] == k else _turned(operands[1], -2, -1)
        return Term("matmul", (operands[0], other), node=node)
    rows, columns = ([one for one in output if one in inside and one not in outside]
                     for inside, outside in ((left, right), (right, left)))  # fmt: skip
    if len(rows) != 1 or len(columns) != 1:
        return None
    sides = [(left, operands[0], rows[0]), (right, operands[1], columns[0])]
    if output.index(rows[0]) > output.index(columns[0]):
        sides.reverse()
    batch = "".join(one for one in output if one not in (rows[0], columns[0]))
    first, second = (_placed(text, term, batch, own, k) for text, term, own in sides)
    moved = _swaps(batch + sides[0][2] + sides[1][2], output)
    if first is None or second is None or moved is None:
        return None
    product = Term("matmul", (first, _turned(second, -2, -1)), node=None if moved else node)
    for at in moved:
        product = _turned(product, *at)
    return replace(product, node=node)


def _parts(args: Sequence[Term], named: bool) -> tuple[tuple[str, str, str], Sequence[Term]] | None:
    """What stands for both operands and the result, a letter for each axis, and the operands."""
    equation: Any = plain(args[-1] if named else args[0]) if args else None
    operands = args[:-1] if named else args[1:]
    if len(operands) == 1 and operands[0].op == "tuple":
        operands = operands[0].args
    if not isinstance(equation, str) or len(operands) != 2 or equation.count("->") != 1 or equation.count(",") != 1:
        return None
    texts = equation.replace(",", "->").split("->")
    if not named:
        found = [one.replace(" ", "").replace("...", "*") for one in texts]
        dots = {one.startswith("*") for one in found}
        known = len(dots) == 1 and all(one.lstrip("*").isalpha() for one in found)
        return ((found[0], found[1], found[2]), operands) if known else None
    axes = [one.split() for one in texts]
    names = [*dict.fromkeys(one for axis in axes for one in axis)]
    if len(names) > len(_LETTERS) or not all(one.isidentifier() for one in names):
        return None
    letters = dict(zip(names, _LETTERS, strict=False))
    found = ["".join(letters[one] for one in axis) for axis in axes]
    return (found[0], found[1], found[2]), operands


def _placed(text: str, term: Term, batch: str, own: str, k: str) -> Term | None:
    """The operand with its own axis next to last and the one that is summed last."""
    for wanted, turned in ((batch + own + k, False), (batch + k + own, True)):
        if text == wanted:
            return _turned(term, -2, -1) if turned else term
    for wanted, turned in ((batch + own + k, False), (batch + k + own, True)):
        swaps = _swaps(text, wanted)
        if swaps is not None and len(swaps) == 1:
            term = _turned(term, *swaps[0])
            return _turned(term, -2, -1) if turned else term
    return None


def _swaps(text: str, wanted: str) -> list[tuple[int, int]] | None:
    """The dims to swap, if that is at most one pair."""
    if sorted(text) != sorted(wanted):
        return None
    moved = [place for place, (one, other) in enumerate(zip(text, wanted, strict=True)) if one != other]
    if not moved:
        return []
    dots = any(text[place] == "*" or wanted[place] == "*" for place in moved)
    return [(moved[0] - len(text), moved[1] - len(text))] if len(moved) == 2 and not dots else None


def _turned(term: Term, *dims: int) -> Term:
    """Two dims swapped; what is swapped already is swapped back."""
    if term.op == "transpose" and [plain(one) for one in term.args[1:]] == [*dims]:
        return term.args[0]
    return Term("transpose", (term, *map(constant, dims)))
