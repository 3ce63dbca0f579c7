"""Every torch call that the workspace makes, with the expression that made it."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Callable, Dict, List, Optional, Protocol, Tuple

import torch
from torch import nn
from torch.overrides import TorchFunctionMode, resolve_name

from fx_lsp.model.trace import Operation, OperationVariant
from fx_lsp.model.value import Opaque, TensorType, Value
from fx_lsp.worker.capture.attempts import attempt
from fx_lsp.worker.capture.describe import describe, tensor_type
from fx_lsp.worker.capture.devices import Devices
from fx_lsp.worker.capture.frames import Frames, message_of
from fx_lsp.worker.capture.lineage import Ancestry
from fx_lsp.worker.capture.memory import scattered, view_of
from fx_lsp.worker.capture.modules import ModuleStack, parameter_count
from fx_lsp.worker.capture.record import Called, Current, Failed, Record, Seen, Signature
from fx_lsp.worker.capture.unplaced import Unplaced


class Observer(Protocol):
    """Is told of every torch function, wherever it is called from."""

    def starts(self) -> int:
        """What it wants back when the function that starts now has run."""

    def called(
        self, frame: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], result: Any, before: int,
        failed: bool,
    ) -> None:  # fmt: skip
        """`frame` called a function, which returned `result` or raised."""


class Watch(Protocol):
    """Looks at the code that runs, but not at what torch does."""

    active: bool

    def rest(self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        """A torch function starts."""

    def listen(self) -> None:
        """It is over."""


class Recorder(TorchFunctionMode):
    """Records functions as they are called; module calls arrive through `ModuleStack.listener`."""

    def __init__(self, frames: Frames, stack: ModuleStack, devices: Devices, current: Current) -> None:
        super().__init__()
        self.frames, self.stack, self.current = frames, stack, current
        self.call: Callable[..., Any] = devices.call
        """How a function is run, given its arguments."""
        self.limited = ""
        """Why fake tensors cannot be trusted here: an error of theirs, even one that user code caught."""
        self.is_limit: Callable[[BaseException], bool] = lambda error: False
        self.observer: Optional[Observer] = None
        self.watch: Optional[Watch] = None
        self.ancestry = Ancestry(frames, current)
        self.unplaced = Unplaced(frames, stack, current)
        stack.listener, stack.ended = self.module_called, self.ancestry.returned

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the function; note what it made."""
        kwargs = kwargs or {}
        watch = self.watch
        if watch is None or not watch.active:
            return self._run(func, args, kwargs, sys._getframe(1))
        watch.rest(func, args, kwargs)
        try:
            return self._run(func, args, kwargs, sys._getframe(1))
        finally:
            watch.listen()

    def _run(self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], caller: FrameType) -> Any:
        if func in _ADDRESSES and caller.f_code.co_filename in self.frames.sources:
            self.doubt("the address of a tensor is asked for")
        observer, before, nodes = self.observer, 0, self.ancestry.before(func, args, kwargs)
        if observer is not None:
            before = observer.starts()
        try:
            result = self.call(func, args, kwargs)
        except Exception as error:
            failed = self.current.record.failed
            if failed.error is not error:
                self.current.record.failed = Failed(error, attempt(function_name(func), args, kwargs))
            if self.is_limit(error):
                self.doubt(f"{type(error).__name__}: {message_of(error)}".splitlines()[0])
            if observer is not None:
                observer.called(caller, func, args, kwargs, None, before, failed=True)
            raise
        if observer is not None:
            observer.called(caller, func, args, kwargs, result, before, failed=False)
        self.ancestry.called(caller, func, args, kwargs, result, nodes)
        self.unplaced.called(caller, func, args, kwargs, result)
        if isinstance(result, (torch.Tensor, tuple, list)) and not self.stack.inside_library:
            frame = self.frames.making(caller)
            if frame is not None:
                self._called(frame, func, args, kwargs, result)
        return result

    def _called(self, frame: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Any, result: Any) -> None:
        with torch._C.DisableTorchFunction():
            if isinstance(result, torch.Tensor):
                output: Optional[Value] = tensor_type(result, layout=True)
            else:
                output = describe(result)
            if output is not None and not isinstance(output, Opaque):
                given = (*args, *kwargs.values()) if kwargs else args
                inputs = [(item, value) for item in given if (value := describe(item)) is not None]
                taken, shown = [item for item, _ in inputs], tuple(value for _, value in inputs)
                moved = isinstance(output, TensorType) and bool(output.stride) and not scattered(taken)
                signature = (shown, output, view_of(result, taken), moved)
                self._add(frame, func, "function", signature, None)

    def doubt(self, why: str) -> None:
        """What fake tensors show from here on may not be what happens; the first reason is kept."""
        self.limited = self.limited or why

    def module_called(
        self, frame: FrameType, module: nn.Module, inputs: Tuple[Value, ...], output: Optional[Value]
    ) -> None:
        """An `nn.Module` was called by the workspace or below one of its modules."""
        inner = self.frames.innermost(frame)
        if inner is not None and output is not None:
            self._add(inner, type(module), "module", (inputs, output, None, False), module)

    def _add(self, frame: FrameType, target: Any, form: str, signature: Signature, module: Optional[nn.Module]) -> None:
        if self.stack.chosen and self.stack.passes_over():
            return
        place = (frame.f_code.co_filename, frame.f_code, frame.f_lasti, target)
        record = self.current.record
        called = record.called.get(place)
        if called is None:
            called = record.called[place] = Called(form, frame.f_lineno, self.frames.calls(frame.f_back))
        record.count(called.signatures.setdefault(signature, Seen(module)), self.stack.path, signature[1])


_ADDRESSES = frozenset({torch.Tensor.data_ptr, torch.Tensor.storage, torch.Tensor.untyped_storage})
"""Fake tensors answer these, but not as real ones do."""


def operations(record: Record, frames: Frames) -> Tuple[Operation, ...]:
    """Operations in the order of their first run."""
    found: List[Operation] = []
    for (_, code, lasti, target), called in record.called.items():
        variants = tuple(
            OperationVariant(inputs, output, tuple(seen.paths), seen.count, _parameters(seen), view, moved)
            for (inputs, output, view, moved), seen in called.signatures.items()
        )
        name = target.__name__ if called.form == "module" else function_name(target)
        span = frames.span(code, lasti, called.line)
        found.append(Operation(span, name, called.form, variants, called.calls))
    return tuple(found)


def _parameters(seen: Seen) -> int:
    return parameter_count(seen.module) if seen.module is not None else 0


def function_name(func: Any) -> str:
    """`torch.nn.functional.linear`, `torch.Tensor.view`; the bare name for what torch does not list.

    `torch.mm` is `torch.spmm` as well, which is the name that `resolve_name` finds.
    """
    own = getattr(func, "__name__", "?")
    name = resolve_name(func) or getattr(func, "__qualname__", None) or own
    if name.endswith(".__get__"):
        name = name[: -len(".__get__")]
    return (
        f"torch.{own}"
        if name.count(".") == 1 and not own.startswith("_") and getattr(torch, own, None) is func
        else name
    )
