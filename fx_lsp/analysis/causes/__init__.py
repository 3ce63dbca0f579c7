"""Why a call of torch failed, in words that name what the user wrote: one file per cause, found by folder.

To add a cause, copy a file: its `CAUSE` says which calls it knows, and explains one from what it was given.  The facts
are sizes and settings, not torch's message, so the text is the same whichever engine raised.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache

from fx_lsp.analysis.causes._call import Call, calls
from fx_lsp.model.failure import Failure
from fx_lsp.model.registry import collect


@dataclass(frozen=True)
class Cause:
    """One way to fail."""

    id: str
    """Names the bad pattern: `matmul-sizes`."""
    title: str
    targets: Collection[str]
    """Last parts of the names of the functions, and class names of the layers, that can fail in this way."""
    explain: Callable[[Call], str | None]
    """One sentence; None when something else is wrong."""


@dataclass(frozen=True)
class Explanation:
    """Why it failed."""

    code: str
    message: str
    call: Call
    """What failed; that of the layer where it was one."""


@cache
def causes() -> tuple[Cause, ...]:
    """Every cause in this folder, by file name."""
    return tuple(collect(sys.modules[__name__], "CAUSE").values())


def explained(failure: Failure) -> Explanation | None:
    """What is known about the failure."""
    for call in calls(failure):
        for cause in causes():
            if call.target in cause.targets and (message := cause.explain(call)) is not None:
                return Explanation(cause.id, message, call)
    return None


def said(failure: Failure) -> str:
    """The failure in our words where its cause is known, else in those of what raised."""
    cause = explained(failure)
    return cause.message if cause is not None else failure.message
