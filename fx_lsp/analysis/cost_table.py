"""What a model costs, as a table: the example as a whole, then its modules or its lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fx_lsp.analysis.costs import intensity, operations, share, size
from fx_lsp.analysis.counts import count
from fx_lsp.analysis.visible import cut, visible
from fx_lsp.model.costs import Cost, Costs, ModuleCost

MAX_TEXT = 60
"""Characters of a line of source."""
NUMBERS = range(2, 7)
"""Columns of the table."""


@dataclass(frozen=True)
class Row:
    """A module, or several of a list that compute as much, or a line."""

    name: str
    kind: str
    """Class of the module, or the text of the line."""
    total: Cost
    parameters: int
    depth: int = 0
    times: int = 1
    """How many equal ones it stands for; the numbers are of all."""
    formula: str = ""
    """Of its operations; empty where none is known."""


def below(costs: Costs, name: str, path: str) -> ModuleCost | None:
    """The first module of a class of the workspace that ran."""
    return next((one for one in costs.modules if (one.path, one.name) == (path, name)), None)


def module_rows(costs: Costs, top: ModuleCost | None, depth: int) -> list[Row]:
    """The modules in and below `top` (None: all), down to a depth; those in a list that compute as much are one."""
    inside = [one for one in costs.modules if top is None or _is_inside(one, top)]
    paths = {(one.root, one.module) for one in inside}
    rows: dict[tuple[Any, ...], Row] = {}
    for one in inside:
        level = sum((one.root, above) in paths for above in _above(one.module))
        if level > depth:
            continue
        alike = ".".join("#" if part.isdecimal() else part for part in one.module.split("."))
        key = (one.root, alike, one.name, one.total.flops, one.total.backward, one.parameters, one.calls)
        known = rows.get(key)
        if known is None:
            rows[key] = Row(one.module or one.name, one.name, one.total, one.parameters, level, formula=one.formula)
        else:
            total, parameters = known.total + one.total, known.parameters + one.parameters
            rows[key] = replace(known, total=total, parameters=parameters, times=known.times + 1)
    return list(rows.values())


def _is_inside(one: ModuleCost, top: ModuleCost) -> bool:
    return one.root == top.root and (
        not top.module or one.module == top.module or one.module.startswith(f"{top.module}.")
    )


def _above(module: str) -> Iterator[str]:
    """Paths of what may be around a module."""
    if module:
        yield ""
    parts = module.split(".")
    yield from (".".join(parts[:number]) for number in range(1, len(parts)))


def line_rows(costs: Costs, text_of: Callable[[str], str]) -> list[Row]:
    """Every line that costs something, the most costly first."""
    rows: list[Row] = []
    formulas = {(one.span.path, one.span.line, one.total.flops): one.formula for one in costs.expressions}
    for path, line, cost in costs.of_lines():
        lines = text_of(path).split("\n")
        text = lines[line - 1].strip() if line <= len(lines) else ""
        if cost.flops or cost.backward or cost.made or cost.kept:
            name, formula = f"{os.path.basename(path)}:{line}", formulas.get((path, line, cost.flops), "")
            rows.append(Row(name, cut(visible(text), MAX_TEXT), cost, 0, formula=formula))
    return sorted(rows, key=lambda row: (-row.total.flops, -row.total.kept, -row.total.made))


def summary(costs: Costs) -> list[tuple[str, str]]:
    """Of the example as a whole: what, and how much."""
    total, training = costs.total, costs.training
    lines = [("forward", f"{operations(total.flops)} · {intensity(total)} · {size(costs.peak)} at its peak")]
    if costs.formula:
        lines.append(("", f"FLOPs = {costs.formula}"))
    lines.append(("parameters", f"{count(costs.parameters)} · {size(costs.weights)} with buffers"))
    if training is None:
        lines.append(("training", f"not known: {costs.why}" if costs.why else "not known"))
        return lines
    mode = "" if training.mode == "train" else " in eval()"
    lines.append(("training step" + mode, f"{operations(training.flops)} · {size(total.kept)} kept for backward"))
    peaks = (f"{size(training.with_optimizer(one))} with {name}" for one, name in (("sgd", "SGD"), ("adam", "Adam")))
    lines.append(("its peak", " · ".join(peaks)))
    return lines


def table(rows: Sequence[Row], whole: Cost, named: str) -> list[str]:
    """The rows as text, with a heading."""
    cells = [[named, "", "FLOPs", "share", "backward", "kept", "params", "FLOPs ="]]
    cells += [_cells(row, whole) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    used = [index for index, column in enumerate(zip(*cells[1:], strict=True)) if any(column)] if rows else [0]
    return [
        "  ".join(_aligned(line[index], widths[index], left=index not in NUMBERS) for index in used).rstrip()
        for line in cells
    ]


def _cells(row: Row, whole: Cost) -> list[str]:
    times = f" × {row.times}" if row.times > 1 else ""
    total = row.total
    return [
        "  " * row.depth + row.name + times,
        row.kind,
        operations(total.flops) if total.flops else "",
        share(total.flops, whole.flops) if total.flops else "",
        operations(total.backward) if total.backward else "",
        size(total.kept) if total.kept else "",
        count(row.parameters) if row.parameters else "",
        _of_all(row),
    ]


def _of_all(row: Row) -> str:
    if row.times == 1 or not row.formula:
        return row.formula
    return f"{row.times}*({row.formula})" if " " in row.formula else f"{row.times}*{row.formula}"


def _aligned(text: str, width: int, *, left: bool) -> str:
    return text.ljust(width) if left else text.rjust(width)


def as_json(costs: Costs, lines: Iterable[Row]) -> dict[str, Any]:
    """All of it, for tools."""
    training = costs.training
    return {
        "forward": {**_numbers(costs.total), "peak": costs.peak},
        "parameters": costs.parameters,
        "weights": costs.weights,
        "training": {
            "flops": training.flops,
            "mode": training.mode,
            "gradients": training.gradients,
            "peak": {name: training.with_optimizer(name) for name in ("sgd", "adam")},
        }
        if training is not None
        else None,
        "why": costs.why or None,
        "modules": [
            {"path": one.module, "root": one.root, "class": one.name, "parameters": one.parameters, "calls": one.calls}
            | _numbers(one.total)
            | {"formula": one.formula or None}
            for one in costs.modules
        ],
        "lines": [
            {"place": row.name, "text": row.kind} | _numbers(row.total) | {"formula": row.formula or None}
            for row in lines
        ],
    }


def _numbers(cost: Cost) -> dict[str, int]:
    return {"flops": cost.flops, "backward": cost.backward, "moved": cost.moved, "made": cost.made, "kept": cost.kept}
