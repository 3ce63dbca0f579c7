"""An example run at other sizes than its own, as long as there is time."""

from __future__ import annotations

import logging
import time
from typing import Callable, List

from fx_lsp.worker.naming.observed import Run
from fx_lsp.worker.naming.slots import Text
from fx_lsp.worker.naming.trials import Outcome, Sizes, Trials

SHARE = 0.5
"""Part of the time limit after which no further run is begun."""
MORE, ROUNDS = 4, 2
"""Runs that are added where several functions fit, and how often."""


class Resized:
    """By the sizes in its text."""

    def __init__(
        self, text: Text, end: float, observed: Callable[[Sizes, str, str], Run], ours: Callable[[Exception], bool]
    ) -> None:
        """Until `end`, by `time.perf_counter`.  `observed` runs a setup and a call and raises what these raise; `ours`
        tells whether an error says nothing of the code."""
        self._text, self._end, self._observed, self._ours = text, end, observed, ours

    def trials(self, base: Run, numbers: Callable[[BaseException], List[int]], *, light: bool) -> Trials:
        """The runs to come, beside the one at the example's own sizes; the rest as for `Trials`."""
        base.sizes.update({one.name: one.size for one in self._text.factors})
        return Trials(base, self._at, self._text.factors, numbers, light=light)

    def _at(self, sizes: Sizes) -> Outcome:
        if time.perf_counter() > self._end:
            return Outcome(None, ours=True)
        logging.disable()  # torch tells in full what does not go; it is tried to learn that
        try:
            return Outcome(self._observed(sizes, *self._text.at(sizes)))
        except Exception as error:
            return Outcome(None, error, ours=self._ours(error))
        finally:
            logging.disable(logging.NOTSET)
