"""Costs in an answer that is not to be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from fx_lsp.model.costs import Cost, Costs, ExpressionCost, LineCost, ModuleCost, Training
from fx_lsp.server.vetted_places import Places
from fx_lsp.server.vetted_values import NAME, formula, number, word

MOST = 20_000
"""Expressions, lines or modules."""


def vetted_costs(costs: Costs, places: Places, sentence: str) -> Costs:
    """The costs as they may be shown; `sentence` is their `why`."""
    spans = [places.span(one.span) for one in costs.expressions[:MOST]]
    new: dict[int, int] = {}
    for old in (index for index, span in enumerate(spans) if span is not None):
        new[old] = len(new)
    pairs = zip(costs.expressions, spans, strict=False)
    expressions = [
        ExpressionCost(span, _cost(one.own), _cost(one.total), formula(one.formula))
        for one, span in pairs if span is not None
    ]  # fmt: skip
    return Costs(
        _cost(costs.total),
        number(costs.parameters),
        number(costs.weights),
        number(costs.peak),
        tuple(expressions),
        tuple(_lines(costs, new)),
        tuple(_module(one, places) for one in costs.modules[:MOST]),
        _training(costs.training) if costs.training is not None else None,
        sentence,
        formula(costs.formula),
    )


def _lines(costs: Costs, new: dict[int, int]) -> Iterator[LineCost]:
    for one in islice(costs.lines, MOST):
        left = tuple(dict.fromkeys(new[index] for index in one.expressions[:MOST] if index in new))
        if left:
            yield LineCost(left, _cost(one.total))


def _cost(cost: Cost) -> Cost:
    return Cost(number(cost.flops), number(cost.backward), number(cost.moved), number(cost.made), number(cost.kept))


def _module(one: ModuleCost, places: Places) -> ModuleCost:
    return replace(
        one,
        path=places.path(one.path) or "" if one.path else "",
        name=word(one.name, NAME),
        module=word(one.module, NAME),
        root=number(one.root),
        total=_cost(one.total),
        parameters=number(one.parameters),
        calls=number(one.calls, 1),
        formula=formula(one.formula),
    )


def _training(training: Training) -> Training:
    return Training(
        number(training.peak),
        number(training.after),
        number(training.gradients),
        number(training.largest),
        number(training.flops),
        "train" if training.mode == "train" else "eval",
    )
