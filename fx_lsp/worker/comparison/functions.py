"""A function that a program calls outside of its models, with what it calls it with."""

from __future__ import annotations

import dis
import inspect
import sys
import time
from types import CodeType, FrameType, FunctionType
from typing import Any, Dict, Iterator, List, Optional, Protocol, Sequence, Set, Tuple

from torch import nn
from torch.utils import _pytree

from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker import example
from fx_lsp.worker.capture.devices import OnProcessor
from fx_lsp.worker.comparison.anew import forget
from fx_lsp.worker.comparison.effects import Function, gives_numbers, kind
from fx_lsp.worker.comparison.inputs import Inputs, modules_of
from fx_lsp.worker.comparison.version import Called, Ran
from fx_lsp.worker.failures import Deadline
from fx_lsp.worker.overlay import Workspace

MAX_CALLS = 3
"""Calls that are looked at, no two of which are alike."""
SECONDS = 1.5
"""How long another one is waited for."""
_SEVERAL_TIMES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Enough(BaseException):
    """The calls to compare are known."""


class Watch(Protocol):
    """Finds them while a program runs."""

    found: List[Called]

    def entered(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For `sys.settrace`.

        Raises:
            Enough: no other ones are looked for.
        """


def function_called(request: TraceRequest, workspace: Workspace, any_call: bool = False) -> Ran:
    """Run the program until the function of the comparison is known, as the first calls have it that run through all
    that is edited of it, or any call.

    Raises:
        BaseException: what the program raises before that, or that there is no more time.
    """
    wanted = request.comparison
    assert wanted is not None
    return watched(request, workspace, _Watch(wanted.path, wanted.function, () if any_call else wanted.lines))


def watched(request: TraceRequest, workspace: Workspace, watch: Watch) -> Ran:
    """Run the program until enough is found.

    Raises:
        BaseException: what the program raises before anything is, or that there is no more time.
    """
    forget(workspace, None)
    workspace.install()
    try:
        with OnProcessor():
            example.seed(0)
            sys.settrace(watch.entered)
            workspace.run(request.scope)
    except Enough:
        pass
    except Deadline:
        raise
    except (Exception, SystemExit):  # what comes after these calls is none of it
        if not watch.found:
            raise
    finally:
        sys.settrace(None)
        workspace.remove()
    return Ran(watch.found, None)


def other_version(request: TraceRequest, workspace: Workspace, before: Sequence[Called]) -> Ran:
    """These calls, of the function as it is in another workspace.

    Raises:
        BaseException: what the program raises before it calls it.
        LookupError: it does not call it.
    """
    called = function_called(request, workspace, any_call=True).called
    if not called:
        raise LookupError("the program does not call it")
    return Ran([Called(_other(called[0].model, one.model), one.inputs) for one in before], None)


def _other(new: Any, old: Any) -> Function:
    """With the modules of the file that the old one names, which may have been trained by then."""
    inspect.unwrap(new.function).__globals__.update(_modules(old.function))
    return Function(new.function, [*old.given])


def _modules(function: FunctionType) -> Dict[str, nn.Module]:
    inner: Any = inspect.unwrap(function)
    known = {name: inner.__globals__.get(name) for code in _codes(inner.__code__) for name in code.co_names}
    return {name: one for name, one in known.items() if isinstance(one, nn.Module)}


class _Watch:
    """Finds calls; `lines` are the first and the last one of each place that they have to run through."""

    def __init__(self, path: str, name: str, lines: Tuple[Tuple[int, int], ...]) -> None:
        self.path, self.name = path, name
        self.lines = [range(first, last + 1) for first, last in lines]
        self.found: List[Called] = []
        self.kinds: Set[object] = set()
        self.until = float("inf")
        self.known: Dict[CodeType, Optional[FunctionType]] = {}
        self.ran: Optional[Set[int]] = None
        """Lines of the file that run in the call that is looked at now."""

    def entered(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For `sys.settrace`."""
        if self.found and time.monotonic() > self.until:
            raise Enough
        code = frame.f_code
        if code.co_filename != self.path:
            return None
        if self.ran is not None:
            return self._stepped
        if code.co_name != self.name.rpartition(".")[2]:
            return None
        if code not in self.known:
            self.known[code] = _function(frame, self.name)
        function = self.known[code]
        return self._looked_at(function, *_given(frame)) if function is not None else None

    def _looked_at(self, function: FunctionType, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        leaves = _pytree.tree_leaves((args, kwargs))
        alike = tuple(map(kind, leaves))
        if alike in self.kinds or any(hasattr(type(one), "__next__") for one in leaves):  # which gives all but once
            return None
        given = [*(one for item in leaves for one in modules_of(item)), *_modules(function).values()]
        modules = list({id(one): one for one in given}.values())
        called = Called(Function(function, modules), Inputs(args, kwargs))
        inside = _lines(function)
        wanted = [one for one in self.lines if not inside.isdisjoint(one)]
        ran = self.ran = set()

        def stepped(frame: FrameType, event: str, arg: Any) -> Any:
            ran.add(frame.f_lineno)
            if event == "return":
                self.ran = None
                if gives_numbers(arg) and all(not ran.isdisjoint(one) for one in wanted):
                    self.kinds.add(alike)
                    self.found.append(called)
                    self.until = min(self.until, time.monotonic() + SECONDS)
                    if not self.lines or len(self.found) == MAX_CALLS:
                        raise Enough
            return stepped

        return stepped

    def _stepped(self, frame: FrameType, event: str, arg: Any) -> Any:
        if self.ran is not None:
            self.ran.add(frame.f_lineno)
        return self._stepped


def _function(frame: FrameType, name: str) -> Optional[FunctionType]:
    """The function of that name that runs in a frame, if it gives all that it gives at once."""
    found: Any = frame.f_globals.get(name.partition(".")[0])
    for part in name.split(".")[1:]:
        found = vars(found).get(part) if isinstance(found, type) else None
    found = found.__func__ if isinstance(found, staticmethod) else found
    whole = isinstance(found, FunctionType) and not frame.f_code.co_flags & _SEVERAL_TIMES
    return found if whole and inspect.unwrap(found).__code__ is frame.f_code else None


def _lines(function: FunctionType) -> Set[int]:
    """Its own, and those of the functions in it."""
    return {line for code in _codes(inspect.unwrap(function).__code__) for _, line in dis.findlinestarts(code) if line}


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _given(frame: FrameType) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    found = inspect.getargvalues(frame)
    code, values = frame.f_code, found.locals
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    args = [values[one] for one in code.co_varnames[: code.co_argcount]]
    args += values[found.varargs] if found.varargs else ()
    kwargs = {one: values[one] for one in named}
    kwargs.update(values[found.keywords] if found.keywords else {})
    return tuple(args), kwargs
