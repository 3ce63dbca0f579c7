"""Fake tensors for real ones that meet fake ones: made from sizes, once.

`FakeTensorMode` would convert them each time, and keeps no result of what it had to convert for: a model with rotary
embeddings spends a third of its time there.
"""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import Any, Dict, Tuple

import torch
from torch._subclasses import fake_tensor

from fx_lsp.worker.engines.layers import fresh

MOST = 256
"""Twins that are kept, and the tensors that they are of."""


class Twins:
    """Of one mode."""

    def __init__(self, mode: fake_tensor.FakeTensorMode) -> None:
        self._mode = mode
        self._made: Dict[int, Tuple[Any, Tuple[Any, ...], Any]] = {}
        """A reference to the real tensor, which lives no longer for it, how it looked, and its twin."""

    def instead(self, item: Any) -> Any:
        """The arguments of a function that changes none of them, with twins for real tensors."""
        cls = type(item)
        if cls is torch.Tensor and _has_twin(item):
            return self._of(item)
        if cls in (tuple, list):
            return cls(map(self.instead, item))
        return {key: self.instead(value) for key, value in item.items()} if cls is dict else item

    def deepcopied(self, tensor: Any, memo: Dict[int, Any]) -> Any:
        """What `copy.deepcopy` gives for a fake leaf.  `Tensor.__deepcopy__` copies all that hangs on it, its mode too,
        and the copies fail in the next conversion."""
        if id(tensor) not in memo:
            with torch._C.DisableTorchFunction(), fake_tensor.unset_fake_temporarily():
                sizes = tensor.shape, tensor.stride(), tensor.dtype, tensor.fake_device
                parameter = getattr(tensor, "_is_param", False)
                memo[id(tensor)] = fresh(
                    self._mode, *sizes, tensor.requires_grad, parameter=parameter, constant=tensor.constant
                )
        return memo[id(tensor)]

    def replace(self, tensor: torch.Tensor) -> None:
        """Have a fake tensor in its place, wherever it is used; one that cannot be replaced stays what it is."""
        self._made.pop(id(tensor), None)
        with torch._C.DisableTorchFunction(), fake_tensor.unset_fake_temporarily():
            twin = fresh(self._mode, tensor.shape, tensor.stride(), tensor.dtype, tensor.device, False, parameter=False)
            with suppress(RuntimeError):  # views and weak references hold on to it
                torch.utils.swap_tensors(tensor, twin)

    def _of(self, tensor: torch.Tensor) -> Any:
        number = id(tensor)
        known = self._made.get(number)
        # Whoever counts storages is not to see one made.
        with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
            sizes = tensor.shape, tensor.stride(), tensor.dtype, tensor.device
            if known is None or known[1] != sizes or (known[2].shape, known[2].stride()) != sizes[:2]:
                if len(self._made) >= MOST:
                    self._made.clear()
                with torch.inference_mode(False):
                    twin = fresh(self._mode, *sizes, requires_grad=False, parameter=False)
                twin._fx_lsp_twin_of = weakref.ref(tensor.untyped_storage())
                known = weakref.ref(tensor, lambda gone: self._forget(number, gone)), sizes, twin
                self._made[number] = known
        return known[2]

    def _forget(self, number: int, gone: Any) -> None:
        if number in self._made and self._made[number][0] is gone:
            del self._made[number]


def twin_of(tensor: torch.Tensor) -> Any:
    """The storage that the tensor's stands in for, while there is one."""
    original = getattr(tensor, "_fx_lsp_twin_of", None)
    return original() if original is not None else None


def _has_twin(tensor: torch.Tensor) -> bool:
    """Not one that gradients are asked for: they would go to its twin."""
    return (
        tensor.layout is torch.strided and not tensor.is_meta and not tensor.requires_grad and not tensor.is_inference()
    )
