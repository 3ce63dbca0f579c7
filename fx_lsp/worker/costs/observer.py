"""Whose cost it is: every torch function is charged to the expressions of the workspace that it runs below."""

from __future__ import annotations

import bisect
from types import FrameType
from typing import Any, Dict, List, Optional, Set, Tuple

import torch
from torch import nn
from torch.autograd import _get_sequence_nr as sequence

from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.record import Current, Failed
from fx_lsp.worker.costs.meter import Meter, sequence_number
from fx_lsp.worker.graph.recording import Site


class Stack:
    """Expressions of the workspace inside each other, innermost first, and what ran there."""

    __slots__ = ("backward", "flops", "kept", "made", "moved", "sites")

    def __init__(self, sites: Tuple[Site, ...]) -> None:
        self.sites = sites
        self.flops = self.backward = self.moved = self.made = self.kept = 0


class Calls:
    """All calls of one module."""

    def __init__(self, module: nn.Module, root: int, path: str) -> None:
        self.module, self.root, self.path = module, root, path
        self.count = self.flops = self.backward = self.moved = self.made = self.kept = 0
        self.storages: List[Tuple[int, int]] = []
        self.sequences: List[Tuple[int, int]] = []
        """For each call from where to where in `Meter.made`, and in the sequence of autograd's functions."""


class CostObserver:
    """Of one run; begins with the first call of a module."""

    def __init__(self, frames: Frames, current: Current, meter: Optional[Meter] = None) -> None:
        self.meter = meter or Meter()
        self.stacks: Dict[Tuple[Site, ...], Stack] = {}
        self.modules: Dict[int, Calls] = {}
        self.roots: List[nn.Module] = []
        self.begun = False
        self.weights = 0
        """Bytes of the parameters and buffers of all models, when they were called first."""
        self.forward = 0
        """Operations before the backward pass."""
        self.is_backward = False
        """What runs now runs a second time, for the sake of the backward pass."""
        self._frames, self._current = frames, current
        self._weights: Set[int] = set()
        self._functions: List[Tuple[int, int, int, int]] = []
        self._entered: List[Tuple[Calls, int, int, int, int]] = []
        self._numbers: List[int] = []
        self._makers: List[Tuple[int, Stack]] = []
        """Of autograd's functions, by their sequence numbers: the first ones, and up to where whose they are."""
        self._first = self._before = 0

    # -- functions ----------------------------------------------------------------------------------------------------

    def starts(self) -> int:
        """As `Observer.starts`."""
        meter, record = self.meter, self._current.record
        if record.failed.error is not None:  # it was caught, as checkpoints do, and holds all that its frames held
            record.failed = Failed()
        if self.is_backward and not self._functions:
            meter.around = sequence_number() or 0
        self._functions.append((meter.flops - meter.charged, meter.moved, len(meter.made), sequence()))
        meter.inside += 1
        return len(self._functions)

    def called(
        self, frame: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], result: Any, before: int,
        failed: bool,
    ) -> None:  # fmt: skip
        """As `Observer.called`."""
        meter = self.meter
        meter.inside -= 1
        flops, moved, made, number = self._functions.pop()
        if not self.begun or self._functions:
            return
        after, spent = sequence(), meter.flops - meter.charged
        if (flops, moved, made, number) == (spent, meter.moved, len(meter.made), after):
            return
        stack = self._stack(frame)
        if self.is_backward:
            stack.backward += spent - flops
        else:
            stack.flops += spent - flops
            stack.moved += meter.moved - moved
            for held in meter.made[made:]:
                held.maker = stack
                stack.made += held.bytes if held.alive else 0
        if number != after:
            self._numbers.append(number)
            self._makers.append((after, stack))

    def _stack(self, frame: Optional[FrameType]) -> Stack:
        sources, sites = self._frames.sources, []
        while frame is not None:
            code = frame.f_code
            if code.co_filename in sources:
                sites.append((code.co_filename, code, frame.f_lasti, frame.f_lineno))
            frame = frame.f_back
        key = tuple(sites)
        found = self.stacks.get(key)
        if found is None:
            found = self.stacks[key] = Stack(key)
        return found

    # -- modules ------------------------------------------------------------------------------------------------------

    def enter(self, frame: FrameType, module: nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        """As `Watcher.enter`."""
        meter = self.meter
        if not self._entered and id(module) not in self.modules:
            self._root(module)
        calls = self.modules.get(id(module))
        if calls is None:  # it is no attribute of what calls it: in a plain list, or made on the way
            above = self._entered[-1][0]
            path = f"{above.path}.<{type(module).__name__}>".lstrip(".")
            calls = self.modules[id(module)] = Calls(module, above.root, path)
        calls.count += not self.is_backward
        self._entered.append((calls, meter.flops, meter.moved, len(meter.made), sequence()))

    def leave(self, frame: FrameType, module: nn.Module, result: Any, failed: bool) -> None:
        """As `Watcher.leave`."""
        meter = self.meter
        calls, flops, moved, made, number = self._entered.pop()
        if any(above[0] is calls for above in self._entered):
            return  # it is charged with the outer call of itself
        calls.sequences.append((number, sequence()))
        if self.is_backward:
            calls.backward += meter.flops - flops
        else:
            calls.flops += meter.flops - flops
            calls.moved += meter.moved - moved
            calls.storages.append((made, len(meter.made)))
            calls.made += sum(held.bytes for held in meter.made[made:] if held.alive)

    def _root(self, module: nn.Module) -> None:
        """A model: what it consists of was there before it was called."""
        with torch._C.DisableTorchFunction():
            for tensor in (*module.parameters(), *module.buffers()):
                self.meter.hold(tensor)
                self.weights += _size(tensor) if id(tensor) not in self._weights else 0
                self._weights.add(id(tensor))
        if not self.begun:
            self.begun, self._first, self._before = True, len(self.meter.made), self.meter.flops
            self.meter.reset()
        for path, child in module.named_modules():
            self.modules.setdefault(id(child), Calls(child, len(self.roots), path))
        self.roots.append(module)

    # -- afterwards ---------------------------------------------------------------------------------------------------

    @property
    def flops(self) -> int:
        """Of all since it began."""
        return self.meter.flops - self._before

    def turn(self, made: int) -> int:
        """The backward pass begins; of the first so many storages those that live now are kept for it: bytes in all."""
        self.is_backward, self.forward = True, self.flops
        sums = [0]
        for held in self.meter.made[:made]:
            sums.append(sums[-1] + (held.bytes if held.alive else 0))
            if held.alive and held.maker is not None:
                held.maker.kept += held.bytes
        for calls in self.modules.values():
            calls.kept += sum(sums[end] - sums[start] for start, end in calls.storages)
        return sums[-1] - sums[self._first]

    def charge(self) -> None:
        """What backward functions did goes to those whose forward functions they belong to."""
        numbers = sorted(self.meter.behind)
        sums = [0]
        for number in numbers:
            cost = self.meter.behind[number]
            sums.append(sums[-1] + cost)
            index = bisect.bisect_right(self._numbers, number) - 1
            if index >= 0 and number < self._makers[index][0]:
                self._makers[index][1].backward += cost
        for calls in self.modules.values():
            for start, end in calls.sequences:
                first, last = bisect.bisect_left(numbers, start), bisect.bisect_left(numbers, end)
                calls.backward += sums[last] - sums[first]


def parameters(roots: List[nn.Module]) -> List[nn.Parameter]:
    """Of all the modules, shared ones once."""
    with torch._C.DisableTorchFunction():
        return list({id(one): one for root in roots for one in nn.Module.parameters(root)}.values())


def _size(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()
