"""Whose turn it is, who goes with whom, and what becomes of company that fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.server.supervisor import AT_ONCE
from fx_lsp.server.turns import TOGETHER, Turns, Urgency

pytestmark = pytest.mark.asyncio

AHEAD, ASKED, LOOKED = Urgency.AHEAD, Urgency.ASKED_FOR, Urgency.LOOKED_AT
Answer = Callable[[TraceRequest], TraceReply]


def fine(request: TraceRequest) -> TraceReply:
    further = tuple(TraceReply(0, log=one.call) for one in request.further)
    return TraceReply(0, log=request.call, further=further)


class Desk:
    """A worker that notes what it is asked, and answers when it is let."""

    def __init__(self, answer: Answer = fine) -> None:
        self.answer = answer
        self.asked: list[tuple[str, ...]] = []
        self.requests: list[TraceRequest] = []
        self.killed: list[str] = []
        self.open = asyncio.Event()
        self.open.set()
        self.active = self.most = 0
        self.turns = Turns(self._trace)

    async def _trace(self, request: TraceRequest) -> TraceReply:
        self.asked.append((request.call, *(one.call for one in request.further)))
        self.requests.append(request)
        self.active += 1
        self.most = max(self.most, self.active)
        try:
            await self.open.wait()
            await asyncio.sleep(0)
            return self.answer(request)
        except asyncio.CancelledError:
            self.killed.append(request.call)
            raise
        finally:
            self.active -= 1

    def ask(self, call: str, urgency: Urgency = LOOKED, scope: str = "a.py", **how: bool) -> asyncio.Task[str]:
        return asyncio.create_task(self._ask(call, urgency, scope, how))

    async def _ask(self, call: str, urgency: Urgency, scope: str, how: dict[str, bool]) -> str:
        reply, _ = await self.turns.run(scope, lambda: TraceRequest(0, "/", scope, call), urgency, **how)
        return reply.log if reply.failure is None else f"{reply.log}: {reply.failure.message}"

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Both places are taken meanwhile, by runs of another file."""
        self.open.clear()
        others = [self.ask(f"other {number}", scope="other.py", single=True) for number in range(AT_ONCE)]
        await asyncio.sleep(0.01)
        self.asked.clear()
        yield
        await asyncio.sleep(0.01)
        self.open.set()
        await asyncio.gather(*others)


async def test_the_most_urgent_goes_first() -> None:
    desk = Desk()
    async with desk.held():
        tasks = [desk.ask("ahead", AHEAD, "1"), desk.ask("asked", ASKED, "2"), desk.ask("looked at", LOOKED, "3")]
    await asyncio.gather(*tasks)
    assert desk.asked == [("looked at",), ("asked",), ("ahead",)]
    assert [request.patient for request in desk.requests] == [False, False, False, False, True]


async def test_an_edit_finds_a_place_free_of_what_nobody_waits_for() -> None:
    desk = Desk()
    desk.open.clear()
    ahead = [desk.ask(f"ahead {number}", AHEAD, str(number)) for number in range(3)]
    while not desk.asked:
        await asyncio.sleep(0.01)
    edit = desk.ask("edit")
    await asyncio.sleep(0.01)
    assert desk.asked == [("ahead 0",), ("edit",)]
    desk.open.set()
    await asyncio.gather(*ahead, edit)
    assert desk.most == AT_ONCE


async def test_examples_of_one_file_go_together_when_nobody_looks_at_them() -> None:
    desk = Desk()
    async with desk.held():
        tasks = [desk.ask(str(number), ASKED) for number in range(TOGETHER + 1)]
        tasks.append(desk.ask("elsewhere", ASKED, "b.py"))
    assert await asyncio.gather(*tasks) == [*map(str, range(TOGETHER + 1)), "elsewhere"]
    assert sorted(map(len, desk.asked)) == [1, 1, TOGETHER]


async def test_the_first_ones_of_a_file_go_together_too() -> None:
    desk = Desk()
    assert await asyncio.gather(*(desk.ask(str(number), ASKED) for number in range(3))) == list("012")
    assert desk.asked == [("0", "1", "2")]


async def test_those_looked_at_go_one_by_one_unless_the_import_takes_long() -> None:
    def slow(request: TraceRequest) -> TraceReply:
        return TraceReply(0, log=request.call, import_ms=5000, further=fine(request).further)

    desk = Desk(slow)
    async with desk.held():
        tasks = [desk.ask(str(number)) for number in range(5)]
    await asyncio.gather(*tasks)
    assert desk.asked == [("0",), ("1",), ("2", "3", "4")]
    assert [request.unhurried for request in desk.requests[-3:]] == [False, False, True]  # once its files are ready


async def test_company_that_failed_runs_again_alone() -> None:
    def answer(request: TraceRequest) -> TraceReply:
        bad = Failure("trace", "bad", proven=True)
        further = tuple(
            TraceReply(0, log=one.call, failure=bad if one.call == "2" else None, fallback="x" * (one.call == "1"))
            for one in request.further
        )
        return TraceReply(0, log=request.call, failure=bad if request.call == "2" else None, further=further)

    desk = Desk(answer)
    async with desk.held():
        tasks = [desk.ask(str(number), ASKED) for number in range(4)]
    assert await asyncio.gather(*tasks) == ["0", "1", "2: bad", "3"]
    assert sorted(desk.asked) == [("0", "1", "2", "3"), ("1",), ("2",)]


async def test_company_that_was_not_reached_goes_on_together() -> None:
    def answer(request: TraceRequest) -> TraceReply:
        return TraceReply(0, log=request.call, further=fine(request).further[:1])

    desk = Desk(answer)
    async with desk.held():
        tasks = [desk.ask(str(number), ASKED) for number in range(5)]
    assert await asyncio.gather(*tasks) == list("01234")
    assert desk.asked == [("0", "1", "2", "3", "4"), ("2", "3", "4"), ("4",)]


async def test_what_took_its_company_down_is_found() -> None:
    def answer(request: TraceRequest) -> TraceReply:
        calls = (request.call, *(one.call for one in request.further))
        return TraceReply(0, failure=Failure("crash", "gone", proven=False)) if "2" in calls else fine(request)

    desk = Desk(answer)
    async with desk.held():
        first = asyncio.create_task(desk.turns.run("a.py", lambda: TraceRequest(0, "/", "a.py", "0"), ASKED))
        tasks = [desk.ask(str(number), ASKED) for number in (1, 2, 3)]
    reply, accompanied = await first
    assert (reply.failure is not None, accompanied) == (True, True)
    assert await asyncio.gather(*tasks) == ["1", ": gone", "3"]


async def test_a_cancelled_run_is_killed_once_nobody_wants_any_of_it() -> None:
    desk = Desk()
    async with desk.held():
        tasks = [desk.ask(str(number), ASKED) for number in range(2)]
    desk.open.clear()
    await asyncio.gather(*tasks)
    tasks = [desk.ask(str(number), ASKED) for number in range(3)]
    await asyncio.sleep(0.01)
    tasks[2].cancel()
    await asyncio.sleep(0.01)
    assert desk.killed == []
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(0.01)
    assert desk.killed
    assert desk.active == 0


async def test_alone_means_alone() -> None:
    desk = Desk()
    async with desk.held():
        tasks = [desk.ask("first"), desk.ask("alone", alone=True), desk.ask("last")]
    desk.most = 0
    await asyncio.gather(*tasks)
    assert desk.asked[0] == ("alone",)


async def test_a_defect_reaches_whoever_waits() -> None:
    def answer(request: TraceRequest) -> TraceReply:
        raise ZeroDivisionError(request.call)

    desk = Desk(answer)
    with pytest.raises(ZeroDivisionError):
        await desk.ask("x")
    desk.answer = fine
    assert await desk.ask("y") == "y"
