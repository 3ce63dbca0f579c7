"""What a model is given, in other values and sizes than those of its example."""

from __future__ import annotations

import copy
import math
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree

MAX_SIZES = 4
"""Sizes of the example that are varied, the first ones."""
MAX_ELEMENTS = 1 << 24
"""Of one input in another size."""


class Draw(NamedTuple):
    """How inputs are made."""

    says: str
    seed: int = 0
    """0: as the example has them."""
    sizes: Mapping[int, int] = {}
    """Sizes that are others."""
    row: int = -1
    """What one row of each mask is filled with; -1: nothing."""
    least: Optional[float] = None
    """What numbers are at least, where they are bounded."""
    within: bool = False
    """Whether numbers that all lie between 0 and 1 are drawn from there again."""


OWN = Draw("the values of the example")


class Inputs:
    """The arguments of one call."""

    tracked = True
    """Whether they have gradients; what weighs samples may have none."""

    def __init__(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        leaves, self._spec = _pytree.tree_flatten((args, kwargs))
        modules = [one for leaf in leaves for one in modules_of(leaf)]
        self._shared = {id(part): part for one in modules for part in (one, *one.parameters(), *one.buffers())}
        """Modules, and what is in them: an optimizer that is given besides is one of their weights."""
        # The run that they come from may change them.
        self._leaves = [one.detach().clone() if isinstance(one, torch.Tensor) else self._copied(one) for one in leaves]

    def _copied(self, item: Any, dtype: Optional[torch.dtype] = None) -> Any:
        return copied(item, dtype, self._shared)

    def draws(self) -> Iterator[Draw]:
        """Those to compare with, the most telling ones first: on its own values the example has run already."""
        yield Draw("other values and weights", 1, within=True)
        yield OWN
        if any(map(_is_mask, self._leaves)):
            yield Draw("a row of a mask that is all 0", 2, row=0)
            yield Draw("a row of a mask that is all 1", 3, row=1)
        yield Draw("values of which many are 0", 6, least=0.0)
        found = dict.fromkeys(size for one in self._leaves if _is_tensor(one) for size in one.shape)
        sizes = [*found][:MAX_SIZES]
        for change in (lambda size: size + 1, lambda size: 2 * size, lambda size: max(size // 2, 1)):
            for size in sizes:
                if change(size) != size:
                    yield Draw(f"size {change(size)} in place of {size}", 4, {size: change(size)}, within=True)
        yield Draw("values that are all above 0", 7, least=0.05)
        yield Draw("other values and weights again", 5)

    def again(self) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        """The arguments as the example has them, their tensors not shared with anybody."""
        leaves = [one.clone() if isinstance(one, torch.Tensor) else self._copied(one) for one in self._leaves]
        args, kwargs = _pytree.tree_unflatten(leaves, self._spec)
        return args, kwargs

    def drawn(self, draw: Draw, dtype: torch.dtype) -> Tuple[Tuple[Any, ...], Dict[str, Any], List[torch.Tensor]]:
        """The arguments, and the leaves among them that have a gradient.

        Raises:
            ValueError: they would be too large.
        """
        generator = torch.Generator().manual_seed(draw.seed)
        leaves: List[Any] = []
        tracked: List[torch.Tensor] = []
        for one in self._leaves:
            if not isinstance(one, torch.Tensor):
                leaves.append(self._copied(one, dtype))
                continue
            made = _drawn(one, draw, generator)
            made = made.to(dtype) if made.is_floating_point() else made
            if made.is_floating_point() and self.tracked:
                made.requires_grad_()
                tracked.append(made)
            leaves.append(made.clone())  # code may change what it is given, and no leaf with a gradient
        args, kwargs = _pytree.tree_unflatten(leaves, self._spec)
        return args, kwargs, tracked


class _Copying(TorchFunctionMode):
    """Tensors inside of objects are copied without their history, in another dtype if they are of numbers."""

    def __init__(self, dtype: Optional[torch.dtype]) -> None:
        super().__init__()
        self.dtype = dtype

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Copy it, or run what else it is."""
        if func is not torch.Tensor.__deepcopy__:
            return func(*args, **(kwargs or {}))
        one, memo = args
        made = one.detach().clone()
        memo[id(one)] = made = made.to(self.dtype) if self.dtype is not None and made.is_floating_point() else made
        return made


def modules_of(item: Any) -> List[nn.Module]:
    """Itself, or those among its attributes."""
    held = [item, *getattr(item, "__dict__", {}).values()]
    return [item] if isinstance(item, nn.Module) else [one for one in held if isinstance(one, nn.Module)]


def copied(item: Any, dtype: Optional[torch.dtype] = None, shared: Mapping[int, Any] = {}) -> Any:
    """An object that is not shared with another run, as a cache of keys and values; a module, a sentinel, what does not
    let itself be copied, and what is `shared`, by its `id`, is."""
    if isinstance(item, nn.Module) or type(item) is object:
        return item
    try:
        with _Copying(dtype):
            return copy.deepcopy(item, {**shared, **{id(one): one for one in modules_of(item)}})
    except Exception:  # user code may raise anything
        return item


def _drawn(one: torch.Tensor, draw: Draw, generator: torch.Generator) -> torch.Tensor:
    shape = [draw.sizes.get(size, size) for size in one.shape]
    if not draw.seed or one.numel() == 0 or not _is_tensor(one):
        return one.clone()
    if math.prod(shape) > MAX_ELEMENTS:
        raise ValueError("this is too large")
    if one.is_floating_point() and not _is_mask(one):
        if not bool(torch.isfinite(one).all()) and shape == list(one.shape):
            return one.clone()
        drawn = torch.rand if draw.within and bool(((one >= 0) & (one <= 1)).all()) else torch.randn
        made = drawn(shape, generator=generator, dtype=one.dtype if one.dtype.itemsize > 2 else torch.float32)
        return made if draw.least is None else made.clamp(min=draw.least)
    low, high = (0, max(int(one.max()), 1)) if _is_mask(one) else (int(one.min()), int(one.max()))
    made = torch.randint(low, high + 1, shape, generator=generator).to(one.dtype)
    if _is_mask(one) and made.shape[-1] > 1:  # no row is alike in all places, but the one that is to be
        made[..., 0], made[..., 1] = 0, 1
    if draw.row >= 0 and _is_mask(one):
        (made.select(-2, 0) if made.dim() > 1 else made).fill_(draw.row)
    return made


def _is_tensor(item: Any) -> bool:
    """Whether it can be drawn anew."""
    return isinstance(item, torch.Tensor) and not item.is_complex() and item.layout is torch.strided


def _is_mask(item: Any) -> bool:
    """Whether it says of each place yes or no, as far as its values show: what an example makes up is 1 or 2."""
    if not _is_tensor(item) or item.numel() == 0 or item.dim() == 0:
        return False
    return item.dtype is torch.bool or bool(((item == 0) | (item == 1) | (item == 2)).all())
