"""Names for dims: an example is run at other sizes, and what is named held at every size tried.

`slots` finds the sizes in the text of the example, `trials` which of them may vary and runs, `fitting` what each size
that was seen is a function of, `limits` what the runs that failed say.  Whatever is not found out stays a number.
"""

from __future__ import annotations

import sys
import time
from typing import Callable, Tuple

from fx_lsp.model.example import ExampleError
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceRequest
from fx_lsp.model.naming import Constraint
from fx_lsp.worker.capture.record import Current
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.naming.limits import Limits
from fx_lsp.worker.naming.names import named
from fx_lsp.worker.naming.observed import Calls, Run
from fx_lsp.worker.naming.resized import MORE, ROUNDS, SHARE, Resized
from fx_lsp.worker.naming.slots import Text
from fx_lsp.worker.naming.trials import Sizes


class Naming:
    """Of the one example of a process."""

    def __init__(
        self, request: TraceRequest, run: Callable[[str, str], None], current: Current, recorder: Recorder,
        failure: Callable[[BaseException], Failure],
    ) -> None:  # fmt: skip
        """`run` runs a setup and a call, and leaves the record of it; `failure` tells what an error is about."""
        self._request, self._run, self._current, self._recorder = request, run, current, recorder
        self._failure = failure
        self._end = time.perf_counter() + request.seconds * SHARE
        self.constraints: Tuple[Constraint, ...] = ()

    def find(self) -> None:
        """Leave the record of the example as it is, with names.

        Raises:
            Exception: the example failed.
        """
        base = self._observed({}, self._request.setup, self._request.call)
        record = self._current.record
        wanted = self._request.naming
        assert wanted is not None
        try:
            text = Text(self._request.setup, self._request.call, wanted)
        except (ExampleError, SyntaxError, ValueError, RecursionError) as error:
            print(f"fx-lsp: no dims are named: {error}", file=sys.stderr)
            return
        limits = Limits(self._recorder.frames, lambda error: self._failure(error).span)
        resized = Resized(text, self._end, self._observed, lambda error: not self._failure(error).proven)
        trials = resized.trials(base, limits.numbers, light=self._request.engine != "real")
        try:
            trials.explore()
            found = named(record, base, trials)
            for _ in range(ROUNDS if found.doubtful else 0):
                trials.sample(MORE)
                found = named(record, base, trials)
                if not found.doubtful:
                    break
        finally:
            self._current.record = record
        self._current.record = found.record
        self.constraints = tuple(limits.constraints(trials))

    def _observed(self, sizes: Sizes, setup: str, call: str) -> Run:
        self._recorder.limited = ""
        self._recorder.observer = calls = Calls()
        try:
            self._run(setup, call)
        finally:
            self._recorder.observer = None
        if self._recorder.limited and sizes:
            raise NotImplementedError(self._recorder.limited)
        return Run(dict(sizes), self._current.record, calls.made, calls.weights.values())
