"""Classes whose modules were watched in vain, so that later runs of the same code do not watch them again.

A layer that writes to a cache of keys can never be left out, and watching one takes longer than running several.
Which class that was depends on code alone here: once a class, one below it or a function beside one is edited, it is
watched again.  Being wrong costs time only; what is shown is the same.
"""

from __future__ import annotations

import sys
import zlib
from collections import OrderedDict
from types import CodeType, FunctionType, ModuleType
from typing import Any, Dict, Iterator, List, Mapping

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

    def __contains__(self, digest: str) -> bool:
        return digest in self._known


VAIN = Vain()
"""Of this process."""


class Digests:
    """Of modules of one run."""

    def __init__(self) -> None:
        self._files: Dict[str, int] = {}
        self._classes: Dict[type, int] = {}
        self.vain: Dict[str, None] = {}
        """Those to tell later runs of."""

    def text(self) -> str:
        """They, one a line, as many as may be sent."""
        return "\n".join(list(self.vain)[: MAX_VAIN // _LENGTH])

    def of(self, module: nn.Module) -> str:
        """The same for a class whose code, and that of all below it, is the same."""
        classes = {type(inner): None for _, inner in nn.Module.named_modules(module)}
        found = zlib.crc32(_name(type(module)))
        for number in sorted(map(self._class, classes)):
            found = zlib.crc32(number.to_bytes(4, "big"), found)
        return f"{found:08x}"

    def _class(self, cls: type) -> int:
        if cls not in self._classes:
            found = 0
            for base in cls.__mro__:
                found = zlib.crc32(_name(base), found)
                if not is_library(base):
                    found = _digest(vars(base), found) ^ self._file(base.__module__)
            self._classes[cls] = found
        return self._classes[cls]

    def _file(self, name: str) -> int:
        """Of the functions of a file."""
        if name not in self._files:
            module = sys.modules.get(name)
            members = object.__getattribute__(module, "__dict__") if issubclass(type(module), ModuleType) else {}
            self._files[name] = _digest(members, 0)
        return self._files[name]


def _name(cls: type) -> bytes:
    return f"{cls.__module__}.{cls.__qualname__}".encode("utf-8", "replace")


def _digest(members: Mapping[str, Any], found: int) -> int:
    """Of the functions among them; no code of the user's runs."""
    for value in list(members.values()):
        function = value.__func__ if type(value) in (classmethod, staticmethod) else value
        if type(function) is FunctionType:
            for code in _codes(function.__code__):
                found = zlib.crc32(repr(code.co_names).encode("utf-8", "replace"), zlib.crc32(code.co_code, found))
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    """It and those inside; not what numbers it holds, since those of probes count the lines above."""
    waiting: List[CodeType] = [code]
    while waiting:
        code = waiting.pop()
        yield code
        waiting.extend(const for const in code.co_consts if isinstance(const, CodeType))
