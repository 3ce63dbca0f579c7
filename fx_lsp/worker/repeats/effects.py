"""Watches code run, and says whether it changed anything but local names and what it made itself.

A line counts when it ran, by its bytecode; a built-in when it is on the list of those that change nothing.  Code of
torch is taken at its word, and what runs inside a torch function is not looked at: those are the operations.
"""

from __future__ import annotations

import builtins
import math
import os
import sys
import traceback
import weakref
from dataclasses import dataclass, field
from itertools import islice
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

import torch

from fx_lsp.worker.capture import probes
from fx_lsp.worker.engines.known import writes
from fx_lsp.worker.repeats.code import Chain, lines_of

_TRUSTED = (os.path.dirname(torch.__file__) + os.sep, os.path.dirname(os.path.dirname(__file__)) + os.sep,
            str(weakref.__file__))  # fmt: skip
"""The last one forgets objects at any moment."""
_STANDARD = (os.path.dirname(os.__file__) + os.sep, "<frozen ")
_FUNCTIONS = frozenset(
    getattr(builtins, name)
    for name in ("abs", "all", "any", "callable", "chr", "divmod", "format", "hash", "id", "isinstance", "issubclass",
                 "iter", "len", "max", "min", "ord", "pow", "repr", "round", "sorted", "sum")
)  # fmt: skip
_READ_BY = frozenset({"get", "items", "keys", "values", "index", "count", "copy", "__contains__", "__len__",
                      "__getitem__", "union", "intersection", "difference", "issubset", "issuperset",
                      "isdisjoint"})  # fmt: skip
"""Methods of containers that change nothing."""
_CONTAINERS = (list, dict, set)
_IMMUTABLE = (str, int, float, complex, bool, bytes, tuple, frozenset, range, slice, type(None), torch.Size,
              torch.dtype, torch.device)  # fmt: skip
MAX_RUNNING = 64
"""Functions that are remembered of what was running."""

_NONE: Mapping[str, Any] = {}


@dataclass
class Seen:
    """What ran while a module ran."""

    effect: str = ""
    """Why another run cannot be left out; empty as long as nothing speaks against it."""
    where: Tuple[CodeType, ...] = ()
    """Functions in which that happened, the innermost first."""
    lines: Set[Tuple[CodeType, int]] = field(default_factory=set)
    namespaces: Dict[CodeType, Dict[str, Any]] = field(default_factory=dict)
    """Globals of each function."""
    cells: Set[str] = field(default_factory=set)
    """Names that inner functions share with a function that ran."""

    def add(self, inner: Seen) -> None:
        """What ran inside ran here too."""
        if not self.effect:
            self.effect, self.where = inner.effect, inner.where
        self.lines |= inner.lines
        self.namespaces.update(inner.namespaces)

    def names(self) -> Set[str]:
        """Every name that was read of anything."""
        return {name for code, number in self.lines for name in lines_of(code)[number].names}

    def chains(self) -> List[Tuple[Dict[str, Any], Chain]]:
        """Every global that was read, with the namespace to find it in."""
        found = {
            (id(self.namespaces[code]), chain): (self.namespaces[code], chain)
            for code, number in self.lines
            for chain in lines_of(code)[number].globals
        }
        return list(found.values())


class Watch:
    """Between `begin` and `end`; nested ones hand on what they saw."""

    def __init__(self) -> None:
        self._open: List[Seen] = []
        # Python calls them without holding them, and what is collected just then may make it forget them (3.11).
        self._trace, self._profile = self._called, self._calls

    @property
    def active(self) -> bool:
        """Whether somebody watches."""
        return bool(self._open)

    def begin(self) -> Seen:
        """Watch what runs from here on."""
        self._open.append(Seen())
        self.listen()
        return self._open[-1]

    def end(self) -> None:
        """Until here."""
        inner = self._open.pop()
        if self._open:
            self._open[-1].add(inner)
        else:
            self.rest()

    def left_out(self, seen: Seen) -> None:
        """This would have run here."""
        if self._open:
            self._open[-1].add(seen)

    def object_to(self, why: str) -> None:
        """What runs cannot be left out another time."""
        open_ = [seen for seen in self._open if not seen.effect]
        where = _running() if open_ else ()
        for seen in open_:
            seen.effect, seen.where = why, where
        if self._open:
            _see_nothing()  # more would say no more, of all that are open

    def rest(self, func: Any = None, args: Tuple[Any, ...] = (), kwargs: Mapping[str, Any] = _NONE) -> None:
        """See nothing for a while; a torch function that runs meanwhile must not run code that it is given."""
        _see_nothing()
        given, name = (*args, *kwargs.values()), getattr(func, "__name__", "")
        if any(type(one) is FunctionType for one in given):
            self.object_to(f"{name} is given a function")
        if writes(name, kwargs) and any(type(one) is torch.Tensor for one in given):
            self.object_to(f"{name} changes a tensor that is known")

    def listen(self) -> None:
        """Go on, if there is anything to find out: what speaks against one speaks against all around it."""
        if self._open and not self._open[-1].effect:
            sys.setprofile(self._profile)
            sys.settrace(self._trace)

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        if not self._open or _is_trusted(frame):
            return None
        code, seen = frame.f_code, self._open[-1]
        seen.namespaces[code] = frame.f_globals
        for name in code.co_freevars:
            if name not in seen.cells and name != "__class__" and not _is_code(frame.f_locals.get(name)):
                self.object_to(f"{code.co_name} reads {name} of an outer function")
        seen.cells.update(code.co_cellvars)
        self._line(frame, "line", None)
        return self._line

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event != "line" or not self._open:
            return self._line
        code, number, seen = frame.f_code, frame.f_lineno, self._open[-1]
        line = lines_of(code).get(number)
        if line is None:
            return self._line
        if line.augmented:
            for name in line.augmented:
                item = frame.f_locals.get(name)
                if not isinstance(item, (torch.Tensor, *_IMMUTABLE)):
                    self.object_to(f"{name} += … in line {number}")
        if (code, number) not in seen.lines:
            seen.lines.add((code, number))
            if line.effect:
                self.object_to(f"{line.effect} in line {number} of {code.co_name}")
        return self._line

    def _calls(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call" and not _changes_nothing(arg) and not _is_trusted(frame):
            self.object_to(f"{getattr(arg, '__qualname__', arg)} is called")


def _see_nothing() -> None:
    sys.settrace(None)
    sys.setprofile(None)


def _running() -> Tuple[CodeType, ...]:
    """Functions that run now, the innermost first."""
    return tuple(frame.f_code for frame, _ in islice(traceback.walk_stack(sys._getframe(2)), MAX_RUNNING))


def _is_trusted(frame: FrameType) -> bool:
    """Whether torch runs here, or what torch calls of the standard library: `contextlib` and the like."""
    inner: Optional[FrameType] = frame
    while inner is not None:
        path = inner.f_code.co_filename
        if path.startswith(_TRUSTED):
            return True
        if not path.startswith(_STANDARD) or "site-packages" in path:
            return False
        inner = inner.f_back
    return False


def _is_code(item: Any) -> bool:
    return isinstance(item, (FunctionType, BuiltinFunctionType, ModuleType, type))


def _changes_nothing(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    if owner is builtins or owner is None:
        module = getattr(function, "__module__", None) or ""
        return function in _FUNCTIONS or module.partition(".")[0] == "torch"
    if function is getattr(builtins, probes.REACH, None) or owner is math:
        return True
    if isinstance(owner, ModuleType):
        return owner.__name__.partition(".")[0] == "torch"
    if isinstance(owner, torch.Tensor) or type(owner) in _IMMUTABLE:
        return True
    if type(owner).__module__.partition(".")[0] == "torch" and not isinstance(owner, torch.nn.Module):
        return True
    return type(owner) in _CONTAINERS and function.__name__ in _READ_BY
