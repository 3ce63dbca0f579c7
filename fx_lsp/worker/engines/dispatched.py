"""What a run dispatched to fake kernels for the first time, so that later children do it before they are asked.

`FakeTensorMode` keeps what an operator gives for what it takes, for the life of the process, and a process runs one
example.  The operators themselves are torch's own and hold no code of the user's, so their names and the sizes of what
they took are passed on, as text that nobody reads but a spare that waits: already confined, and for the same workspace.
"""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from typing import Any, Callable, List

import torch
from torch._subclasses import fake_tensor

from fx_lsp.model.messages import MAX_DISPATCHED
from fx_lsp.worker.engines import kernels

MAX_KEPT = 4 * MAX_DISPATCHED
"""Characters of what is done ahead."""

_NAMED = {torch.dtype: "dtype", torch.layout: "layout", torch.memory_format: "memory_format"}


class Dispatched:
    """Notes what a mode has to work out, as `FakeTensorMode._cached_dispatch_impl` asks for it."""

    def __init__(self, mode: fake_tensor.FakeTensorMode) -> None:
        self._seen: List[str] = []
        self._size = self._depth = 0
        work_out = getattr(mode, "_dispatch_impl", None)
        if work_out is None:  # before it had a cache
            return

        def _dispatch_impl(func: Any, types: Any, args: Any, kwargs: Any) -> Any:
            if self._depth == 0:
                self._note(func, args, kwargs)
            self._depth += 1
            try:
                return work_out(func, types, args, kwargs)
            finally:
                self._depth -= 1

        mode._dispatch_impl = _dispatch_impl

    def _note(self, func: Any, args: Any, kwargs: Any) -> None:
        if self._size >= MAX_DISPATCHED:
            return
        try:
            schema = func._schema
            if not schema.name.startswith("aten::"):
                return
            call = [schema.name[len("aten::") :], schema.overload_name or "default", _lower(args), _lower(kwargs)]
            text = json.dumps(call, separators=(",", ":"), allow_nan=False)
        except (_NotPlainError, ValueError, AttributeError, RuntimeError):  # it will have to be worked out each time
            return
        self._size += len(text) + 1
        self._seen.append(text)

    def text(self) -> str:
        """All of it, as `Ahead.do` takes it."""
        found = "\n".join(dict.fromkeys(self._seen))
        return found if len(found) <= MAX_DISPATCHED else found[: found.rindex("\n", 0, MAX_DISPATCHED)]


class Ahead:
    """What later children shall do ahead: held as it came, and read by them only."""

    def __init__(self) -> None:
        self.made = 0
        """Grows with each text; who was forked before lacks it."""
        self._texts: OrderedDict[str, None] = OrderedDict()

    def want(self, text: str) -> None:
        """One more; the oldest go."""
        if not text or text in self._texts or len(text) > MAX_DISPATCHED:
            return
        self._texts[text] = None
        self.made += 1
        while sum(map(len, self._texts)) > MAX_KEPT:
            self._texts.popitem(last=False)

    def do(self, wanted: Callable[[], bool] = lambda: False) -> None:
        """In a spare: ask a mode for all of it, the newest first, as long as nothing else is `wanted`."""
        mode = fake_tensor.FakeTensorMode(allow_non_fake_inputs=True)
        kernels.install(mode)
        for text in reversed(self._texts):
            for line in text.split("\n"):
                if wanted():
                    return
                try:
                    _once(mode, line)
                except Exception as error:  # the text comes from a stranger's run; then it is not done ahead
                    print(f"fx-lsp: not done ahead: {type(error).__name__}: {line[:200]}", file=sys.stderr)


AHEAD = Ahead()
"""Of this process."""


class _NotPlainError(ValueError):
    """There is something in it that cannot be written down."""


def _once(mode: fake_tensor.FakeTensorMode, line: str) -> None:
    name, overload, args, kwargs = json.loads(line)
    func = getattr(getattr(torch.ops.aten, name), overload)
    if not isinstance(func, torch._ops.OpOverload):
        raise TypeError(f"{name} is no operator")
    with torch.no_grad():
        mode.dispatch(func, (), _raised(args, mode), _raised(kwargs, mode))


def _lower(item: Any) -> Any:
    """Plain values as they are; what JSON does not have as a list that starts with a word."""
    cls = type(item)
    if cls in (int, float, bool, str) or item is None:
        return item
    if cls in (tuple, list):
        return [cls.__name__, *map(_lower, item)]
    if cls is dict:
        return {key: _lower(value) for key, value in item.items()}
    if cls is torch.device:
        return ["device", str(item)]
    if cls in _NAMED:
        return [_NAMED[cls], str(item).rpartition(".")[2]]
    if isinstance(item, fake_tensor.FakeTensor) and item.layout is torch.strided and item.constant is None:
        shape = list(item.shape)
        stored = item.untyped_storage().nbytes() // item.element_size()
        numbers = [*shape, *item.stride(), item.storage_offset(), stored]
        if item.device.type == "cpu" and all(type(number) is int for number in numbers):
            dtype = str(item.dtype).rpartition(".")[2]
            return ["tensor", dtype, shape, list(item.stride()), item.storage_offset(), stored, item.requires_grad]
    raise _NotPlainError


def _raised(item: Any, mode: fake_tensor.FakeTensorMode) -> Any:
    if isinstance(item, dict):
        return {key: _raised(value, mode) for key, value in item.items()}
    if not isinstance(item, list):
        return item
    kind, *parts = item
    if kind in ("tuple", "list"):
        found = [_raised(part, mode) for part in parts]
        return tuple(found) if kind == "tuple" else found
    if kind == "tensor":
        return _tensor(mode, *parts)
    return torch.device(parts[0]) if kind == "device" else getattr(torch, parts[0])


def _tensor(
    mode: fake_tensor.FakeTensorMode, dtype: str, shape: List[int], stride: List[int], offset: int, stored: int,
    requires_grad: bool,
) -> torch.Tensor:  # fmt: skip
    with mode:
        made = torch.empty(stored, dtype=getattr(torch, dtype)).as_strided(shape, stride, offset)
        return made.requires_grad_() if requires_grad else made
