"""Which engine answers: fake tensors first, small real ones where those cannot go on."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from fx_lsp.model.messages import TraceReply, TraceRequest

_SAME_FOR_ALL = frozenset({"start", "import", "timeout", "cancelled", "protocol", "worker"})
"""Stages at which another engine would fail alike."""


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
    if (failed is None and not fake.fallback) or (failed is not None and failed.stage in _SAME_FOR_ALL):
        return fake
    why = fake.fallback or (failed.message if failed is not None else "")
    real = replace(await tracer.trace(replace(request, engine="real", further=())), further=fake.further)
    if real.failure is None or real.failure.stage in ("cancelled", "worker"):
        return replace(real, fallback=why)
    if real.failure.proven and real.failure.stage not in ("crash", "timeout"):
        return replace(real, fallback=why if failed is None or not failed.proven else "")
    return real if failed is None else fake
