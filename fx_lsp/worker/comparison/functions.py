"""A function that a program calls outside of its models, with what it calls it with."""

from __future__ import annotations

import inspect
import sys
import time
from types import CodeType, FrameType, FunctionType
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import torch
from torch import nn
from torch.utils import _pytree

from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker import example
from fx_lsp.worker.capture.devices import OnProcessor
from fx_lsp.worker.comparison.anew import forget
from fx_lsp.worker.comparison.inputs import Inputs, modules_of
from fx_lsp.worker.comparison.version import Called, Ran
from fx_lsp.worker.graph.counting import tensors_in
from fx_lsp.worker.overlay import Workspace

MAX_CALLS = 2
"""Calls that are looked at, no two of which are alike."""
SECONDS = 1.5
"""How long another one is waited for."""
_MANY_RESULTS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class _Enough(BaseException):
    """The calls to compare are known."""


class Function(nn.Module):
    """A function as a module, of which those are a part that it is given."""

    def __init__(self, function: FunctionType, given: List[nn.Module]) -> None:
        super().__init__()
        self.function, self.given = function, nn.ModuleList(given)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What it gives, numbers as tensors.

        Raises:
            ValueError: none of it can be compared.
        """
        result = _pytree.tree_map(_as_tensor, self.function(*args, **kwargs))
        if not tensors_in(result):
            raise ValueError("it gives no numbers")
        return result


def function_called(request: TraceRequest, workspace: Workspace, any_call: bool = False) -> Ran:
    """Run the program until the function of the comparison is known, as the first calls have it that run through all
    that is edited of it, or any call.

    Raises:
        BaseException: what the program raises before that.
    """
    wanted = request.comparison
    assert wanted is not None
    forget(workspace, None)
    workspace.install()
    watch = _Watch(wanted.path, wanted.function, () if any_call else wanted.lines)
    try:
        with OnProcessor():
            example.seed(0)
            sys.settrace(watch.entered)
            workspace.run(request.scope)
    except _Enough:
        pass
    except BaseException:  # what comes after these calls is none of it
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
    functions = [Function(called[0].model.function, [*one.model.given]) for one in before]  # type: ignore[arg-type, list-item, operator]
    return Ran([Called(function, one.inputs) for function, one in zip(functions, before)], None)


class _Watch:
    def __init__(self, path: str, name: str, lines: Tuple[int, ...]) -> None:
        self.path, self.name = path, name
        self.places = [*zip(lines[::2], lines[1::2])]
        self.found: List[Called] = []
        self.kinds: Set[object] = set()
        self.until = float("inf")
        self.known: Dict[CodeType, Optional[FunctionType]] = {}

    def entered(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For `sys.settrace`."""
        code = frame.f_code
        if code.co_name != self.name.rpartition(".")[2] or code.co_filename != self.path:
            return None
        if code not in self.known:
            self.known[code] = _function(frame, self.name)
        function = self.known[code]
        if function is None:
            return None
        args, kwargs = _given(frame)
        leaves = _pytree.tree_leaves((args, kwargs))
        kind = tuple(map(_kind, leaves))
        if kind in self.kinds:
            self._ended()
            return None
        modules = list({id(one): one for item in leaves for one in modules_of(item)}.values())
        return _Lines(self, kind, Called(Function(function, modules), Inputs(args, kwargs))).stepped

    def left(self, kind: object, called: Called, ran: Set[int]) -> None:
        """A call is over."""
        code = _code(called.model.function)  # type: ignore[arg-type]
        inside = {line for _, _, line in code.co_lines() if line} if sys.version_info >= (3, 10) else set(ran)
        wanted = [range(first, last + 1) for first, last in self.places]
        wanted = [one for one in wanted if not inside.isdisjoint(one)]
        if all(not ran.isdisjoint(one) for one in wanted):
            self.kinds.add(kind)
            self.found.append(called)
            self.until = min(self.until, time.monotonic() + SECONDS)
        self._ended()

    def _ended(self) -> None:
        if self.found and (not self.places or len(self.found) == MAX_CALLS or time.monotonic() > self.until):
            raise _Enough


class _Lines:
    """Of one call."""

    def __init__(self, watch: _Watch, kind: object, called: Called) -> None:
        self.watch, self.kind, self.called = watch, kind, called
        self.ran: Set[int] = set()

    def stepped(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For the frame's own trace."""
        self.ran.add(frame.f_lineno)
        if event == "return" and arg is not None:
            self.watch.left(self.kind, self.called, self.ran)
        return self.stepped


def _function(frame: FrameType, name: str) -> Optional[FunctionType]:
    """The function of that name that runs in a frame, if it gives all that it gives at once."""
    found: Any = frame.f_globals.get(name.partition(".")[0])
    for part in name.split(".")[1:]:
        found = vars(found).get(part) if isinstance(found, type) else None
    found = found.__func__ if isinstance(found, staticmethod) else found
    whole = isinstance(found, FunctionType) and not frame.f_code.co_flags & _MANY_RESULTS
    return found if whole and _code(found) is frame.f_code else None


def _code(function: FunctionType) -> CodeType:
    return inspect.unwrap(function).__code__


def _given(frame: FrameType) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    found = inspect.getargvalues(frame)
    code, values = frame.f_code, found.locals
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    args = [values[one] for one in code.co_varnames[: code.co_argcount]]
    args += values[found.varargs] if found.varargs else ()
    kwargs = {one: values[one] for one in named}
    kwargs.update(values[found.keywords] if found.keywords else {})
    return tuple(args), kwargs


def _kind(item: Any) -> object:
    """What may decide the way through a function: not the numbers of a tensor."""
    if isinstance(item, torch.Tensor):
        return item.dtype, item.dim()
    return (type(item), item) if isinstance(item, (bool, str, type(None))) else type(item)


def _as_tensor(item: Any) -> Any:
    if type(item) in (bool, int, float):
        return torch.tensor(item)
    numpy = sys.modules.get("numpy")
    is_array = numpy is not None and isinstance(item, (numpy.ndarray, numpy.generic)) and item.dtype.kind in "biuf"
    return torch.as_tensor(item) if is_array else item
