"""What stands for something that is not here: it can be named and passed on, and refuses whatever would come of it."""

from __future__ import annotations

import dis
import sys
from types import FrameType
from typing import Any, Dict, NoReturn

STANDING: Dict[str, StandIn] = {}
"""The last that was made of each class, by its name."""


class StandIn:
    """Whoever cannot do with what it is is told why it is not more."""

    def refused(self) -> NoReturn:
        """Tell them.

        Raises:
            Exception: why it is not here.
        """
        raise NotImplementedError


def stands(one: StandIn) -> None:
    """Note that it may come up in what torch says."""
    STANDING[type(one).__name__] = one


def refuse(cls: type, *uses: str) -> None:
    """Have these of its methods, and all arithmetic, raise what it is refused with."""
    for use in (*uses, *_ARITHMETIC):
        setattr(cls, use, _refuse)


def _refuse(self: StandIn, *args: Any, **kwargs: Any) -> NoReturn:
    self.refused()


_USES = (
    "len add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod pow matmul rmatmul neg lt le gt ge int "
    "float index fspath"
)
_ARITHMETIC = tuple(f"__{use}__" for use in _USES.split())
_METHOD, _ATTRIBUTE = dis.opmap.get("LOAD_METHOD", -1), dis.opmap["LOAD_ATTR"]
_POP, _CACHE = dis.opmap["POP_TOP"], dis.opmap.get("CACHE", -1)


def calls(frame: FrameType) -> bool:
    """Whether the caller looks up a method, and calls it at once."""
    code, at = frame.f_code.co_code, frame.f_lasti
    # From Python 3.12 on it is the same instruction, with a mark.
    marked = sys.version_info >= (3, 12) and code[at] == _ATTRIBUTE and bool(code[at + 1] & 1)
    return code[at] == _METHOD or marked


def drops(frame: FrameType) -> bool:
    """Whether the caller has no use for what its call gives."""
    code, at = frame.f_code.co_code, frame.f_lasti + 2
    while at < len(code) and code[at] == _CACHE:
        at += 2
    return at < len(code) and code[at] == _POP
