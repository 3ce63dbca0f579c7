"""What each operator computed, and the sizes of what it took and gave, so that these can be laid beside other runs."""

from __future__ import annotations

from types import FrameType
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch

from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.record import Current
from fx_lsp.worker.costs.meter import Meter
from fx_lsp.worker.costs.observer import Calls, CostObserver
from fx_lsp.worker.graph.counting import flops, tensors_in
from fx_lsp.worker.graph.recording import Site
from fx_lsp.worker.naming.observed import MAX_CALLS, Call, Shape

Place = Tuple[Tuple[Site, ...], Tuple[Tuple[int, str], ...]]
"""The expressions of the workspace around an operator, innermost first, and the modules, outermost first."""


class Counted(NamedTuple):
    """One call of an operator that computes something."""

    flops: int
    took: Tuple[Shape, ...]
    gave: Tuple[Shape, ...]


class Shapes(Meter):
    """Notes shapes in place of memory, which takes far less time."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: List[Call] = []
        """All operators."""
        self.counted: List[Counted] = []
        """Those that compute something."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Optional[Dict[str, Any]] = None) -> Any:
        """Run the operator; note the sizes."""
        kwargs = kwargs or {}
        with torch._C.DisableTorchFunction():
            result = func(*args, **kwargs)
            given, made = tensors_in((args, kwargs)), tensors_in(result)
            if made and len(self.calls) < MAX_CALLS:
                took, gave = _shapes(given), _shapes(made)
                self.calls.append((func, took, gave))
                cost = flops(func, args, kwargs, result)
                self.flops += cost
                if cost:
                    self.counted.append(Counted(cost, took, gave))
        return result

    def hold(self, tensor: torch.Tensor, *, new: bool = False) -> None:
        """Memory is not looked at."""


class ShapeObserver(CostObserver):
    """Puts what was counted to the places that it is charged to."""

    def __init__(self, frames: Frames, current: Current) -> None:
        self.shapes = Shapes()
        super().__init__(frames, current, self.shapes)
        self.places: Dict[Place, List[Counted]] = {}
        self._from: List[int] = []

    def starts(self) -> int:
        """As `Observer.starts`."""
        self._from.append(len(self.shapes.counted))
        return super().starts()

    def called(
        self, frame: FrameType, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], result: Any, before: int,
        failed: bool,
    ) -> None:  # fmt: skip
        """As `Observer.called`."""
        super().called(frame, func, args, kwargs, result, before, failed)
        new = self.shapes.counted[self._from.pop() :]
        if self.begun and new and not self._functions:
            modules = dict.fromkeys((calls.root, calls.path) for calls, *_ in self._entered)
            self.places.setdefault((self._stack(frame).sites, tuple(modules)), []).extend(new)

    def module(self, place: Tuple[int, str]) -> Calls:
        """Its calls, by its root and its path."""
        return next(one for one in self.modules.values() if (one.root, one.path) == place)


def _shapes(tensors: List[torch.Tensor]) -> Tuple[Shape, ...]:
    """Those that have sizes to give."""
    return tuple(tuple(map(int, one.shape)) for one in tensors if not one.is_nested)
