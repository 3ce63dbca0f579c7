"""Open files: a process has those that it was meant to have, and no others."""

from __future__ import annotations

import os

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox._layer import Layer

_STANDARD = 2
"""The last descriptor that a zygote is started with."""
_RESULT = 4
"""The last one of a child: two more for its request and its result."""


def close_above(last: int) -> None:
    """Whatever else is open."""
    os.closerange(last + 1, max(last, _highest()) + 1)


def _highest() -> int:
    try:
        return max(map(int, os.listdir("/dev/fd")))
    except OSError:
        return 4096


def _apply_launcher(policy: Policy) -> None:
    close_above(_STANDARD)


def _apply_child(policy: Policy) -> None:
    close_above(_RESULT)


LAUNCHER = Layer(
    name="descriptors",
    stage="launcher",
    protects="No file or connection that the server has open reaches the worker.",
    apply=_apply_launcher,
)

CHILD = Layer(
    name="descriptors",
    stage="child",
    protects="A model can reach no pipe of the worker or of another model.",
    apply=_apply_child,
)
