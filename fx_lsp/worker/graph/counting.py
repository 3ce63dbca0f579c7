"""What lies below the torch functions: floating-point operations, and which memory was made."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from fx_lsp.worker.capture.describe import MAX_DEPTH, PLAIN, members

_FORMULAS: Dict[Any, Any] = dict(flop_registry)
for _known, _like in (
    (torch.ops.aten._scaled_dot_product_flash_attention, "_scaled_dot_product_flash_attention_for_cpu"),
    (torch.ops.aten._scaled_dot_product_flash_attention_backward,
     "_scaled_dot_product_flash_attention_for_cpu_backward"),
):  # fmt: skip
    if _known in flop_registry:  # the kernels of the processor take the same arguments, and torch has no formula for it
        _FORMULAS.setdefault(getattr(torch.ops.aten, _like), flop_registry[_known])


def flops(func: Any, args: Any, kwargs: Dict[str, Any], result: Any) -> int:
    """Floating-point operations of one call of an operator."""
    formula = _FORMULAS.get(getattr(func, "_overloadpacket", func))
    return formula(*args, **kwargs, out_val=result) if formula is not None else 0


class Counter(TorchDispatchMode):
    """Counts below everything that runs inside it."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.flops = 0
        """Of everything that ran inside."""
        self.made: Set[int] = set()
        """Storages made inside."""
        self._alive: List[torch.Tensor] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Optional[Dict[str, Any]] = None) -> Any:
        """Run the operator; note what it made and what it cost."""
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        self.flops += flops(func, args, kwargs, result)
        for tensor in tensors_in(result):
            number = storage(tensor)
            if number and number not in self.made:
                self.made.add(number)
                self._alive.append(tensor)  # the number of a storage that is gone would be given to another
        return result


def storage(tensor: torch.Tensor) -> int:
    """Number of the memory that the tensor lies in, as long as that lives; 0 for a layout without any."""
    try:
        return tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):  # sparse, nested, functorch
        return 0


def tensors_in(item: Any) -> "List[torch.Tensor]":
    """The tensors in nested tuples, lists, dicts and dataclasses, in order."""
    found: List[torch.Tensor] = []
    _collect(item, MAX_DEPTH, found)
    return found


def _collect(item: Any, depth: int, found: List[torch.Tensor]) -> None:
    cls = type(item)
    if cls in PLAIN or depth == 0:
        return
    if issubclass(cls, torch.Tensor):
        found.append(item)
    else:
        for member in members(item, cls):
            _collect(member, depth - 1, found)
