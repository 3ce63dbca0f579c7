"""Runs an example at other sizes of its dims, for what it computes as a function of them."""

from __future__ import annotations

import time
from typing import Dict, Iterator, List, Optional, Protocol, Tuple

from fx_lsp.model.costs import Cost, Costs, ExpressionCost, ModuleCost
from fx_lsp.model.example import ExampleError
from fx_lsp.model.messages import TraceRequest
from fx_lsp.model.span import Span
from fx_lsp.worker.capture.attempts import source_of
from fx_lsp.worker.capture.record import Record
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.costs.formulas import Formula, of_places, total
from fx_lsp.worker.costs.observer import parameters
from fx_lsp.worker.costs.shapes import Place, ShapeObserver
from fx_lsp.worker.failures import is_of_code
from fx_lsp.worker.naming.fitting import Table
from fx_lsp.worker.naming.limits import Limits
from fx_lsp.worker.naming.names import LEAST, comparable, fitted
from fx_lsp.worker.naming.observed import Run
from fx_lsp.worker.naming.resized import MORE, ROUNDS, SHARE, Resized
from fx_lsp.worker.naming.slots import Text
from fx_lsp.worker.naming.trials import Sizes, Trials


class Observe(Protocol):
    """Runs a setup and a call."""

    def __call__(self, setup: str, call: str, *, gradients: bool) -> ShapeObserver:
        """What it computed.

        Raises:
            Exception: it failed.
        """
        ...


class Varied:
    """Of one example."""

    def __init__(self, request: TraceRequest, recorder: Recorder, observe: Observe) -> None:
        assert request.naming is not None
        self._request, self._recorder, self._observe, self._wanted = request, recorder, observe, request.naming
        self._end = time.perf_counter() + request.seconds * SHARE
        self._gradients = False
        self._seen: Dict[int, ShapeObserver] = {}
        """What was observed in the runs, by their identity."""

    def costs(self) -> Costs:
        """Of the run at the example's own sizes: what has a formula, with it, and nothing else.

        Raises:
            Exception: the example failed.
        """
        base = self._base()
        nothing = Costs(Cost(self._seen[id(base)].flops), 0, 0, 0)
        try:
            text = Text(self._request.setup, self._request.call, self._wanted)
        except (ExampleError, SyntaxError, ValueError, RecursionError):
            return nothing  # names have the same text to read, and say so
        limits = Limits(self._recorder.frames, lambda error: None)
        resized = Resized(text, self._end, self._observed, self._is_ours)
        trials = resized.trials(base, limits.numbers, light=self._wanted.engine != "real")
        trials.explore()
        for _ in range(ROUNDS):
            table, runs, places = self._fitted(base, trials)
            if not table.doubtful or None not in places.values():
                break
            trials.sample(MORE)
        else:
            table, runs, places = self._fitted(base, trials)
        return self._costs(table, runs, places) if len(runs) > LEAST and trials.free else nothing

    def _base(self) -> Run:
        try:
            return self._observed({}, self._request.setup, self._request.call)
        except Exception:  # code that computes gradients needs them
            self._gradients = True
            return self._observed({}, self._request.setup, self._request.call)

    def _is_ours(self, error: Exception) -> bool:
        return bool(self._recorder.limited) or not is_of_code(error)

    def _observed(self, sizes: Sizes, setup: str, call: str) -> Run:
        self._recorder.limited = ""
        observer = self._observe(setup, call, gradients=self._gradients)
        if self._recorder.limited:
            raise NotImplementedError(self._recorder.limited)
        weights = [tuple(map(int, one.shape)) for one in parameters(observer.roots)]
        run = Run(dict(sizes), Record(), observer.shapes.calls, weights)
        self._seen[id(run)] = observer
        return run

    def _fitted(self, base: Run, trials: Trials) -> Tuple[Table, List[ShapeObserver], Dict[Place, Optional[Formula]]]:
        runs = comparable(base, trials)
        table = fitted(runs, trials)
        observers = [self._seen[id(run)] for run in runs]
        return table, observers, of_places(table, observers)

    def _costs(self, table: Table, runs: List[ShapeObserver], places: Dict[Place, Optional[Formula]]) -> Costs:
        spans: Dict[Span, List[Place]] = {}
        modules: Dict[Tuple[int, str], List[Place]] = {}
        for place in places:
            sites, above = place
            for span in dict.fromkeys(self._recorder.frames.span(*site[1:]) for site in sites):
                spans.setdefault(span, []).append(place)
            for module in above:
                modules.setdefault(module, []).append(place)
        sums = _Sums(table, runs, places)
        whole = total(places.values(), tuple(run.flops for run in runs), table)
        return Costs(
            Cost(runs[0].flops), 0, 0, 0,
            expressions=tuple(
                ExpressionCost(span, Cost(), Cost(flops), text)
                for span, inside in spans.items() for flops, text in sums.of(inside)
            ),
            modules=tuple(
                _module(runs[0], module, flops, text)
                for module, inside in modules.items() for flops, text in sums.of(inside)
            ),
            formula=whole.readable() if whole is not None else "",
        )  # fmt: skip


class _Sums:
    """Of several places each."""

    def __init__(self, table: Table, runs: List[ShapeObserver], places: Dict[Place, Optional[Formula]]) -> None:
        self._table, self._places = table, places
        self._columns = {
            place: tuple(sum(one.flops for one in run.places.get(place, ())) for run in runs) for place in places
        }

    def of(self, inside: List[Place]) -> Iterator[Tuple[int, str]]:
        """The operations at the example's own sizes, and their formula, where there is one that somebody would read."""
        column = tuple(map(sum, zip(*(self._columns[place] for place in inside))))
        found = total((self._places[place] for place in inside), column, self._table)
        if found is not None and found.readable():
            yield column[0], found.readable()


def _module(run: ShapeObserver, place: Tuple[int, str], flops: int, formula: str) -> ModuleCost:
    calls = run.module(place)
    cls = type(calls.module)
    return ModuleCost(source_of(cls), cls.__qualname__, calls.path, calls.root, Cost(flops), 0, calls.count, formula)
