"""Which engine answers: fake tensors first, small real ones where those cannot go on."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol

from fx_lsp.model.example import PROGRAMS
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply, TraceRequest

PROGRAM_SHARE = 0.25
"""Part of the time that a program may take on real tensors: it does whatever it does, for models of any size."""
_SAME_FOR_ALL = frozenset({"start", "import", "timeout", "cancelled", "protocol", "worker"})
"""Stages at which another engine would fail alike."""
_CALL = re.compile(r"missing \d+ required |got an unexpected keyword|takes .*positional argument|got multiple values")
"""What Python says of a call whose arguments are not those of the function: tensors have no say in that."""


class Tracer(Protocol):
    """What runs one request with the engine it names."""

    async def trace(self, request: TraceRequest) -> TraceReply:
        """Never raises but when cancelled."""
        ...


async def climb(tracer: Tracer, request: TraceRequest) -> TraceReply:
    """The reply of the first engine that could run the example.

    A failure on fake tensors is believed only when real tensors fail too, or cannot be tried (no memory, no time).
    Further examples run on fake tensors only.
    """
    if request.engine != "auto":
        return await tracer.trace(request)
    fake = await tracer.trace(replace(request, engine="fake"))
    failed = fake.failure
    if (failed is None and not fake.fallback) or (failed is not None and _fails_alike(failed, fake.fallback)):
        return fake
    why = fake.fallback or (failed.message if failed is not None else "")
    seconds = request.seconds * (PROGRAM_SHARE if request.call in PROGRAMS else 1)
    asked = replace(request, engine="real", further=(), seconds=seconds)
    real = replace(await tracer.trace(asked), further=fake.further)
    if real.failure is None or real.failure.stage in ("cancelled", "worker"):
        return replace(real, fallback=why)
    if real.failure.proven and real.failure.stage not in ("crash", "timeout"):
        return replace(real, fallback=why if failed is None or not failed.proven else "")
    return real if failed is None else fake


def _fails_alike(failure: Failure, fallback: str) -> bool:
    """Whether real tensors would make no difference."""
    wrong = failure.error == "TypeError" and failure.proven and _CALL.search(failure.message) is not None
    return failure.stage in _SAME_FOR_ALL or (wrong and not fallback)
