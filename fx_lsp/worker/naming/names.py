"""The facts of the run at the example's own sizes, with what the other runs say of them."""

from __future__ import annotations

import dataclasses
import difflib
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from fx_lsp.model.value import Group, TensorType, Value
from fx_lsp.worker.capture.record import Called, Record, Use
from fx_lsp.worker.naming.expressions import Size
from fx_lsp.worker.naming.fitting import Column, Table
from fx_lsp.worker.naming.observed import Facts, Key, Run, Shape, shapes
from fx_lsp.worker.naming.trials import Trials

MAX_COMPARED = 1000
"""Calls of two runs that are laid beside each other where they are not the same ones."""
LEAST = 4
"""Runs at other sizes, before anything is named."""

Names = Tuple[Tuple[Optional[str], ...], ...]
"""Per tensor of some facts the text of each dim."""


class Found(NamedTuple):
    """What came of it."""

    record: Record
    doubtful: bool
    """More runs might tell more."""


def named(record: Record, base: Run, trials: Trials) -> Found:
    """The record with the names that all runs agree on."""
    runs = comparable(base, trials)
    if not trials.free or len(runs) <= LEAST:
        return Found(record, doubtful=False)
    table = fitted(runs, trials)
    known = {key: dict(_facts(table, key, runs)) for key in base.seen}
    return Found(_renamed(record, known), bool(table.doubtful))


def comparable(base: Run, trials: Trials) -> List[Run]:
    """The run at the example's own sizes, and those to be laid beside it."""
    return [base, *(run for run in trials.runs if run is not base and trials.counts(run))]


def fitted(runs: Sequence[Run], trials: Trials) -> Table:
    """What each size is a function of, as far as the calls of the runs tell."""
    table = Table([{dim.name: run.sizes[dim.name] for dim in trials.free} for run in runs])
    _learn_calls(table, runs)
    return table


def _learn_calls(table: Table, runs: Sequence[Run]) -> None:
    """What the sizes are that calls gave, where all runs called the same functions."""
    same = [_alike(runs[0], run) for run in runs[1:]]
    for number, call in enumerate(runs[0].calls):
        calls = [call, *(run.calls[one[number]] for run, one in zip(runs[1:], same) if number in one)]
        if len(calls) < len(runs):
            continue
        took, gave = [_columns([call[at] for call in calls]) for at in (1, 2)]
        if took is None or gave is None:
            continue
        for shape in gave:
            for column in shape:
                table.learn(column, took)


def _alike(base: Run, run: Run) -> Dict[int, int]:
    """Per call of the one run the number of the same call in the other."""
    left, right = ([id(call[0]) for call in one.calls] for one in (base, run))
    if left == right:
        return {number: number for number in range(len(left))}
    if max(len(left), len(right)) > MAX_COMPARED:
        same = next((number for number, (one, two) in enumerate(zip(left, right)) if one != two), 0)
        return {number: number for number in range(same)}
    blocks = difflib.SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _columns(rows: Sequence[Sequence[Shape]]) -> Optional[List[Tuple[Column, ...]]]:
    """Per tensor and dim the sizes, run by run; None when these are not the same tensors."""
    if len({tuple(map(len, row)) for row in rows}) != 1:
        return None
    return [tuple(zip(*tensors)) for tensors in zip(*rows)]


def _facts(table: Table, key: Key, runs: Sequence[Run]) -> Iterator[Tuple[Facts, Names]]:
    """Per distinct fact of a place the names that all of its occurrences have."""
    found: Dict[Facts, List[Optional[Names]]] = {}
    base, *others = [_by_path(run.seen.get(key, ())) for run in runs]
    for path, sequence in base.items():
        for number, facts in enumerate(sequence):
            rows: List[Optional[List[Shape]]] = [shapes(facts)]
            rows += [_at(other.get(path, []), number, sequence) for other in others]
            found.setdefault(facts, []).append(_names(table, rows))
    for facts, names in found.items():
        agreed = _agreed(names)
        if agreed is not None and any(any(one) for one in agreed):
            yield facts, agreed


def _by_path(seen: Iterable[Tuple[str, Facts]]) -> Dict[str, List[Facts]]:
    """What was seen in each module."""
    found: Dict[str, List[Facts]] = {}
    for path, facts in seen:
        found.setdefault(path, []).append(facts)
    return found


def _at(other: List[Facts], number: int, base: List[Facts]) -> Optional[List[Shape]]:
    """The shapes of the same occurrence in another run; None where it did not come there, none where nobody knows which
    it is."""
    if len(other) == len(base):
        return shapes(other[number])
    kinds = {tuple(shapes(facts)) for facts in other}
    same = {tuple(shapes(facts)) for facts in base}
    return list(kinds.pop()) if len(kinds) == 1 and len(same) == 1 else [] if other else None


def _names(table: Table, rows: Sequence[Optional[List[Shape]]]) -> Optional[Names]:
    present = [row for row in rows if row is not None]
    if len(present) < len(rows):
        return None  # sizes decide whether this happens at all
    if len({len(row) for row in present}) > 1 and all(len(set(row)) == 1 for row in present):
        # A list of equal tensors that is longer in one run than in another.
        present = [[row[0]] * len(present[0]) for row in present]
    columns = _columns(present)
    if columns is None:
        return None
    return tuple(tuple(_text(table.learn(one, columns)) for one in shape) for shape in columns)


def _text(size: Optional[Size]) -> Optional[str]:
    return str(size) if size is not None else None


def _agreed(found: Sequence[Optional[Names]]) -> Optional[Names]:
    first = found[0]
    if first is None or any(one is None for one in found):
        return None
    every = [one for one in found if one is not None]
    return tuple(tuple(texts[0] if len(set(texts)) == 1 else None for texts in zip(*shapes)) for shapes in zip(*every))


def _renamed(record: Record, known: Dict[Key, Dict[Facts, Names]]) -> Record:
    copied = record.copy()
    for site, values in copied.values.items():
        names = known.get(("binding", site), {})
        copied.values[site] = {_named((value,), names)[0]: seen for value, seen in values.items()}
    for place, called in copied.called.items():
        names = known.get(("operation", place), {})
        made = copied.called[place] = Called(called.form, called.line, called.calls)
        for (inputs, output, view, scattered), seen in called.signatures.items():
            *took, gave = _named((*inputs, output), names)
            made.signatures[tuple(took), gave, view, scattered] = seen
    for cls, use in copied.uses.items():
        if use.output is not None:
            *took, gave = _named((*use.inputs, use.output), known.get(("use", cls), {}))
            made_use = copied.uses[cls] = Use(use.module, use.path, tuple(took))
            made_use.output, made_use.calls = gave, use.calls
    return copied


def _named(facts: Facts, names: Dict[Facts, Names]) -> Facts:
    texts = names.get(facts)
    if texts is None:
        return facts
    left = iter(texts)
    return tuple(_value(value, left) for value in facts)


def _value(value: Value, left: Iterator[Tuple[Optional[str], ...]]) -> Value:
    if isinstance(value, TensorType):
        texts = next(left)
        return dataclasses.replace(value, names=texts) if any(texts) else value
    if isinstance(value, Group):
        return dataclasses.replace(value, items=tuple(_value(item, left) for item in value.items))
    return value
