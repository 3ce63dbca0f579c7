"""What a module and its arguments are, as far as a run can tell: two that are equal run alike.

Everything is read through built-in types; no code of the user's runs.
"""

from __future__ import annotations

import functools
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import AbstractSet, Any, Dict, FrozenSet, Iterable, List, Optional, Tuple

import torch
from torch import nn
from torch._subclasses import fake_tensor

from fx_lsp.worker.engines.known import storage_of

Key = Tuple[Any, ...]
"""Name of a module, then of attributes; members of containers are numbers or wrapped keys."""
State = Dict[Key, Any]

MAX_MEMBERS = 256
MAX_DEPTH = 4
MAX_KNOWN = 4096
"""Elements of a real tensor that is compared."""

PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, torch.Size, torch.dtype, torch.device,
                    torch.layout, torch.memory_format, range})  # fmt: skip
_BY_IDENTITY = (FunctionType, BuiltinFunctionType, ModuleType, type, type(functools.lru_cache(len)))
_HEAP = 1 << 9
"""Flag of a class that a `class` statement made."""
MACHINERY = frozenset((*vars(nn.Module()), "forward"))
"""Attributes that torch reads whenever a module is called."""


_BARE = (nn.Module, nn.ModuleList, nn.ModuleDict, nn.Sequential)
"""Classes of torch that read nothing but the machinery's attributes."""


class Unknown:
    """Something of which nobody can tell whether it is the same: equal to nothing."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


def is_known(state: State) -> bool:
    """Whether there is nothing in it that cannot be compared."""
    return not any(isinstance(value, Unknown) for value in state.values())


class States:
    """Describes modules, arguments and globals."""

    def __init__(self, is_constant: Any) -> None:
        self._is_constant = is_constant
        """Whether a real tensor still holds what the code made of it."""

    def module(self, module: nn.Module, reads: Optional[AbstractSet[str]] = None) -> State:
        """The module and everything below it; with `reads`, only attributes of these names, and what torch reads."""
        return _Walk(self._is_constant, reads).module(module)

    def values(self, items: Iterable[Any], reads: Optional[AbstractSet[str]] = None) -> State:
        """Arguments, globals."""
        walk = _Walk(self._is_constant, reads)
        for number, item in enumerate(items):
            walk.put((number,), item, MAX_DEPTH)
        return walk.found


def relevant(state: State, reads: AbstractSet[str], library: AbstractSet[str]) -> State:
    """Entries that a run could see that read these names; `library`: modules of torch, which may read all of theirs."""
    return {
        key: value
        for key, value in state.items()
        if key[0] in library or all(part in reads or part in MACHINERY for part in key[1:] if type(part) is str)
    }


def is_library(cls: type) -> bool:
    """Whether torch defines the class."""
    return cls.__module__.partition(".")[0] == "torch"


def runs_library(cls: type) -> bool:
    """Whether code of torch reads attributes that only it knows: of its layers, and of what is made from them."""
    return any(is_library(base) and base not in _BARE for base in cls.__mro__[:-1])


class _Walk:
    def __init__(self, is_constant: Any, reads: Optional[AbstractSet[str]]) -> None:
        self.found: State = {}
        self._is_constant, self._reads = is_constant, reads
        self._modules: Dict[int, str] = {}
        self._storages: Dict[int, int] = {}

    def module(self, root: nn.Module) -> State:
        """Everything below `root`, by names that count from there."""
        waiting: List[Tuple[str, nn.Module]] = [("", root)]
        while waiting:
            name, module = waiting.pop()
            again = id(module) in self._modules
            self._modules.setdefault(id(module), name)
            self.found[(name,)] = (type(module), self._modules[id(module)])
            if again:
                continue
            children = vars(module).get("_modules") or {}
            for child, inner in children.items():
                if isinstance(inner, nn.Module):
                    waiting.append((f"{name}.{child}" if name else child, inner))
            self._attributes(name, module)
        return self.found

    def _attributes(self, name: str, module: nn.Module) -> None:
        library = runs_library(type(module))
        for attribute, value in vars(module).items():
            if attribute == "_modules":
                self.found[(name, attribute)] = tuple((child, value[child] is None) for child in value)
            elif library or attribute in MACHINERY or self._wanted(attribute):
                self.put((name, attribute), value, MAX_DEPTH)

    def _wanted(self, attribute: str) -> bool:
        return self._reads is None or attribute in self._reads

    def put(self, key: Key, item: Any, depth: int) -> None:
        """Describe one value and what is in it."""
        cls = type(item)
        if cls in PLAIN:
            self.found[key] = (cls, item)
        elif issubclass(cls, torch.Tensor):
            self.found[key] = self._tensor(item, cls)
        elif issubclass(cls, nn.Module):
            self.found[key] = self._modules.get(id(item), Unknown())
        elif issubclass(cls, _BY_IDENTITY) or cls.__module__ == "typing":
            self.found[key] = _Same(item)
            if issubclass(cls, type) and depth > 0:
                self._class(key, item, depth - 1)
        elif depth == 0:
            self.found[key] = Unknown()
        else:
            self._parts(key, item, cls, depth - 1)

    def _parts(self, key: Key, item: Any, cls: type, depth: int) -> None:
        self.found[key] = cls
        if cls in (tuple, list) and len(item) <= MAX_MEMBERS:
            self.found[key] = (cls, len(item))
            for number, member in enumerate(item):
                self.put((*key, number), member, depth)
        elif issubclass(cls, dict) and cls.__module__ in ("builtins", "collections") and len(item) <= MAX_MEMBERS:
            self.found[key] = (cls, len(item))
            for number, (name, member) in enumerate(item.items()):
                self.put((*key, number, 0), name, depth)
                self.put((*key, number, 1), member, depth)
        elif cls is slice:
            self.put((*key, 0), (item.start, item.stop, item.step), depth)
        elif cls is functools.partial:
            self.put((*key, 0), (item.func, item.args, item.keywords), depth)
        elif cls is MethodType:
            self.put((*key, 0), item.__func__, depth)
            self.put((*key, 1), item.__self__, depth)
        elif cls in (set, frozenset) and all(type(member) in PLAIN for member in item):
            self.found[key] = (cls, frozenset(item))
        elif _is_open(cls) and _has_dict(cls):
            for attribute, member in object.__getattribute__(item, "__dict__").items():
                if self._wanted(attribute):
                    self.put((*key, attribute), member, depth)
            self._class(key, cls, depth)
        else:
            self.found[key] = Unknown()

    def _class(self, key: Key, cls: type, depth: int) -> None:
        """What is kept in a class of the user's, as far as it is read."""
        for base in cls.__mro__ if self._reads is not None else ():
            if base.__flags__ & _HEAP and not is_library(base):
                for name in sorted(self._reads & vars(base).keys()):
                    self.put((*key, base.__qualname__, name), vars(base)[name], depth)

    def _tensor(self, tensor: torch.Tensor, cls: type) -> Any:
        if vars(tensor).keys() - _own():  # somebody hung something on it
            return Unknown()
        if cls is fake_tensor.FakeTensor and tensor.layout is torch.strided:
            place = self._storages.setdefault(storage_of(tensor), len(self._storages))
            return (*meta(tensor), place)
        if cls not in (torch.Tensor, nn.Parameter) or tensor.layout is not torch.strided:
            return Unknown()
        if tensor.numel() > MAX_KNOWN or not self._is_constant(tensor):
            return Unknown()
        with fake_tensor.unset_fake_temporarily():
            return (*meta(tensor), "values", tuple(tensor.flatten().tolist()))


@functools.lru_cache(maxsize=1)
def _own() -> FrozenSet[str]:
    """Attributes that every fake tensor has."""
    made: Any = torch.empty(1, device="meta")
    if not isinstance(made, fake_tensor.FakeTensor):  # where no mode is on
        made = fake_tensor.FakeTensor(fake_tensor.FakeTensorMode(), made, torch.device("cpu"))
    return frozenset((*vars(made), "_is_param"))


def meta(tensor: torch.Tensor) -> Tuple[Any, ...]:
    """What operations may ask of a tensor besides its values."""
    return (
        tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), tensor.requires_grad,
        tensor.is_leaf, str(getattr(tensor, "fake_device", "cpu")), tensor.is_conj(), tensor.is_neg(),
    )  # fmt: skip


class _Plain:
    """As large as an object is that holds nothing but its `__dict__`."""


def _is_open(cls: type) -> bool:
    """Whether all that an object holds is in its `__dict__`, where it may be looked at: only `class` made it so.

    A class of C may look like one of those since Python 3.12 (a deque), but has room for what it holds.
    """
    made = all(base.__flags__ & _HEAP and not vars(base).get("__slots__") for base in cls.__mro__[:-1])
    return made and cls.__basicsize__ == _Plain.__basicsize__ and cls.__itemsize__ == 0


def _has_dict(cls: type) -> bool:
    return any("__dict__" in vars(base) for base in cls.__mro__ if base is not type)


class _Same:
    """Equal only to itself."""

    def __init__(self, item: Any) -> None:
        self.item = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.item is self.item

    __hash__ = None  # type: ignore[assignment]
