"""Which sizes and numbers depend on data: those that differ between runs of one example on other values."""

from __future__ import annotations

import dataclasses
from typing import Dict, Iterator, List, Sequence, Set, Tuple, Union

from fx_lsp.model.trace import Binding, Variant
from fx_lsp.model.value import Group, Opaque, TensorType, Value
from fx_lsp.worker.capture.sites import Sites

RUNS = 3
"""Runs on other values that decide which sizes depend on data."""
SHARE_OF_TWO = 0.8
"""Part of the time that the first two runs may take: one alone shows no size that depends on data."""
MAX_RUNS = 8
"""Of them, where the first one alone came to some place."""
QUICK = 1.0
"""Seconds that all of them may take then."""

Order = Dict[int, List[Value]]
"""Per site the values it was bound to, in order."""
Part = Union[int, str]
"""One size, or the text of what is no tensor."""
Dim = Tuple[int, int]
"""Number of the leaf inside the value, number of its dim; what is no tensor counts as a leaf of one dim."""
History = Tuple[Tuple[Part, ...], ...]
"""One tuple an occurrence, one part a run."""
Symbols = Dict[int, Dict[Dim, str]]
"""Per site the dims that depend on data, with their names."""


def dependent(runs: Sequence[Order]) -> Symbols:
    """Per site the dims that depend on data, with a symbol (`u0`) for each; of numbers their type.

    Sizes that agree in every run and at every occurrence share a symbol.  A run that did not come to a site says
    nothing of it.
    """
    symbols: Dict[History, str] = {}
    found: Symbols = {}
    for site in runs[0]:
        for dim, history in _histories([run[site] for run in runs if run.get(site)]):
            if any(len(set(parts)) > 1 for parts in history):
                symbol = _type(history) or symbols.setdefault(history, f"u{len(symbols)}")
                found.setdefault(site, {})[dim] = symbol
    return found


def enough(runs: Sequence[Order], spent: float, seconds: float) -> bool:
    """Whether another run would tell too little for its time, when one takes `spent` seconds of those allowed."""
    if len(runs) < RUNS:
        return spent * (len(runs) + 1) > seconds * (SHARE_OF_TWO if len(runs) == 1 else 0.5)
    alone = any(not any(run.get(site) for run in runs[1:]) for site in runs[0])
    return not alone or len(runs) == MAX_RUNS or spent * (len(runs) + 1) > QUICK


def named(facts: Sequence[Binding], symbols: Symbols, sites: Sites) -> Tuple[Binding, ...]:
    """The facts with symbols in place of the sizes that depend on data."""
    by_place = {sites.bindings[site].span: dims for site, dims in symbols.items()}
    return tuple(
        dataclasses.replace(fact, variants=tuple(_variant(variant, by_place[fact.span]) for variant in fact.variants))
        if fact.span in by_place
        else fact
        for fact in facts
    )


def _histories(values: Sequence[List[Value]]) -> Iterator[Tuple[Dim, History]]:
    """Per dim its sizes."""
    rows = [list(map(_shapes, row)) for row in zip(*values)]
    ranks: Set[Tuple[int, ...]] = {tuple(map(len, shapes)) for row in rows for shapes in row}
    for number, rank in enumerate(next(iter(ranks))) if len(ranks) == 1 else ():
        for dim in range(rank):
            yield (number, dim), tuple(tuple(shapes[number][dim] for shapes in row) for row in rows)


def _shapes(value: Value) -> List[Tuple[Part, ...]]:
    if isinstance(value, TensorType):
        return [value.shape]
    if isinstance(value, Opaque):
        return [(value.text,)]
    return [shape for item in value.items for shape in _shapes(item)]


def _type(history: History) -> str:
    """The type of numbers and texts; nothing for sizes."""
    texts = [part for parts in history for part in parts if isinstance(part, str)]
    for kind in (int, float):
        try:
            return [kind(text) for text in texts] and kind.__name__
        except ValueError:
            continue
    return "…"


def _variant(variant: Variant, dims: Dict[Dim, str]) -> Variant:
    return dataclasses.replace(variant, value=_named(variant.value, dims, [0]))


def _named(value: Value, dims: Dict[Dim, str], counter: List[int]) -> Value:
    if isinstance(value, Group):
        return dataclasses.replace(value, items=tuple(_named(item, dims, counter) for item in value.items))
    number = counter[0]
    counter[0] += 1
    if isinstance(value, Opaque):
        return dataclasses.replace(value, name=dims.get((number, 0), ""))
    names = tuple(dims.get((number, dim)) for dim in range(len(value.shape)))
    return dataclasses.replace(value, names=names) if any(names) else value
