"""A polynomial with whole coefficients through numbers that were counted: `3538944*B*T + 3072*B*T**2`.

One is given only when it is exact at every size that was tried, those included that it was not made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

MAX_DEGREE = 3
"""In one dim."""

Sizes = tuple[int, ...]
"""One for each dim."""
Terms = dict[Sizes, int]
"""Coefficients, by the power of each dim."""


def candidates(size: int) -> tuple[int, ...]:
    """Sizes of a dim to try besides the one of the example: first what it divides, since not all may be possible."""
    found = (2 * size, 3 * size, size + 1, 4 * size, size // 2, size - 1)
    return tuple(one for one in dict.fromkeys(found) if one > 0 and one != size)


def degree(points: Mapping[int, int]) -> int | None:
    """Of a polynomial in one dim through all the points; None when they are too few to tell."""
    sizes = sorted(points)
    for power in range(min(MAX_DEGREE, len(sizes) - 2) + 1):
        terms = _through(sizes[: power + 1], [points[size] for size in sizes[: power + 1]])
        if all(_value(terms, size) == points[size] for size in sizes):
            return power
    return None


def grid(degrees: Sequence[int], sizes: Sequence[Sequence[int]]) -> list[Sizes]:
    """Where a polynomial of these degrees has to be known; the sizes of each dim in the order in which to take them."""
    return list(product(*(one[: power + 1] for power, one in zip(degrees, sizes, strict=True))))


def fit(degrees: Sequence[int], points: Mapping[Sizes, int]) -> Terms | None:
    """The polynomial of these degrees through the points, of which a grid is needed; None when there is none with whole
    coefficients that is true at all of them."""
    axes = [list(dict.fromkeys(sizes[index] for sizes in points)) for index in range(len(degrees))]
    if any(len(axis) <= power for axis, power in zip(axes, degrees, strict=True)):
        return None
    made_from = grid(degrees, axes)
    if not all(sizes in points for sizes in made_from):
        return None
    terms: dict[Sizes, Fraction] = {}
    for sizes in made_from:
        bases = [_base(axis[: power + 1], size) for axis, power, size in zip(axes, degrees, sizes, strict=True)]
        for powers in product(*(range(power + 1) for power in degrees)):
            part = Fraction(points[sizes])
            for base, power in zip(bases, powers, strict=True):
                part *= base[power]
            terms[powers] = terms.get(powers, Fraction(0)) + part
    if any(one.denominator != 1 for one in terms.values()):
        return None
    whole = {powers: int(one) for powers, one in terms.items() if one}
    return whole if all(value(whole, sizes) == number for sizes, number in points.items()) else None


def value(terms: Terms, sizes: Sizes) -> int:
    """What it gives there."""
    total = 0
    for powers, part in terms.items():
        for size, power in zip(sizes, powers, strict=True):
            part *= size**power
        total += part
    return total


def written(terms: Terms, names: Sequence[str]) -> str:
    """`3538944*B*T + 3072*B*T**2`, as Python."""
    parts = [_term(part, powers, names) for powers, part in sorted(terms.items(), key=lambda item: _order(item[0]))]
    return " + ".join(parts).replace("+ -", "- ") or "0"


def _order(powers: Sizes) -> tuple[int, Sizes]:
    return -sum(powers), tuple(-power for power in powers)


def _term(part: int, powers: Sizes, names: Sequence[str]) -> str:
    factors = [name if power == 1 else f"{name}**{power}" for name, power in zip(names, powers, strict=True) if power]
    return "*".join([*([str(part)] if abs(part) != 1 or not factors else ["-1"] if part < 0 else []), *factors])


def _through(sizes: Sequence[int], numbers: Sequence[int]) -> list[Fraction]:
    """Coefficients in one dim, the constant first."""
    bases: Iterable[list[Fraction]] = (_base(sizes, size) for size in sizes)
    scaled = [[number * part for part in base] for base, number in zip(bases, numbers, strict=True)]
    return [sum(column, Fraction(0)) for column in zip(*scaled, strict=True)]


def _value(terms: Sequence[Fraction], size: int) -> Fraction:
    return sum((part * size**power for power, part in enumerate(terms)), Fraction(0))


def _base(sizes: Sequence[int], at: int) -> list[Fraction]:
    """Coefficients of the polynomial that is 1 at one of the sizes and 0 at the others."""
    terms = [Fraction(1)]
    for other in _others(sizes, at):
        shifted, scaled = [Fraction(0), *terms], [*(-other * part for part in terms), Fraction(0)]
        terms = [(one + two) / (at - other) for one, two in zip(shifted, scaled, strict=True)]
    return terms


def _others(sizes: Sequence[int], at: int) -> Iterator[int]:
    return (size for size in sizes if size != at)
