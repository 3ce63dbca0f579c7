"""What stops a run at another size: the numbers that are compared there, and the line."""

from __future__ import annotations

import ast
import re
from types import FrameType
from typing import Callable, Dict, Iterator, List, Optional

from fx_lsp.model.naming import Constraint
from fx_lsp.model.span import Span
from fx_lsp.worker.capture.frames import Frames, message_of
from fx_lsp.worker.naming.trials import Trials

MAX_NUMBERS = 6
_NUMBER = re.compile(r"\b\d{1,9}\b")


class Limits:
    """Reads errors; of one process."""

    def __init__(self, frames: Frames, place: Callable[[BaseException], Optional[Span]]) -> None:
        self._frames, self._place = frames, place

    def numbers(self, error: BaseException) -> List[int]:
        """What may be the largest size: what its message says, and what is compared where it was raised."""
        found = [int(text) for text in _NUMBER.findall(message_of(error))]
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename in self._frames.sources:
                found += self._compared(trace.tb_frame, trace.tb_lineno)
            trace = trace.tb_next
        return list(dict.fromkeys(one - less for one in found for less in (0, 1)))[: 2 * MAX_NUMBERS]

    def _compared(self, frame: FrameType, line: int) -> Iterator[int]:
        for node in self._frames.tests(frame.f_code.co_filename, line):
            for part in ast.walk(node):
                for side in (part.left, *part.comparators) if isinstance(part, ast.Compare) else ():
                    if any(isinstance(one, (ast.Call, ast.NamedExpr, ast.Await)) for one in ast.walk(side)):
                        continue
                    try:
                        code = compile(ast.Expression(side), "<compared>", "eval")
                        value = eval(code, frame.f_globals, frame.f_locals)
                    except Exception:  # a name that is bound elsewhere: then it is not known
                        continue
                    if type(value) is int:
                        yield value

    def constraints(self, trials: Trials) -> List[Constraint]:
        """In words, with their places."""
        found: Dict[str, Constraint] = {}
        for dim, error in trials.tied:
            names = list(dict.fromkeys(factor.name for factor in dim.factors))
            text = " == ".join(names)
            if not dim.factors[0].given:
                continue  # they go by one name
            found.setdefault(text, Constraint(text, self._place(error)))
        for dim, error in trials.steps:
            text = f"{dim.name} % {dim.step} == 0"
            found.setdefault(text, Constraint(text, self._place(error)))
        for dim, error in trials.limits:
            text = f"{dim.name} <= {dim.high}"
            found.setdefault(text, Constraint(text, self._place(error)))
        return list(found.values())
