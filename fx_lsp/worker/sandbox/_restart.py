"""For layers that hold only what they start: this process begins anew inside, with the same command line."""

from __future__ import annotations

import os
import sys
from typing import List, NoReturn

INTERPRETER = os.path.realpath(sys.executable)
"""Ours, without the links to it, which need not exist inside."""

_MARK = "FX_LSP_WITHIN"


def within(name: str) -> bool:
    """Whether this process runs inside of that layer already."""
    return os.environ.get(_MARK) == name


def restart(name: str, wrapper: List[str]) -> NoReturn:
    """Start `wrapper` in place of this process, which is to start this very command again; raises OSError."""
    os.environ[_MARK] = name
    arguments = sys.orig_argv[1:]  # type: ignore[attr-defined]  # since Python 3.10; only a launcher restarts
    os.execv(wrapper[0], [*wrapper, INTERPRETER, *arguments])
