"""What a program does after its first loop that trains: shown where it is the same however long that loop was.

Such a loop ends early (`capture.laps`), so that a list of its losses is short, and a figure drawn of it has other
sizes.  The program is run again with more rounds: what both runs show after the loop does not depend on them.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import Any, Callable, Optional, Tuple

from fx_lsp.worker.capture.laps import MORE_ROUNDS, ROUNDS, Laps
from fx_lsp.worker.capture.record import Called, Current, Record
from fx_lsp.worker.failures import sentence

Once = Callable[[int, Tuple[int, int]], None]
"""Runs on values of a seed, with integers of a range."""


class Later:
    """Runs a program, and tells what of its end is to be believed; `left` are the seconds that it may still take, and
    `leave_out` has it run without the statement that failed."""

    def __init__(
        self, laps: Laps, current: Current, left: Callable[[], float], leave_out: Callable[[BaseException], bool]
    ) -> None:
        self.laps, self.current, self.left, self.leave_out = laps, current, left, leave_out
        self.unsure = False
        """The last run failed after such a loop, and perhaps not as it would with more rounds."""

    def run(self, once: Once, seed: int, integers: Tuple[int, int]) -> None:
        """Run, and leave the record of what is certain; on other values than the first ones of all that came.

        Raises:
            Exception: what ended the run.
        """
        started = time.perf_counter()
        work = partial(once, seed, integers)
        error, before, later = self._tried(work, ROUNDS)
        self.unsure = error is not None and later is not None
        if later is not None:
            before.failed, before.failed_inside = later.failed, later.failed_inside
            if seed:
                _add(before, later, later)
            elif time.perf_counter() - started + self.laps.extra < self.left():
                self._again(work, error, before, later)
                if error is not None and self.unsure and self.leave_out(error):
                    return self.run(once, seed, integers)
            self.current.record = before
        if error is not None:
            raise error

    def _again(self, work: Callable[[], None], error: Optional[Exception], before: Record, later: Record) -> None:
        try:
            other, _, again = self._tried(work, MORE_ROUNDS)
        except BaseException as raised:  # even `Deadline`: what is certain is there
            print(f"fx-lsp: a run with more rounds failed: {sentence(raised, 0)}", file=sys.stderr)
            return
        self.unsure = error is not None and (repr(other), _line(other)) != (repr(error), _line(error))
        if again is not None:
            _add(before, later, again)

    def _tried(self, work: Callable[[], None], rounds: int) -> Tuple[Optional[Exception], Record, Optional[Record]]:
        """What ended it, and what was recorded until the end of the first loop that trains, and after it."""
        self.laps.rounds, self.laps.goes_on, self.laps.extra = rounds, True, 0.0
        error: Optional[Exception] = None
        try:
            work()
        except Exception as raised:
            error = raised
        except BaseException:
            self.current.record = self.laps.before or self.current.record
            raise
        finally:
            self.laps.goes_on = False
        before = self.laps.before
        return (error, self.current.record, None) if before is None else (error, before, self.current.record)


def _line(error: Optional[BaseException]) -> int:
    """Of the innermost frame."""
    trace = error.__traceback__ if error is not None else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_lineno if trace is not None else 0


def _add(before: Record, later: Record, again: Record) -> None:
    """Have what came later in both runs, at places where nothing came before."""
    for site, values in later.values.items():
        if site not in before.values and values.keys() == again.values.get(site, {}).keys():
            before.values[site], before.order[site] = values, later.order[site]
    before.mixed |= (later.mixed | again.mixed) - before.values.keys()
    before.blocks |= later.blocks & again.blocks
    before.pads |= later.pads & again.pads
    others = {_named(place): called for place, called in again.called.items()}
    for place, called in later.called.items():
        other = others.get(_named(place))
        if place not in before.called and other is not None and _same(called, other):
            before.called[place] = called
    for place, known in later.taken.items():
        if {one for one, _ in known} == {one for one, _ in again.taken.get(place, ())}:
            before.taken[place] = before.taken.get(place, []) + known
        else:  # not always the same there
            before.taken.pop(place, None)


def _named(place: Tuple[Any, ...]) -> Tuple[Any, ...]:
    """A place in the program, whose classes and functions each run makes anew."""
    *where, target = place
    return (*where, getattr(target, "__qualname__", target))


def _same(one: Called, other: Called) -> bool:
    return one.signatures.keys() == other.signatures.keys()
