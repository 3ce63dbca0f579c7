"""Which engine's reply counts."""

import asyncio
from dataclasses import replace

import pytest

from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.server.ladder import climb

REQUEST = TraceRequest(1, "/w", "/w/a.py", "f()")
FINE = TraceReply(1)
SHAPE = Failure("trace", "sizes differ")
LIMIT = Failure("trace", "no data here", proven=False)
MEMORY = Failure("trace", "can't allocate memory", proven=False)
DEAD = Failure("crash", "died", proven=False)
LOST = Failure("worker", "the worker ended", proven=False)
CALL = Failure("trace", "TypeError: f() missing 1 required positional argument: 'x'", error="TypeError")
LATE = Failure("timeout", "too long", proven=False)


class Engines:
    """Answers as told, and remembers who was asked."""

    def __init__(self, fake: TraceReply, real: TraceReply) -> None:
        self.replies = {"fake": fake, "real": replace(real, engine="real")}
        self.asked: list[str] = []

    async def trace(self, request: TraceRequest) -> TraceReply:
        self.asked.append(request.engine)
        return self.replies[request.engine]


def failed(failure: Failure) -> TraceReply:
    return replace(FINE, failure=failure)


@pytest.mark.parametrize(
    ("fake", "real", "engine", "failure", "fallback"),
    [
        (FINE, FINE, "fake", None, ""),
        (replace(FINE, fallback="caught"), FINE, "real", None, "caught"),
        (failed(LIMIT), FINE, "real", None, "no data here"),
        (failed(SHAPE), FINE, "real", None, "sizes differ"),
        (failed(SHAPE), failed(SHAPE), "real", SHAPE, ""),
        (failed(LIMIT), failed(SHAPE), "real", SHAPE, "no data here"),
        (failed(SHAPE), failed(MEMORY), "fake", SHAPE, ""),
        (failed(LIMIT), failed(MEMORY), "fake", LIMIT, ""),
        (failed(DEAD), FINE, "real", None, "died"),
        (failed(LIMIT), failed(LATE), "fake", LIMIT, ""),
        (failed(LATE), FINE, "fake", LATE, ""),
        (failed(LOST), FINE, "fake", LOST, ""),
        (failed(SHAPE), failed(LOST), "real", LOST, "sizes differ"),
        (failed(CALL), FINE, "fake", CALL, ""),
        (replace(failed(CALL), fallback="caught"), FINE, "real", None, "caught"),
        (failed(Failure("import", "no module")), FINE, "fake", Failure("import", "no module"), ""),
    ],
)
def test_climb(fake: TraceReply, real: TraceReply, engine: str, failure: Failure | None, fallback: str) -> None:
    reply = asyncio.run(climb(Engines(fake, real), REQUEST))
    assert (reply.engine, reply.failure, reply.fallback) == (engine, failure, fallback)


def test_a_named_engine_is_the_only_one_asked() -> None:
    engines = Engines(FINE, failed(LIMIT))
    assert asyncio.run(climb(engines, replace(REQUEST, engine="real"))).failure == LIMIT
    assert engines.asked == ["real"]
