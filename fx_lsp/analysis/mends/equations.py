"""An einsum whose letters do not fit: two of them swapped in one term, or an operand turned."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import combinations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import Shape, grown, moved, shrunk


def propose(broken: Broken) -> Iterator[Edit]:
    """Each swap with which every letter has one size."""
    node, shapes = broken.place(0, "equation"), [one.shape for one in broken.call.operands[1:]]
    first = isinstance(node, ast.Constant)
    given = broken.node.args if isinstance(broken.node, ast.Call) else []
    if not first and given and len(given) == len(shapes) + 1:
        node = given[-1]  # einops has it after the operands
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or None in shapes or not shapes:
        return
    known = [shape for shape in shapes if shape is not None]
    raw, equation = broken.text(node), node.value
    inputs, arrow, output = equation.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(known) or "." in equation or equation not in raw:
        return
    for new in _results(output, inputs):
        yield from broken.instead(node, (raw.replace(equation, f"{inputs}{arrow}{new}"),))
    for number, term in sorted(enumerate(terms), key=lambda one: -one[0]):
        for new in _terms(term, inputs + output):
            changed = [*terms[:number], new, *terms[number + 1 :]]
            letters = {one for text in changed for one in text}
            if _fit(changed, known) and set(output) - {" "} <= letters:
                yield from broken.instead(node, (raw.replace(equation, f"{','.join(changed)}{arrow}{output}"),))
    for changed in _alike(terms, known):
        yield from broken.instead(node, (raw.replace(equation, f"{','.join(changed)}{arrow}{output}"),))
    yield from _turned(broken, terms, known) if first else ()
    if all(len(_letters(term)) == len(shape) - 1 for term, shape in zip(terms, known, strict=True)):
        batched = ",".join(_with_dots(term) for term in terms) + (f"{arrow}{_with_dots(output)}" if arrow else "")
        yield from broken.instead(node, (raw.replace(equation, batched),))


def _turned(broken: Broken, terms: list[str], shapes: list[Shape]) -> Iterator[Edit]:
    """One operand with a dim less or more, or with its dims in another order."""
    for number, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        missing = len(_letters(term)) - len(shape)
        parts = [_apart(broken, other, shape, missing) for other in range(len(shapes)) if other != number]
        parts += _split(terms, shapes, number) if missing == 1 else []
        ways = moved(shape) if not missing else shrunk(shape) if missing < 0 else grown(shape, missing)
        fitted = [(way, new) for way, new in ways if _fit(terms, [*shapes[:number], new, *shapes[number + 1 :]])]
        fitting = [way for way, _ in sorted(fitted, key=lambda one: one[1][:1] != shape[:1])]  # the batch stays first
        yield from broken.after(broken.place(number + 1), (*(one for one in parts if one), *fitting))


def _apart(broken: Broken, other: int, shape: Shape, missing: int) -> str:
    """With the first dims of another operand, which are one dim here."""
    there, node = broken.call.operands[other + 1].shape or (), broken.place(other + 1)
    count = missing + 1
    if isinstance(node, ast.Name) and missing > 0 and shape and shape[0] == math.prod(there[:count]):
        return f".unflatten(0, {node.id}.shape[:{count}])"
    return ""


def _split(terms: list[str], shapes: list[Shape], number: int) -> list[str]:
    """One dim as two, of which another operand says how large one is."""
    letters, shape = _letters(terms[number]), shapes[number]
    sizes = {
        letter: size
        for other, term in enumerate(terms)
        if other != number and len(_letters(term)) == len(shapes[other])
        for letter, size in zip(_letters(term), shapes[other], strict=True)
    }
    found: list[str] = []
    for dim, size in enumerate(shape):
        for place, letter in enumerate(letters[dim : dim + 2]):
            known = sizes.get(letter, 0)
            if known < 2 or size % known:
                continue
            left = size // known
            parts, text = ((left, known), f"(-1, {known})") if place else ((known, left), f"({known}, -1)")
            if _fit(terms, [*shapes[:number], (*shape[:dim], *parts, *shape[dim + 1 :]), *shapes[number + 1 :]]):
                found.append(f".unflatten({dim}, {text})")
    return found


def _results(output: str, inputs: str) -> Iterator[str]:
    """Without a letter that no operand has or that was there before, or with one that is missing in its place."""
    for place, letter in enumerate(output):
        if letter.isalpha() and (letter not in inputs or letter in output[:place]):
            missing = sorted({one for one in inputs if one.isalpha() and one not in output})
            yield f"{output[:place]}{output[place + 1 :]}"
            yield from (f"{output[:place]}{one}{output[place + 1 :]}" for one in missing)


def _terms(term: str, all_letters: str) -> Iterator[str]:
    """Two letters in each other's place; one replaced by another of the equation; one less or more."""
    places = [place for place, letter in enumerate(term) if letter.isalpha()]
    others = sorted({letter for letter in all_letters if letter.isalpha()})
    for one, two in sorted(combinations(places, 2), reverse=True):
        letters = list(term)
        letters[one], letters[two] = letters[two], letters[one]
        yield "".join(letters)
    for place in reversed(places):
        yield from (f"{term[:place]}{letter}{term[place + 1 :]}" for letter in others if letter not in term)
    if " " not in term.strip():
        yield from (f"{term[:place]}{term[place + 1 :]}" for place in places)
        spots = [*places, places[-1] + 1] if places else []
        yield from (f"{term[:at]}{letter}{term[at:]}" for at in spots for letter in others if letter not in term)


def _alike(terms: list[str], shapes: list[Shape]) -> Iterator[list[str]]:
    """Two dims in each other's place in every operand: `bnd,bmd` for `bdn,bdm`."""
    lengths = {len(term) for term in terms}
    for one, two in combinations(range(min(lengths)), 2) if len(lengths) == 1 and len(terms) > 1 else ():
        changed = [f"{term[:one]}{term[two]}{term[one + 1 : two]}{term[one]}{term[two + 1 :]}" for term in terms]
        if not any(" " in term for term in terms) and _fit(changed, shapes):
            yield changed


def _fit(terms: list[str], shapes: list[Shape]) -> bool:
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        letters = _letters(term)
        if len(letters) != len(shape):
            return False
        for letter, size in zip(letters, shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                return False
    return True


def _letters(term: str) -> list[str]:
    return [letter for letter in term if not letter.isspace()]


def _with_dots(term: str) -> str:
    bare = term.lstrip()
    return f"{term[: len(term) - len(bare)]}...{' ' if ' ' in bare.strip() else ''}{bare}"


MEND = Mend(frozenset({"einsum-sizes"}), propose)
