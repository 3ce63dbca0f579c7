"""A function as a module: what it gives, and what else it does that can be told."""

from __future__ import annotations

import inspect
import sys
from contextlib import contextmanager
from types import FunctionType
from typing import Any, Dict, Iterator, List, Tuple

import torch
from torch import nn
from torch.utils import _pytree

from fx_lsp.worker.graph.counting import tensors_in

_OF_MODULES = frozenset({"_parameters", "_buffers", "_modules", "training"})
_MUTABLE = (list, dict, set)
MAX_HELD = 1000
"""Things in a list that is compared."""


class Function(nn.Module):
    """A function, of which those modules are a part that it is given."""

    def __init__(self, function: FunctionType, given: List[nn.Module]) -> None:
        super().__init__()
        self.function, self.given = function, nn.ModuleList(given)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What it gives, what objects that it is given hold afterwards, weights and buffers that it changes, which are
        then as before, and which tensors share memory; texts and numbers as tensors.

        Raises:
            ValueError: it gives nothing that can be compared, or changes what all functions of its file see.
        """
        outside = {name: _content(value) for name, value in self._outside()}
        given, before = [*tensors_in([*args, kwargs]), *self.parameters()], _attributes(args, kwargs)
        state = [*self.parameters(), *self.buffers()]
        known = [one.detach().clone() for one in state]
        with _own_backward() as went:
            given_back = self.function(*args, **kwargs)
        result = _pytree.tree_map(_as_tensor, given_back)
        if went:  # what led there is gone by now, and gradients are there
            result = _pytree.tree_map(lambda one: one.detach() if isinstance(one, torch.Tensor) else one, result)
        # Batch norms change their statistics without a trace in `_version`.
        other = [(one, value) for one, value in zip(state, known) if not torch.equal(one, value)]
        stepped = [one.detach().clone() for one, _ in other]
        with torch.no_grad():
            for one, value in other:
                one.copy_(value)
        if any(_content(value) != outside[name] for name, value in self._outside()):
            raise ValueError("it changes a variable of its file")
        held = [_pytree.tree_map(_as_tensor, one) for one in _changed(before, _attributes(args, kwargs))]
        if not gives_numbers(given_back):
            raise ValueError("it gives no numbers")
        made = tensors_in([result, held])
        return result, held, stepped, torch.tensor([[_overlaps(one), _shared(one, given)] for one in made])

    def _outside(self) -> Iterator[Tuple[str, Any]]:
        """Lists, dicts and sets of the file that it names."""
        function: Any = inspect.unwrap(self.function)
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            if type(value) in _MUTABLE:
                yield name, value


@contextmanager
def _own_backward() -> Iterator[List[bool]]:
    """Not empty once the code inside calls `backward` itself."""
    went: List[bool] = []
    usual = torch.autograd.backward

    def noted(*args: Any, **kwargs: Any) -> None:
        went.append(True)
        usual(*args, **kwargs)

    torch.autograd.backward = noted
    try:
        yield went
    finally:
        torch.autograd.backward = usual


def gives_numbers(result: Any) -> bool:
    """Whether there are any in it that can be compared."""
    leaves = _pytree.tree_leaves(result)
    return any(type(one) is not str and isinstance(_as_tensor(one), torch.Tensor) for one in leaves)


def kind(item: Any) -> object:
    """What may decide the way through a function: not the numbers of a tensor."""
    if isinstance(item, torch.Tensor):
        return item.is_floating_point(), item.dim()
    return (type(item), item) if isinstance(item, (bool, str, type(None))) else type(item)


def _attributes(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> List[Tuple[str, Any]]:
    """What those hold that are no tensors, by name."""
    found: List[Tuple[str, Any]] = []
    for item in _pytree.tree_leaves((args, kwargs)):
        for one in item.modules() if isinstance(item, nn.Module) else [item]:
            plain = isinstance(one, (torch.Tensor, type, FunctionType))
            held = {} if plain else getattr(one, "__dict__", {})
            found += [(name, value) for name, value in sorted(held.items()) if name not in _OF_MODULES]
    return found


def _changed(before: List[Tuple[str, Any]], after: List[Tuple[str, Any]]) -> Iterator[Any]:
    """What is another object now, or may hold other ones."""
    known = {(name, id(value)) for name, value in before}
    for name, value in after:
        small = type(value) not in _MUTABLE or len(value) <= MAX_HELD
        if small and ((name, id(value)) not in known or isinstance(value, (torch.Tensor, *_MUTABLE))):
            yield name, value


def _content(value: Any) -> Any:
    """Which things are in it."""
    items = [*value.items()] if type(value) is dict else [*value]
    return [id(part) for one in items for part in (one if type(one) is tuple else (one,))]


def _overlaps(tensor: torch.Tensor) -> bool:
    """Whether two of its places are the same in memory, as after `expand`."""
    strided = tensor.layout is torch.strided
    return strided and any(size > 1 and step == 0 for size, step in zip(tensor.shape, tensor.stride()))


def _shared(tensor: torch.Tensor, others: List[torch.Tensor]) -> bool:
    """Whether a change of it changes one of the others."""
    own = _memory(tensor)
    return any(_memory(one) == own != 0 for one in others)


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr() if tensor.layout is torch.strided else 0


def _as_tensor(item: Any) -> Any:
    if type(item) in (bool, int, float):
        return torch.tensor(item)
    if type(item) is str:
        return torch.tensor([*item.encode(errors="replace")], dtype=torch.uint8)
    numpy = sys.modules.get("numpy")
    is_array = numpy is not None and isinstance(item, (numpy.ndarray, numpy.generic)) and item.dtype.kind in "biuf"
    return torch.as_tensor(item) if is_array else item
