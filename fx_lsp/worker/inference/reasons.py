"""Why nothing was found, in one sentence."""

from __future__ import annotations

from typing import List, Optional

from fx_lsp.worker.inference.attempts import Attempt, Built, TooLong

PER_RUN = 3.0
"""Seconds."""
REAL_TENSORS_REFUSE = (
    "no inputs were found that real tensors take too: values for all places of a mask, ids of a table, an operator"
)
"""Of what runs on sizes alone."""


def why_forward(cls: type, attempt: Attempt) -> str:
    """What ended the run that got furthest."""
    place = attempt.frame_of(lambda owner: isinstance(owner, cls), ("forward",))
    return f"forward failed{f' at line {place[1]}' if place else ''} with {_sentence(attempt)}"


def why_not_built(cls: type, failed: List[Built]) -> str:
    """What ended the constructor that got furthest."""
    built = furthest(cls, failed)
    if built is None:
        return "it cannot be built by a name of its file"
    place = built.attempt.frame_of(lambda owner: isinstance(owner, cls), ("__init__",))
    wanted = ", ".join(name for name, _ in built.arguments)
    needs = f"its constructor needs {wanted}, and " if wanted else "its constructor "
    return f"{needs}failed{f' at line {place[1]}' if place else ''} with {_sentence(built.attempt)}"


def furthest(cls: type, failed: List[Built]) -> Optional[Built]:
    """The constructor that got furthest; of several that came as far the last one, which knew most."""
    frames = (lambda owner: isinstance(owner, cls)), ("__init__",)
    return min(reversed(failed), key=lambda one: one.attempt.reached(*frames), default=None)


def _sentence(attempt: Attempt) -> str:
    if isinstance(attempt.error, TooLong):
        return f"no end after {PER_RUN:g} s"
    text = attempt.message.strip().split("\n")[0][:300]
    name = type(attempt.error).__name__
    return f"{name}: {text}" if text else name
