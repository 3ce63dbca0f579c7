"""What runs cost, in words: of an expression, a line and a class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fx_lsp.analysis.counts import count
from fx_lsp.analysis.markdown import code
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.analysis.variants import ranked
from fx_lsp.model.costs import Cost, Costs, ModuleCost
from fx_lsp.model.span import Span
from fx_lsp.model.trace import ModuleUse

SHORT, LONG = 32, 160
"""Characters of a formula in the line above a class, and in a hover."""


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
            yield from in_words(found.total, found.formula, costs)
            return


def in_words(cost: Cost, formula: str, costs: Costs) -> Iterator[str]:
    """Markdown: one line, where there is something to say."""
    parts = list(_parts(cost, formula, costs))
    if parts:
        yield " · ".join(parts)


def _parts(cost: Cost, formula: str, costs: Costs) -> Iterator[str]:
    if cost.flops:
        function = f" = {code(formula)}" if 0 < len(formula) <= LONG else ""
        yield f"{operations(cost.flops)}{function}, {share(cost.flops, costs.total.flops)} of the example"
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
        function = f" = {found.formula}" if 0 < len(found.formula) <= SHORT else ""
        yield operations(found.total.flops) + function + (f" in {found.calls} calls" if found.calls > 1 else "")
    if found.total.kept:
        yield f"{size(found.total.kept)} activations"
    if not found.module and costs.training is not None:
        yield f"{size(costs.training.with_optimizer('adam'))} to train with Adam"


def with_formulas(costs: Costs, varied: Costs) -> Costs:
    """The costs with the formulas that runs at other sizes found, where both counted the same."""
    expressions = {(one.span, one.total.flops): one.formula for one in varied.expressions}
    modules = {(one.root, one.module, one.name, one.total.flops): one.formula for one in varied.modules}
    return replace(
        costs,
        expressions=tuple(
            replace(one, formula=expressions.get((one.span, one.total.flops), "")) for one in costs.expressions
        ),
        modules=tuple(
            replace(one, formula=modules.get((one.root, one.module, one.name, one.total.flops), ""))
            for one in costs.modules
        ),
        formula=varied.formula if varied.total.flops == costs.total.flops else "",
    )
