"""Classes whose modules were watched in vain, so that later runs of the same code do not watch them again.

A layer that writes to a cache of keys can never be left out, and watching one takes longer than running several.
Which class that was depends on code alone here.  It is watched again once the function that spoke against leaving it
out is edited or, where no single one did, any function of a class below it or beside one.  Being wrong costs time only;
what is shown is the same.
"""

from __future__ import annotations

import sys
import zlib
from collections import OrderedDict
from types import CodeType, FunctionType, ModuleType
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Tuple

from torch import nn

from fx_lsp.model.messages import MAX_VAIN
from fx_lsp.worker.repeats.state import is_library

MAX_KEPT = 1024
"""Digests."""
_LENGTH = len("00000000\n")
"""Characters of one on its way."""


class Vain:
    """What earlier runs said, as it came: text of the user's runs, that is only compared."""

    def __init__(self) -> None:
        self.made = 0
        """Grows with each new one; who was forked before lacks it."""
        self._known: OrderedDict[str, None] = OrderedDict()

    def want(self, text: str) -> None:
        """More of them, one a line; the oldest go."""
        for line in text.split("\n") if len(text) <= MAX_VAIN else ():
            if line and line not in self._known:
                self._known[line] = None
                self.made += 1
        while len(self._known) > MAX_KEPT:
            self._known.popitem(last=False)

    def __bool__(self) -> bool:
        return bool(self._known)

    def __contains__(self, digest: str) -> bool:
        return digest in self._known


VAIN = Vain()
"""Of this process."""


class Digests:
    """Of modules of one run."""

    def __init__(self) -> None:
        self._files: Dict[str, Tuple[int, ...]] = {}
        self._classes: Dict[type, Tuple[int, ...]] = {}
        self.vain: Dict[str, None] = {}
        """Those to tell later runs of."""

    def text(self) -> str:
        """They, one a line, as many as may be sent."""
        return "\n".join(list(self.vain)[: MAX_VAIN // _LENGTH])

    def known(self, module: nn.Module) -> bool:
        """Whether earlier runs said so of a module like this one."""
        if not VAIN:
            return False
        name, codes = self._of(module)
        return _joined(name, codes) in VAIN or any(_joined(name, (code,)) in VAIN for code in set(codes))

    def tell(self, module: nn.Module, where: Iterable[CodeType]) -> None:
        """It was watched in vain, because of what happened in the first of these functions that is its own."""
        name, codes = self._of(module)
        own = next((code for code in map(_code, where) if code in codes), None)
        self.vain[_joined(name, codes if own is None else (own,))] = None

    def _of(self, module: nn.Module) -> Tuple[int, List[int]]:
        """A number of the names of its class and of all below it, and one of each function that they may run."""
        classes = {type(inner): None for _, inner in nn.Module.named_modules(module)}
        found = zlib.crc32(_name(type(module)))
        for number in sorted(zlib.crc32(_name(cls)) for cls in classes):
            found = zlib.crc32(number.to_bytes(4, "big"), found)
        return found, sorted(code for cls in classes for code in self._class(cls))

    def _class(self, cls: type) -> Tuple[int, ...]:
        if cls not in self._classes:
            bases = [base for base in cls.__mro__ if not is_library(base)]
            self._classes[cls] = (
                *(code for base in bases for code in _functions(vars(base))),
                *(code for name in dict.fromkeys(base.__module__ for base in bases) for code in self._file(name)),
            )
        return self._classes[cls]

    def _file(self, name: str) -> Tuple[int, ...]:
        """Of the functions of a file."""
        if name not in self._files:
            module = sys.modules.get(name)
            members = object.__getattribute__(module, "__dict__") if issubclass(type(module), ModuleType) else {}
            self._files[name] = tuple(_functions(members))
        return self._files[name]


def _joined(found: int, numbers: Iterable[int]) -> str:
    for number in numbers:
        found = zlib.crc32(number.to_bytes(4, "big"), found)
    return f"{found:08x}"


def _name(cls: type) -> bytes:
    return f"{cls.__module__}.{cls.__qualname__}".encode("utf-8", "replace")


def _functions(members: Mapping[str, Any]) -> Iterator[int]:
    """A number of each function among them; no code of the user's runs."""
    for value in list(members.values()):
        function = value.__func__ if type(value) in (classmethod, staticmethod) else value
        if type(function) is FunctionType:
            yield from map(_code, _codes(function.__code__))


def _code(code: CodeType) -> int:
    """Not of what numbers it holds: those of probes count the lines above."""
    return zlib.crc32(repr(code.co_names).encode("utf-8", "replace"), zlib.crc32(code.co_code))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """It and those inside."""
    waiting: List[CodeType] = [code]
    while waiting:
        code = waiting.pop()
        yield code
        waiting.extend(const for const in code.co_consts if isinstance(const, CodeType))
