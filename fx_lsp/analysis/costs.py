"""What runs cost, in words: of an expression, a line and a class."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.counts import count
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.analysis.variants import ranked
from fx_lsp.model.costs import Cost, Costs, ModuleCost
from fx_lsp.model.span import Span
from fx_lsp.model.trace import ModuleUse


def operations(number: int) -> str:
    """`8.1 GFLOPs`, `12 FLOPs`."""
    return _with_unit(number, "FLOPs")


def size(number: int) -> str:
    """`1.2 GB`, `12 B`: thousands are thousands."""
    return _with_unit(number, "B")


def _with_unit(number: int, unit: str) -> str:
    text = count(number)
    return f"{text}{unit}" if text[-1].isalpha() else f"{text} {unit}"


def share(part: int, whole: int) -> str:
    """`34 %`, `0.3 %`."""
    found = 100 * part / whole if whole else 0.0
    return f"{found:.0f} %" if found >= 0.95 or not part else f"{max(found, 0.1):.1f} %"


def intensity(cost: Cost) -> str:
    """`45 FLOPs per byte`, read and written."""
    found = cost.flops / cost.moved if cost.moved else 0.0
    return f"{found:.0f} FLOPs per byte" if found >= 10 else f"{found:.1f} FLOPs per byte"


def of_expression(snapshot: Snapshot, span: Span) -> Iterator[str]:
    """Markdown: one line, where a run of its own has found out."""
    for _, trace in ranked(snapshot):
        costs = trace.reply.costs
        found = next((one for one in costs.expressions if one.span == span), None) if costs is not None else None
        if costs is not None and found is not None:
            parts = list(_parts(found.total, costs))
            if parts:
                yield " · ".join(parts)
            return


def _parts(cost: Cost, costs: Costs) -> Iterator[str]:
    if cost.flops:
        yield f"{operations(cost.flops)}, {share(cost.flops, costs.total.flops)} of the example"
    if cost.backward:
        yield f"{operations(cost.backward)} backward"
    if cost.flops and cost.moved:
        yield intensity(cost)
    if cost.made:
        yield f"{size(cost.made)} of new memory"
    if cost.kept:
        yield f"{size(cost.kept)} kept for backward"


def of_lines(snapshot: Snapshot) -> dict[int, tuple[int, Cost, Costs]]:
    """By line of the file: the number of the first trace that knows what it costs, that, and the costs of the trace."""
    found: dict[int, tuple[int, Cost, Costs]] = {}
    for number, trace in ranked(snapshot):
        costs = trace.reply.costs
        for path, line, cost in costs.of_lines() if costs is not None else ():
            if costs is not None and path == snapshot.path:
                found.setdefault(line, (number, cost, costs))
    return found


def of_module(costs: Costs, use: ModuleUse) -> ModuleCost | None:
    """Of the module whose call `use` tells of."""
    fits = (one for one in costs.modules if (one.path, one.name, one.module) == (use.path, use.name, use.module))
    return next(fits, None)


def cost_of_class(trace: Trace, use: ModuleUse) -> Iterator[str]:
    """What the line above a class says."""
    costs = trace.reply.costs
    found = of_module(costs, use) if costs is not None else None
    if costs is None or found is None:
        return
    if found.total.flops:
        yield operations(found.total.flops) + (f" in {found.calls} calls" if found.calls > 1 else "")
    if found.total.kept:
        yield f"{size(found.total.kept)} activations"
    if not found.module and costs.training is not None:
        yield f"{size(costs.training.with_optimizer('adam'))} to train with Adam"
