"""What lies below the torch functions: how much is computed, and how much memory is in use at any moment.

Storages are what memory is made of, on fake tensors as on real ones: each is followed from the operator that made it
to the moment when nothing holds it any more.  A constant that is kept real and its fake twin are one.
"""

from __future__ import annotations

import weakref
from typing import Any, Dict, List, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from fx_lsp.worker.costs.kernels import scratch
from fx_lsp.worker.engines.twins import twin_of
from fx_lsp.worker.graph.counting import flops, tensors_in

_ADD, _DEVICE = torch.ops.aten.add.Tensor, torch.ops.prim.device.default
_LOOK_UP = frozenset(
    {torch.ops.aten.embedding, torch.ops.aten.index, torch.ops.aten.index_select, torch.ops.aten.gather}
)


class Held:
    """A storage, and those that stand in for it."""

    __slots__ = ("alive", "bytes", "maker", "number", "references")

    def __init__(self, number: int) -> None:
        self.number = number
        """Of the storage itself."""
        self.bytes = 0
        self.alive = True
        self.maker: Any = None
        """Who made it, as far as the observer knows."""
        self.references: Dict[int, Any] = {}


class Meter(TorchDispatchMode):
    """Counts below everything that runs inside it, backward passes included."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.flops = self.moved = 0
        self.live = self.peak = 0
        """Bytes in use now, and the most that were since `reset`."""
        self.made: List[Held] = []
        """Every storage made inside, in order."""
        self.behind: Dict[int, int] = {}
        """Operations of backward functions, by their sequence numbers: those of the forward functions they are of."""
        self.charged = 0
        """Their sum."""
        self.inside = 0
        """Torch functions that run now, each in the one before: what they do is theirs, not a backward function's."""
        self.around: Optional[int] = None
        """During the backward pass the backward function that calls them; what others do below them is not theirs."""
        self._known: Dict[int, Held] = {}

    def reset(self) -> None:
        """The peak is what is in use now."""
        self.peak = self.live

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Optional[Dict[str, Any]] = None) -> Any:
        """Run the operator; note what it made and what it cost."""
        kwargs = kwargs or {}
        if func is _DEVICE:  # fake tensors are asked so all the time
            return func(*args, **kwargs)
        with torch._C.DisableTorchFunction():
            given = tensors_in((args, kwargs))
            for tensor in given:
                self.hold(tensor)
            self.peak = max(self.peak, self.live)
            number = sequence_number() if not self.inside or self.around is not None else None
            result = func(*args, **kwargs)
            cost = flops(func, args, kwargs, result)
            self.flops += cost
            if number is not None and cost and (not self.inside or number != self.around):
                self.behind[number] = self.behind.get(number, 0) + cost
                self.charged += cost
            results = tensors_in(result)
            for tensor in results:
                self.hold(tensor, new=True)
            if not getattr(func, "is_view", False):
                # Of a table only the rows are read that come out.
                read = (*results, *given[1:]) if getattr(func, "overloadpacket", None) in _LOOK_UP else given
                self.moved += sum(tensor.numel() * tensor.element_size() for tensor in (*read, *results))
            # Gradients that meet are added in place where nobody else holds them, but not on fake tensors: there the
            # first one dies now, and counts no more when the next operator comes.
            if func is not _ADD or self.inside or number is not None:
                self.peak = max(self.peak, self.live + scratch(func, args, results))
        return result

    def hold(self, tensor: torch.Tensor, *, new: bool = False) -> None:
        """Follow the storage of the tensor, which is `new` if it was not known before."""
        try:
            storage = tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):  # sparse, nested, functorch
            return
        number = storage._cdata
        if number not in self._known:
            original = twin_of(tensor)
            if original is None:
                self._known[number] = Held(number)
                if new:
                    self.made.append(self._known[number])
            else:
                self._known[number] = self._sized(original)
        self._sized(storage)

    def _sized(self, storage: Any) -> Held:
        """It may have grown since it was seen last."""
        number = storage._cdata
        held = self._known.get(number)
        if held is None:
            held = self._known[number] = Held(number)
        if number not in held.references:
            held.references[number] = weakref.ref(storage, lambda _: self._gone(number))
        if number == held.number:
            size = storage.nbytes()
            self.live += size - held.bytes
            held.bytes = size
        return held

    def _gone(self, number: int) -> None:
        held = self._known.pop(number)
        del held.references[number]
        if not held.references:
            held.alive = False
            self.live -= held.bytes


def sequence_number() -> Optional[int]:
    """Of the backward function that runs now."""
    node = torch._C._current_autograd_node()
    return node._sequence_nr() if node is not None else None
