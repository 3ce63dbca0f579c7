"""From what was observed to what is sent."""

from __future__ import annotations

from itertools import islice
from typing import Dict, Iterable, List, Optional, Tuple, TypeVar

from fx_lsp.model.costs import Cost, Costs, ExpressionCost, LineCost, ModuleCost, Training
from fx_lsp.model.span import Span
from fx_lsp.worker.capture.attempts import source_of
from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.modules import parameter_count
from fx_lsp.worker.costs.observer import Calls, CostObserver, parameters
from fx_lsp.worker.graph.recording import Site

MAX_ROWS = 20_000
"""Expressions or modules that are sent."""
Key = TypeVar("Key")


def costs_of(
    frames: Frames,
    forward: CostObserver,
    trained: Optional[CostObserver] = None,
    training: Optional[Training] = None,
    kept: int = 0,
) -> Costs:
    """Of a run without gradients, and of the one that was trained in, where that went well."""
    own: Dict[Span, Cost] = {}
    total: Dict[Span, Cost] = {}
    lines: Dict[Tuple[str, int], Cost] = {}
    spans: Dict[Site, Span] = {}
    for sites, cost in _stacks(forward, trained).items():
        around = [spans[site] if site in spans else spans.setdefault(site, frames.span(*site[1:])) for site in sites]
        _add(own, around[:1], cost)
        _add(total, dict.fromkeys(around), cost)
        _add(lines, dict.fromkeys((span.path, span.line) for span in around), cost)
    kept_spans = list(islice(total, MAX_ROWS))
    on_line: Dict[Tuple[str, int], List[int]] = {}
    for number, span in enumerate(kept_spans):
        on_line.setdefault((span.path, span.line), []).append(number)
    whole = Cost(
        forward.flops,
        training.flops - trained.forward if trained is not None and training is not None else 0,
        sum(stack.moved for stack in forward.stacks.values()),
        sum(stack.made for stack in forward.stacks.values()),
        kept,
    )
    return Costs(
        whole,
        sum(one.numel() for one in parameters(forward.roots)),
        forward.weights,
        forward.meter.peak,
        tuple(ExpressionCost(span, own.get(span, Cost()), total[span]) for span in kept_spans),
        tuple(LineCost(tuple(on_line[place]), lines[place]) for place in on_line),
        tuple(islice(_modules(frames, forward, trained), MAX_ROWS)),
        training,
    )


def _add(sums: Dict[Key, Cost], keys: Iterable[Key], cost: Cost) -> None:
    for key in keys:
        sums[key] = sums[key] + cost if key in sums else cost


def _stacks(forward: CostObserver, trained: Optional[CostObserver]) -> Dict[Tuple[Site, ...], Cost]:
    """What ran below the same expressions, without and with gradients."""
    found = {sites: Cost(stack.flops, 0, stack.moved, stack.made) for sites, stack in forward.stacks.items()}
    for sites, stack in trained.stacks.items() if trained is not None else ():
        _add(found, [sites], Cost(backward=stack.backward, kept=stack.kept))
    return found


def _modules(frames: Frames, forward: CostObserver, trained: Optional[CostObserver]) -> Iterable[ModuleCost]:
    """Those that were called without gradients."""
    with_gradients: Dict[Tuple[int, str], Calls] = {}
    for calls in trained.modules.values() if trained is not None else ():
        with_gradients[calls.root, calls.path] = calls
    for calls in forward.modules.values():
        cls, other = type(calls.module), with_gradients.get((calls.root, calls.path))
        path = source_of(cls)
        if calls.count:
            yield ModuleCost(
                path if path in frames.sources else "",
                cls.__qualname__,
                calls.path,
                calls.root,
                Cost(calls.flops, other.backward if other else 0, calls.moved, calls.made, other.kept if other else 0),
                parameter_count(calls.module),
                calls.count,
            )
