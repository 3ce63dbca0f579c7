"""Sizes as polynomials over names and floors of such, always in the same form: `H//2`, `2*T-1`, `(H+1)//2`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Mapping, Tuple, Union

MAX_TERMS = 16
"""Terms of a polynomial; nobody reads a longer one."""


@dataclass(frozen=True)
class Floor:
    """The whole part of a quotient."""

    inner: Size
    by: int


Atom = Union[str, Floor]
Monomial = Tuple[Atom, ...]
"""Factors, in order; one may occur twice."""


@dataclass(frozen=True)
class Size:
    """A sum of products."""

    terms: Tuple[Tuple[Monomial, int], ...]

    def __add__(self, other: Size) -> Size:
        return _size([*self.terms, *other.terms])

    def __mul__(self, other: Size) -> Size:
        return _size([(one + two, a * b) for one, a in self.terms for two, b in other.terms])

    def times(self, factor: int) -> Size:
        """So many of it."""
        return _size([(monomial, factor * count) for monomial, count in self.terms])

    def plus(self, more: int) -> Size:
        """So much more."""
        return _size([*self.terms, ((), more)])

    def over(self, by: int) -> Size:
        """The whole part of the quotient."""
        if by == 1:
            return self
        if self.constant is not None:
            return number(self.constant // by)
        alone = [monomial for monomial, count in self.terms if monomial]
        first = alone[0][0] if len(alone) == 1 and len(alone[0]) == 1 else None
        if isinstance(first, Floor) and dict(self.terms)[(first,)] == 1:
            return first.inner.plus(self.rest * first.by).over(first.by * by)
        whole = [(monomial, count // by) for monomial, count in self.terms if count % by == 0 and monomial]
        left = _size([(monomial, count) for monomial, count in self.terms if count % by or not monomial])
        if left.constant is not None:
            return _size([*whole, ((), left.constant // by)])
        # What a constant has of whole ones goes out, unless it would be left without its round look: `(H-1)//2`.
        turns = left.rest // by if left.rest >= by or left.rest <= -by else 0
        return _size([*whole, ((), turns), ((Floor(left.plus(-turns * by), by),), 1)])

    @property
    def rest(self) -> int:
        """What is added to the terms with names."""
        return dict(self.terms).get((), 0)

    @property
    def constant(self) -> Union[int, None]:
        """Its value, when it depends on nothing."""
        return self.rest if not self.terms or (len(self.terms) == 1 and not self.terms[0][0]) else None

    def at(self, sizes: Mapping[str, int]) -> int:
        """Its value at these sizes."""
        total = 0
        for monomial, count in self.terms:
            for atom in monomial:
                count *= sizes[atom] if isinstance(atom, str) else atom.inner.at(sizes) // atom.by
            total += count
        return total

    @property
    def names(self) -> List[str]:
        """Those in it."""
        found: Dict[str, None] = {}
        for monomial, _ in self.terms:
            for atom in monomial:
                found.update(dict.fromkeys([atom] if isinstance(atom, str) else atom.inner.names))
        return list(found)

    @property
    def large(self) -> bool:
        """Whether nobody would read it."""
        return len(self.terms) > MAX_TERMS

    def __str__(self) -> str:
        return self.written()

    def written(self, *, powers: bool = False) -> str:
        """As Python; `powers`: a formula, with `T**2` in place of `T*T` and room between the terms."""
        parts: List[str] = []
        for monomial, count in sorted(
            self.terms, key=lambda term: (term[1] < 0, -len(term[0]), list(map(_key, term[0])))
        ):
            single = len(monomial) + (abs(count) != 1) == 1
            factors = [atom if isinstance(atom, str) else _floor(atom, single) for atom in monomial]
            if powers:
                often = {one: factors.count(one) for one in factors}
                factors = [one if number == 1 else f"{one}**{number}" for one, number in often.items()]
            if abs(count) != 1 or not factors:
                factors.insert(0, str(abs(count)))
            sign = "-" if count < 0 else "+" if parts else ""
            sign = f" {sign} " if powers and parts else sign
            parts.append(sign + "*".join(factors))
        return "".join(parts) or "0"


def name(text: str) -> Size:
    """A dim."""
    return Size((((text,), 1),))


def number(value: int) -> Size:
    """The same in every run."""
    return _size([((), value)])


def _size(terms: List[Tuple[Monomial, int]]) -> Size:
    counts: Dict[Monomial, int] = {}
    for monomial, count in terms:
        ordered = tuple(sorted(monomial, key=_key))
        counts[ordered] = counts.get(ordered, 0) + count
    kept = [(monomial, count) for monomial, count in counts.items() if count]
    return Size(tuple(sorted(kept, key=lambda term: list(map(_key, term[0])))))


def _key(atom: Atom) -> Tuple[str, str]:
    """Names are written in the order of the alphabet, but `T` before a quotient of it."""
    return (atom, "") if isinstance(atom, str) else (min(atom.inner.names, default="~"), str(atom))


def _floor(atom: Floor, single: bool) -> str:
    inner = str(atom.inner)
    product = len(atom.inner.terms) == 1 and not inner.startswith("-")
    text = f"{inner if product else f'({inner})'}//{atom.by}"
    return text if single else f"({text})"
