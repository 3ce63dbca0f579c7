"""FakeTensor: every operation runs on sizes and dtypes alone, and nothing is allocated."""

from __future__ import annotations

import inspect
import re
import sys
import types
from contextlib import contextmanager, nullcontext
from typing import Any, Callable, ContextManager, Iterator, Tuple

import torch
from torch._subclasses import fake_tensor

from fx_lsp.worker.alarm import check, is_late, within_modes
from fx_lsp.worker.capture.frames import message_of
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.engines import grouped, kernels
from fx_lsp.worker.engines.dispatched import Dispatched
from fx_lsp.worker.engines.fills import leave_unfilled
from fx_lsp.worker.engines.known import Known
from fx_lsp.worker.engines.layers import Layers, fresh
from fx_lsp.worker.engines.recurrent import shortened
from fx_lsp.worker.engines.twins import Twins

_LIMITS: Tuple[type, ...] = tuple(
    cls for cls in vars(fake_tensor).values()
    if inspect.isclass(cls) and issubclass(cls, Exception) and cls.__module__ == fake_tensor.__name__
)  # fmt: skip
_LIMIT_TEXTS = ("FakeTensor", "fake tensor", "data pointer", "tensor subclass", "meta tensor", "'meta'", "Meta",
                "data is not allocated", "incompatible tensor type", "Expected inputs of BF16 type")  # fmt: skip
"""The last one: processors multiply groups of matrices of any type, only the rule for sizes is of those of one."""
_DIMS = re.compile(r"\b\dD\b")
"""Functions of torch refuse tensors of so many dims with the type of what lacks a kernel."""


def is_limit(error: BaseException) -> bool:
    """Whether the error is about fake tensors, and so says nothing about the code."""
    if isinstance(error, (*_LIMITS, NotImplementedError)):
        return _DIMS.search(message_of(error)) is None
    return isinstance(error, (RuntimeError, AssertionError, TypeError)) and any(
        text in message_of(error) for text in _LIMIT_TEXTS
    )


class Fake:
    """Runs code on fake tensors, observed by a recorder."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.mode = fake_tensor.FakeTensorMode(allow_non_fake_inputs=True)
        """One for all runs: what the workspace caches between them must not meet another."""
        kernels.install(self.mode)
        _check_time(self.mode)
        self.dispatched = Dispatched(self.mode)
        self.known = Known(shortened(recorder.call), recorder.doubt, Twins(self.mode))
        recorder.call = self.known
        recorder.is_limit = is_limit
        _hide()
        _fake_parameters(self.mode)
        leave_unfilled()
        grouped.install()
        Layers(self.mode).install()

    @property
    def varies(self) -> bool:
        """Whether another run may have other shapes: only where code read what it drew at random."""
        return self.known.read_draws

    @property
    def new_to_it(self) -> str:
        """What it had to work out, see `Dispatched`."""
        return self.dispatched.text()

    @contextmanager
    def run(self) -> Iterator[None]:
        """The body runs on fake tensors."""
        with self.mode, self.recorder, within_modes():
            yield


def _check_time(mode: fake_tensor.FakeTensorMode) -> None:
    """What a time limit is to raise is raised where an operator is asked for, too, as an error of that: a layer of
    hundreds of operators may be one call.  What a tensor is asked for (its device) may not fail."""
    dispatch: Callable[..., Any] = mode.dispatch

    def checked(func: Any, *args: Any, **kwargs: Any) -> Any:
        if is_late() and _may_fail(func):
            check()
        return dispatch(func, *args, **kwargs)

    mode.dispatch = checked  # type: ignore[method-assign]


def _may_fail(func: Any) -> bool:
    """Whether it makes a tensor; what asks for its device, or for a copy of what is known of it, may not."""
    made = getattr(func, "namespace", "") == "aten" and func is not torch.ops.aten.detach.default
    return made and any("Tensor" in str(one.type) for one in func._schema.returns)


def _fake_parameters(mode: fake_tensor.FakeTensorMode) -> None:
    """A parameter made from a known constant is as fake as any other: training changes it."""
    original = torch.nn.Parameter.__new__

    def __new__(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
        faking = torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None
        if faking and type(data) is torch.Tensor:  # from sizes: converting a real tensor takes far longer
            with torch._C.DisableTorchFunction(), fake_tensor.unset_fake_temporarily():
                sizes = data.shape, data.stride(), data.dtype
                made = fresh(mode, *sizes, data.device, requires_grad, parameter=cls is torch.nn.Parameter)
            if cls is torch.nn.Parameter:
                return made
            data = made
        return original(cls, data, requires_grad)

    torch.nn.Parameter.__new__ = staticmethod(__new__)  # type: ignore[assignment]


def real_tensors() -> ContextManager[Any]:
    """For module bodies imported on the way: what they build outlives the run, so it has to be real."""
    if torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is None:
        return nullcontext()
    return _real_tensors()


@contextmanager
def _real_tensors() -> Iterator[None]:
    with fake_tensor.unset_fake_temporarily(), torch._C.DisableTorchFunction():
        yield


class _Discreet(types.ModuleType):
    """Gives `FakeTensor` to torch only: code that asks whether it runs on fake tensors would else take a branch that
    it does not take on real ones.

    `nn.Module._apply` (`.half()`, `.to(…)`) is kept in the dark too: it would swap fake parameters with their
    converted twins, which fails while anything holds a weak reference to them, instead of setting their `.data`.
    """

    def __getattribute__(self, name: str) -> Any:
        if name == "FakeTensor":
            asking = sys._getframe(1).f_globals.get("__name__", "")
            if asking.partition(".")[0] not in ("torch", "fx_lsp") or asking == "torch.nn.modules.module":
                return _NoTensor
        return super().__getattribute__(name)


class _NoTensor(torch.Tensor):
    """A tensor class without instances."""


def _hide() -> None:
    fake_tensor.__class__ = _Discreet
    torch._subclasses.__class__ = _Discreet
