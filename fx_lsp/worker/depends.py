"""Which sizes depend on data: those that differ between runs of one example on other values."""

from __future__ import annotations

import dataclasses
from typing import Dict, Iterator, List, Sequence, Set, Tuple

from fx_lsp.model.trace import Binding, Variant
from fx_lsp.model.value import Group, TensorType, Value
from fx_lsp.worker.capture.sites import Sites

Order = Dict[int, List[Value]]
"""Per site the values it was bound to, in order."""
Dim = Tuple[int, int]
"""Number of the tensor inside the value, number of its dim."""
Symbols = Dict[int, Dict[Dim, str]]
"""Per site the dims that depend on data, with their names."""


def dependent(runs: Sequence[Order]) -> Symbols:
    """Per site the dims that depend on data, with a symbol (`u0`) for each.

    Sizes that agree in every run and at every occurrence share a symbol.
    """
    symbols: Dict[Tuple[Tuple[int, ...], ...], str] = {}
    found: Symbols = {}
    for site in runs[0]:
        for dim, history in _histories([run.get(site, []) for run in runs]):
            if any(len(set(sizes)) > 1 for sizes in history):
                symbol = symbols.setdefault(history, f"u{len(symbols)}")
                found.setdefault(site, {})[dim] = symbol
    return found


def named(facts: Sequence[Binding], symbols: Symbols, sites: Sites) -> Tuple[Binding, ...]:
    """The facts with symbols in place of the sizes that depend on data."""
    by_place = {sites.bindings[site].span: dims for site, dims in symbols.items()}
    return tuple(
        dataclasses.replace(fact, variants=tuple(_variant(variant, by_place[fact.span]) for variant in fact.variants))
        if fact.span in by_place
        else fact
        for fact in facts
    )


def _histories(values: Sequence[List[Value]]) -> Iterator[Tuple[Dim, Tuple[Tuple[int, ...], ...]]]:
    """Per dim its sizes: one tuple an occurrence, one number a run."""
    rows = [list(map(_shapes, row)) for row in zip(*values)]
    ranks: Set[Tuple[int, ...]] = {tuple(map(len, shapes)) for row in rows for shapes in row}
    for number, rank in enumerate(next(iter(ranks))) if len(ranks) == 1 else ():
        for dim in range(rank):
            yield (number, dim), tuple(tuple(shapes[number][dim] for shapes in row) for row in rows)


def _shapes(value: Value) -> List[Tuple[int, ...]]:
    if isinstance(value, TensorType):
        return [value.shape]
    return [shape for item in value.items for shape in _shapes(item)] if isinstance(value, Group) else []


def _variant(variant: Variant, dims: Dict[Dim, str]) -> Variant:
    return dataclasses.replace(variant, value=_named(variant.value, dims, [0]))


def _named(value: Value, dims: Dict[Dim, str], counter: List[int]) -> Value:
    if isinstance(value, TensorType):
        number = counter[0]
        counter[0] += 1
        names = tuple(dims.get((number, dim)) for dim in range(len(value.shape)))
        return dataclasses.replace(value, names=names) if any(names) else value
    if isinstance(value, Group):
        return dataclasses.replace(value, items=tuple(_named(item, dims, counter) for item in value.items))
    return value
