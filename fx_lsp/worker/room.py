"""Room for the frames of a run, all in one piece of memory.

CPython 3.11 keeps the frames of Python functions in chunks of 16 KiB.  A call that does not fit maps another chunk, and
its return unmaps it: a loop that happens to stand at the end of a chunk pays two system calls and several page faults
for each call.  A chunk is doubled until the frame fits that asks for it (`push_chunk` in Python/pystate.c), so a frame
that says it needs a large stack leaves the rest of a large chunk to all that are called from it.  What is not written
to is never backed by memory.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any, Callable, TypeVar

Result = TypeVar("Result")

CHUNKED = ((3, 11), (3, 13))
"""The versions of CPython whose source was read for this."""
WORDS = 1 << 17
"""Pointers: one MiB, which does not fit into a chunk of one MiB, so the chunk has two and half of it is left."""


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def _roomy() -> Callable[..., Any]:
    if sys.implementation.name != "cpython" or not CHUNKED[0] <= sys.version_info[:2] <= CHUNKED[1]:
        return _call
    return FunctionType(_call.__code__.replace(co_stacksize=WORDS), globals())


_ROOMY = _roomy()


def with_room(function: Callable[..., Result], *arguments: Any) -> Result:
    """What `function` returns, and the frames of all it calls lie in one chunk as long as they need less than 1 MiB."""
    return _ROOMY(function, *arguments)
