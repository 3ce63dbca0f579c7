"""What a module gave, to be given once more as new tensors."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch
from torch import nn
from torch._subclasses import fake_tensor

from fx_lsp.worker.engines.known import collect, storage_of
from fx_lsp.worker.repeats.state import PLAIN, meta


class Results:
    """Tensors that the module made itself, alone, or in tuples and lists."""

    def __init__(self, result: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], module: nn.Module) -> None:
        self._result = result
        tensors = _tensors(result)
        self.fit = _plain(result) and _are_new(tensors, [*args, *kwargs.values(), *_held(module)])
        """Whether there can be others like them."""
        self._metas = [meta(tensor) for tensor in tensors] if self.fit else []

    def again(self) -> Optional[Tuple[Any]]:
        """New ones, in a tuple of one; None when they would not be like those."""
        made = self._copy(self._result)
        return (made,) if [meta(tensor) for tensor in _tensors(made)] == self._metas else None

    def _copy(self, item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return item.clone()
        if type(item) in (tuple, list):
            return type(item)(map(self._copy, item))
        return item


def _plain(item: Any) -> bool:
    """Whether there is nothing in it but new fake tensors and values that cannot change."""
    cls = type(item)
    if cls in (tuple, list):
        return all(map(_plain, item))
    if cls is fake_tensor.FakeTensor:
        return item.layout is torch.strided and (item.grad_fn is not None or not item.requires_grad)
    return cls in PLAIN


def _tensors(item: Any) -> List[torch.Tensor]:
    found: List[torch.Tensor] = []
    collect((item,), found)
    return found


def _are_new(tensors: List[torch.Tensor], given: List[Any]) -> bool:
    """Whether each has data of its own, and none of it was there before."""
    places = set(map(storage_of, tensors))
    before = {storage_of(tensor) for tensor in _tensors(given) if tensor.layout is torch.strided}
    return len(places) == len(tensors) and places.isdisjoint(before)


def _held(module: nn.Module) -> Iterator[Any]:
    """Tensors of the module; its class may have other things under torch's names."""
    yield from nn.Module.parameters(module)
    yield from nn.Module.buffers(module)
