"""Running something once to see how far it gets."""

from __future__ import annotations

import ast
import io
import linecache
import opcode
import re
from dataclasses import dataclass, field
from itertools import islice
from traceback import walk_tb
from types import FrameType, TracebackType
from typing import Any, Callable, Iterator, List, Mapping, Optional, Tuple, Union

import torch

from fx_lsp.worker.alarm import limited
from fx_lsp.worker.capture.frames import message_of
from fx_lsp.worker.inference import unbound
from fx_lsp.worker.inference.inputs import member
from fx_lsp.worker.inference.live import attribute
from fx_lsp.worker.inference.standing import MAX_SPAN, assertion, conditions_above
from fx_lsp.worker.inference.variables import note, variables
from fx_lsp.worker.inference.watch import Watch

_ASSERTS = opcode.opmap.get("LOAD_ASSERTION_ERROR", opcode.opmap.get("LOAD_COMMON_CONSTANT", 0))
"""The instruction that the message of an assertion begins with."""
MAX_KEYS = 4
"""Keys of a table that are tried."""
MAX_COMPARED = 6
"""Constants of comparisons that are tried."""
MAX_TABLE = 200
"""Entries of a table that names are taken of."""
_CONSTANT = r"'[^'\\\n]*'|\"[^\"\\\n]*\"|(?<![\w.])\d+(?![\w.])"
_COMPARED = re.compile(rf"(%[\s\w.()]+)?(?:==|!=|\bin\b|\bcase\b)\s*([\[({{]?(?:(?:{_CONSTANT})[\s,|]*)+)")
"""What is left of a division, and what something is compared with."""
_GOT = re.compile(r"\b(\w+) = ([A-Za-z_][\w.]*)\.get\(")
_SOUGHT = re.compile(r"(?:(['\"]\w+['\"])|\b(\w+)) (?:not )?in ([A-Za-z_][\w.]*)")
_TABLE = re.compile(r"\bnot in ([A-Za-z_][\w.]*)")


class TooLong(BaseException):
    """The time for one attempt is over."""


class Unread(io.TextIOBase):
    """Takes any text, and keeps none."""

    def write(self, text: str) -> int:
        """How much was taken: all."""
        return len(text)


@dataclass
class Attempt:
    """How far it got."""

    value: Any
    error: Optional[BaseException]
    watch: Watch
    ran: List[type] = field(default_factory=list)
    """Module classes of the workspace that came to their end."""
    limited: bool = False
    """Whether it failed after fake tensors could not go on somewhere."""

    @property
    def message(self) -> str:
        """Of the error."""
        return message_of(self.error) if self.error is not None else ""

    def frame_of(self, owner: Callable[[Any], bool], names: Tuple[str, ...]) -> Optional[Tuple[FrameType, int, str]]:
        """The outermost frame of a method with one of these names whose `self` is `owner`, its line, and the text of
        the expression that failed in it."""
        return next(self._frames_of(owner, names), None)

    def reached(self, owner: Callable[[Any], bool], names: Tuple[str, ...]) -> Tuple[int, ...]:
        """The lines of all such frames, negative, and a zero: it sorts before that of what did not get so far."""
        return (*(-line for _, line, _ in self._frames_of(owner, names)), 0)

    def _frames_of(self, owner: Callable[[Any], bool], names: Tuple[str, ...]) -> Iterator[Tuple[FrameType, int, str]]:
        trace: Optional[TracebackType] = self.error.__traceback__ if self.error is not None else None
        while trace is not None:
            frame = trace.tb_frame
            code = frame.f_code
            if code.co_name in names and code.co_argcount and owner(variables(frame).get(code.co_varnames[0])):
                yield frame, trace.tb_lineno, _text(trace)
            trace = trace.tb_next

    def last_text(self) -> str:
        """The text of the innermost expression that failed in code that has text."""
        trace: Optional[TracebackType] = self.error.__traceback__ if self.error is not None else None
        text = ""
        while trace is not None:
            text, trace = _text(trace) or text, trace.tb_next
        return text

    def input_of(self, value: Any) -> str:
        """What the input that this is, or the member of one, is called in `groups.flat`; empty where it is none."""
        for name, given in self.watch.given.items():
            if given is value:
                return name
            held = given.items() if isinstance(given, dict) else getattr(given, "__dict__", {}).items()
            listed = enumerate(given) if isinstance(given, (list, tuple)) else held
            for key, one in listed:
                if one is value:
                    return member(name, key)
        return ""

    def guard(self) -> str:
        """The conditions under which the statement stands that raised, as they are written, also those before it in a
        chain; empty where it did not raise by itself.  Of a name that nothing was bound to: those under which it is."""
        frame, line = self._innermost()
        if frame is not None and isinstance(self.error, UnboundLocalError):
            return unbound.conditions(frame.f_code, self.message)
        text = linecache.getline(frame.f_code.co_filename, line) if frame is not None else ""
        if frame is None or not text.lstrip().startswith("raise"):
            return ""
        return conditions_above(frame, line, text)

    def switches(self) -> str:
        """The conditions under which an assertion stands that failed."""
        frame, line = self._innermost()
        text = self._asserted()
        return conditions_above(frame, line, text.split("\n")[0]) if frame is not None and text else ""

    def condition(self) -> Tuple[Optional[FrameType], str]:
        """What was asserted where it failed, or that under which it raised, and where."""
        return self._innermost()[0], self._asserted() or self.guard()

    def _asserted(self) -> str:
        """The whole assertion that failed; empty where none did."""
        frame, line = self._innermost()
        return assertion(frame, line) if frame is not None and isinstance(self.error, AssertionError) else ""

    def compared(self) -> List[str]:
        """The constants that something was compared with before it raised by itself: one of them is wanted."""
        frame, _ = self._innermost()
        found: List[str] = []
        for listed in (one for left, one in _COMPARED.findall(self.guard()) if frame is not None and not left):
            found += [repr(ast.literal_eval(one)) for one in re.findall(_CONSTANT, listed)]
        for path in [*_TABLE.findall(self.guard()), *self._tables()] if frame is not None else ():
            table = reached(frame, path) if frame is not None else None
            if isinstance(table, (dict, list, tuple, set, frozenset)) and 0 < len(table) <= MAX_TABLE:
                found += [repr(one) for one in list(table)[:MAX_KEYS] if type(one) in (str, int)]
        return list(dict.fromkeys(found))[:MAX_COMPARED]

    def sought(self) -> List[str]:
        """The keys that were not in a table before it raised by itself: `if key not in self.table: raise`."""
        frame, found = self._innermost()[0], []
        if frame is None:
            return []
        for written, name, path in _SOUGHT.findall(self.guard()):
            key, table = written.strip("'\"") or variables(frame).get(name), reached(frame, path.replace(".keys", ""))
            if isinstance(key, str) and isinstance(table, dict) and key not in table:
                found.append(key)
        return found

    def _tables(self) -> Iterator[str]:
        """What that was got from of which the condition asks whether it is there: `found = table.get(key)`."""
        frame, line = self._innermost()
        for number in range(frame.f_code.co_firstlineno, line) if frame is not None else ():
            made = _GOT.search(linecache.getline(frame.f_code.co_filename, number))
            if made is not None and made[1] in words(self.guard()):
                yield made[2]

    def forget_what_was_said(self) -> None:
        """Not to count what ran for the message of what raised by itself: it is no step ahead."""
        trace: Optional[TracebackType] = self.error.__traceback__ if self.error is not None else None
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is not None and isinstance(self.error, AssertionError):
            said = trace.tb_frame.f_code.co_code[: trace.tb_lasti : 2].rfind(bytes([_ASSERTS]))
            if said >= 0:
                self.watch.forget(trace.tb_frame.f_code, _lines(trace), 2 * said)
        elif trace is not None and self.guard():
            self.watch.forget(trace.tb_frame.f_code, _lines(trace), 0)

    def frames(self) -> List[FrameType]:
        """Of what ran when it failed, the outermost first."""
        return [frame for frame, _ in walk_tb(self.error.__traceback__ if self.error is not None else None)]

    def _innermost(self) -> Tuple[Optional[FrameType], int]:
        *_, found = [(None, 0), *walk_tb(self.error.__traceback__ if self.error is not None else None)]
        return found

    def in_modules(self) -> List[Tuple[torch.nn.Module, str, Mapping[str, Any]]]:
        """The modules in whose methods it failed, the expressions that did, and the variables they saw; the innermost
        first."""
        found: List[Tuple[torch.nn.Module, str, Mapping[str, Any]]] = []
        trace: Optional[TracebackType] = self.error.__traceback__ if self.error is not None else None
        while trace is not None:
            code = trace.tb_frame.f_code
            owner = variables(trace.tb_frame).get(code.co_varnames[0]) if code.co_argcount else None
            if isinstance(owner, torch.nn.Module):
                found.insert(0, (owner, _text(trace), variables(trace.tb_frame)))
            trace = trace.tb_next
        return found

    def numbers_read(self) -> List[int]:
        """Whole numbers that the innermost module has, and that its condition or the message reads."""
        owner, text, _ = next(iter(self.in_modules()), (None, "", {}))
        read = re.findall(r"\bself\.(\w+)\b", f"{text} {self.guard()}") + words(self.message)
        held = (vars(owner).get(name) for name in read) if owner is not None else ()
        return list(dict.fromkeys(size for size in held if type(size) is int and size > 0))

    def known_keys(self) -> List[str]:
        """Of the tables of texts that the innermost expression looked into with something that is in none of them."""
        frames = [frame for frame, _ in walk_tb(self.error.__traceback__ if isinstance(self.error, KeyError) else None)]
        found: List[str] = []
        for path in re.findall(r"\b([A-Za-z_][\w.]*)\[", self.last_text()) if frames else ():
            value = reached(frames[-1], path)
            if isinstance(value, dict) and all(isinstance(key, str) for key in value):
                found += [str.__str__(key) for key in list(value)[:MAX_KEYS]]  # what an enumeration has is its text
        return found

    def last_value(self, path: str) -> Any:
        """What the innermost function that has a variable of that name held in it when it failed, or in an attribute of
        it; None without one."""
        first = path.partition(".")[0]
        frames = [frame for frame in self.frames() if first in variables(frame)]
        return reached(frames[-1], path) if frames else None


@dataclass(frozen=True)
class Built:
    """An instance, and the text that makes it."""

    setup: str
    call: str
    attempt: Attempt
    arguments: Tuple[Tuple[str, str], ...] = ()
    """Those that were invented."""

    @property
    def instance(self) -> Any:
        """None when it could not be built."""
        return self.attempt.value


def _text(trace: TracebackType) -> str:
    return "".join(linecache.getline(trace.tb_frame.f_code.co_filename, number) for number in _lines(trace))


def _lines(trace: TracebackType) -> range:
    """Of the expression that failed."""
    start, end, _, _ = position(trace)
    if start and end:
        return range(start, min(end, start + MAX_SPAN) + 1)
    return range(trace.tb_lineno or 1, (trace.tb_lineno or 1) + 1)


def position(trace: TracebackType) -> Tuple[Optional[int], ...]:
    """First and last line, first and last column of the expression that failed; None where Python does not say."""
    code = trace.tb_frame.f_code
    places = code.co_positions() if hasattr(code, "co_positions") else ()
    return next(islice(places, trace.tb_lasti // 2, None), (None,) * 4)


def reached(known: Union[FrameType, Mapping[str, Any]], path: str) -> Any:
    """What a name, or attributes of it, mean in a frame, or where these names are known."""
    first, *rest = path.split(".")
    if isinstance(known, FrameType):
        known = {**known.f_globals, **variables(known)}
    value = known.get(first)
    for name in rest:
        value = attribute(value, name)
    return value


def words(text: str) -> List[str]:
    """The names in a text, in order, each once."""
    return list(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)))


def run(act: Callable[[], Any], watch: Watch, seconds: float) -> Attempt:
    """Call `act`, for so many seconds at most; whatever it raises is kept."""
    note()
    try:
        with limited(seconds, TooLong):
            return Attempt(act(), None, watch)
    except BaseException as error:  # user code may raise anything
        attempt = Attempt(None, error, watch)
        attempt.forget_what_was_said()
        return attempt
