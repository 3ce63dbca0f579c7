"""Examples during which the worker ends: run again alone, and set aside when it ends again and again."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fx_lsp.model.example import Search
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import Invented, TraceReply, TraceRequest
from fx_lsp.server.ran import Cancelled, Key, Ran
from fx_lsp.server.replies import MANY_FILES
from fx_lsp.server.runs import ANY, ASIDE, DEATHS, LATE, Runs
from fx_lsp.server.supervisor import AT_ONCE
from fx_lsp.server.texts import Texts
from tests.server.workers import TICK

LOST = Failure("worker", "The worker process ended unexpectedly (signal 9).", proven=False)

pytestmark = pytest.mark.asyncio


class Desk:
    """Runs over a folder, with a worker that ends whenever a call that says `kill` is run, and takes others along."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts = Texts()
        self.imports: dict[str, list[str]] = {}
        self.asked: Counter[str] = Counter()
        self.reads: tuple[str, ...] = ()
        self.requests: list[TraceRequest] = []
        self.found = 0
        """Classes of a search that there is time for."""
        self.together = 0
        self.during: Callable[[], object] | None = None
        """Happens while a run goes on, once it has read its files."""
        self._active = 0
        self._death = asyncio.Event()
        self.runs = Runs(self._trace, self.texts, imports=self._imports)

    def write(self, name: str, text: str) -> str:
        path = str(self.folder / name)
        Path(path).write_text(text)
        self.texts.close(path)
        return path

    def edit(self, path: str, text: str) -> None:
        self.texts.open(path, text)
        self.runs.edited(path)

    async def run(self, call: str, name: str = "a.py") -> Ran:
        key = Key(str(self.folder / name), "", call)
        known = self.runs.kept(key)
        return known or await self.runs.run(key, lambda: TraceRequest(0, str(self.folder), key.scope, call))

    async def _imports(self, path: str) -> list[str]:
        return self.imports.get(path, [])

    async def _trace(self, request: TraceRequest) -> TraceReply:
        self.asked[request.call] += 1
        self.requests.append(request)
        self._active += 1
        self.together = max(self.together, self._active)
        death = self._death
        try:
            if "kill" in request.call:
                await asyncio.sleep(0)  # so that others have begun
                self._death, before = asyncio.Event(), self._death
                before.set()
                return TraceReply(1, failure=LOST)
            if "long" in request.call:
                waiting = asyncio.create_task(death.wait())
                done, _ = await asyncio.wait({waiting}, timeout=0.1)
                waiting.cancel()
                if done:
                    return TraceReply(1, failure=LOST)
            waves = int(request.call.split()[-1]) if request.call[-1:].isdigit() else 0
            if "slow" in request.call and (not request.unhurried or self.asked[request.call] <= waves):
                late = Failure("timeout", "did not finish within 20 s", proven=False)
                files = (request.scope, *self.reads)
                return TraceReply(
                    1,
                    files=files,
                    failure=late,
                    ms=17000,
                    import_ms=16000,
                    imported="pandas" * ("packages" in request.call),
                )
            if request.search is not None and not request.unhurried:
                found = tuple(Invented(name, call="f()") for name in request.search.names[: self.found])
                read = (request.scope, *self.reads)
                return TraceReply(1, files=read, invented=found, ms=17000, import_ms=16000, imported="pandas")
            if self.during is not None:
                await asyncio.sleep(TICK)
                self.during()
            return TraceReply(1, files=(request.scope, *self.reads))
        finally:
            self._active -= 1


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.write("a.py", "x = 1")
    return desk


def is_aside(ran: Ran) -> bool:
    failure = ran.reply.failure
    return (
        ran.aside
        and failure is not None
        and (failure.stage, failure.message, failure.proven) == ("crash", ASIDE, False)
    )


async def test_what_ends_the_worker_is_set_aside(desk: Desk) -> None:
    assert is_aside(await desk.run("kill()"))
    assert desk.asked == {"kill()": DEATHS}
    assert is_aside(await desk.run("kill()"))
    desk.runs.forget_failed()
    assert is_aside(await desk.run("kill()"))
    assert desk.asked == {"kill()": DEATHS}


async def test_what_ran_beside_it_is_run_again_alone(desk: Desk) -> None:
    killer, victim = await asyncio.gather(desk.run("kill()"), desk.run("long()"))
    assert is_aside(killer)
    assert victim.reply.failure is None
    assert desk.asked == {"kill()": DEATHS, "long()": 2}


async def test_many_of_each(desk: Desk) -> None:
    calls = [f"{what}({number})" for number in range(4) for what in ("kill", "long")]
    found = dict(zip(calls, await asyncio.gather(*map(desk.run, calls)), strict=True))
    assert [call for call in calls if is_aside(found[call])] == [call for call in calls if "kill" in call]
    assert desk.together <= AT_ONCE
    assert all(desk.asked[call] <= DEATHS for call in calls)


@pytest.mark.parametrize("changed", ["a.py", "imported.py", "read.py"])
async def test_until_its_code_changes(desk: Desk, changed: str) -> None:
    paths = {name: desk.write(name, "x = 1") for name in ("a.py", "imported.py", "read.py", "other.py")}
    desk.imports[paths["a.py"]] = [paths["imported.py"]]
    desk.reads = (paths["read.py"],)
    call = "kill(x)"
    key = Key(paths["a.py"], "", call)
    fine = await desk.runs.run(key, lambda: TraceRequest(0, str(desk.folder), key.scope, "fine()"))
    assert fine.reply.failure is None
    desk.edit(paths["read.py"], "x = 2")
    assert is_aside(await desk.run(call))
    desk.edit(paths["other.py"], "x = 2")
    assert is_aside(await desk.run(call))
    assert desk.asked[call] == DEATHS
    desk.edit(paths[changed], "x = 3")
    assert is_aside(await desk.run(call))
    assert desk.asked[call] == 2 * DEATHS


@pytest.mark.parametrize("forget", [Runs.clear])
async def test_a_restart_forgets_it(desk: Desk, forget: Callable[[Runs], None]) -> None:
    await desk.run("kill()")
    forget(desk.runs)
    await desk.run("kill()")
    assert desk.asked == {"kill()": 2 * DEATHS}


async def test_a_cancelled_run_is_no_way_around_it(desk: Desk) -> None:
    other = desk.write("other.py", "x = 1")
    for number in range(DEATHS - 1):
        run = asyncio.create_task(desk.run("kill()"))
        while desk.asked["kill()"] <= number:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        desk.edit(other, f"x = {number}")
        with pytest.raises(Cancelled):
            await run
    assert is_aside(await desk.run("kill()"))
    assert desk.asked["kill()"] <= 2 * DEATHS - 1


async def test_crashes_of_a_run_are_not_counted(desk: Desk) -> None:
    crash = Failure("crash", "the process of the run was ended by SIGSEGV", proven=False)

    async def crashing(request: TraceRequest) -> TraceReply:
        desk.asked[request.call] += 1
        return TraceReply(1, failure=crash)

    runs = Runs(crashing, desk.texts)
    ran = await runs.run(Key("a.py", "", "f()"), lambda: TraceRequest(0, "/", "a.py", "f()"))
    assert (ran.reply.failure, ran.aside) == (crash, False)
    assert desk.asked == {"f()": 1}


YEARS = 1e9


def once(work: Callable[[], object]) -> Callable[[], object]:
    """For the first time only."""
    left = [work]
    return lambda: left.pop()() if left else None


async def test_a_file_that_changes_while_it_is_run(desk: Desk) -> None:
    """Nobody told of it; the second run has read what is there now."""
    desk.reads = (desk.write("data.json", "1"),)
    desk.during = once(lambda: desk.write("data.json", "2"))
    ran = await desk.run("f()")
    assert desk.asked["f()"] == 2
    assert dict(ran.digests)[desk.reads[0]] == desk.texts.digest(desk.reads[0])
    assert await desk.run("f()") is ran


async def test_a_file_that_comes_or_goes_while_it_is_run(desk: Desk) -> None:
    file = desk.folder / "data" / "size.json"
    file.parent.mkdir()
    desk.reads = (str(file),)
    desk.during = once(lambda: file.write_text("1"))
    await desk.run("f()")
    desk.during = once(file.unlink)
    await desk.run("g()")
    assert dict(desk.asked) == {"f()": 2, "g()": 2}


async def test_a_file_that_changes_in_every_run(desk: Desk) -> None:
    """Which of its versions the answer is of is not known, so that it is run again when somebody asks; that it is read
    is known, and whoever watches files tells of it."""
    desk.reads = (desk.write("data.json", "1"),)
    desk.during = lambda: desk.write("data.json", "2")
    ran = await desk.run("f()")
    assert (desk.asked["f()"], dict(ran.digests)[desk.reads[0]]) == (2, ANY)
    assert desk.reads[0] in desk.runs.read()
    await desk.run("f()")
    assert desk.asked["f()"] == 4


@pytest.mark.parametrize("years", [-YEARS, YEARS])
async def test_the_clock_jumps_during_a_run(desk: Desk, years: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written after that is dated accordingly."""
    desk.reads = (desk.write("data.json", "1"),)
    clock = time.time

    def jump() -> None:
        monkeypatch.setattr(time, "time", lambda: clock() + years)
        os.utime(desk.write("data.json", "2"), (clock() + years, clock() + years))

    desk.during = once(jump)
    await desk.run("f()")
    assert desk.asked["f()"] == 2


@pytest.mark.parametrize("years", [-YEARS, YEARS])
async def test_files_of_another_time(desk: Desk, years: float) -> None:
    """One of the future may be one that was just written, until it was looked at."""
    desk.reads = (desk.write("data.json", "1"),)
    os.utime(desk.reads[0], (time.time() + years, time.time() + years))
    for number in range(3):
        await desk.run(f"f({number})")
    assert sum(desk.asked.values()) == (4 if years > 0 else 3)


async def test_what_was_not_in_time_because_of_its_imports_runs_again_when_they_are_ready(desk: Desk) -> None:
    desk.reads = tuple(desk.write(f"{number}.py", "x = 1") for number in range(MANY_FILES))
    assert (await desk.run("slow")).reply.failure is None
    assert [request.unhurried for request in desk.requests] == [False, True]


async def test_what_was_not_in_time_because_of_packages_runs_again_when_they_are_ready(desk: Desk) -> None:
    ran = await desk.run("slow packages")
    assert (ran.reply.failure, ran.reply.imported) == (None, "")
    assert [request.unhurried for request in desk.requests] == [False, True]


@pytest.mark.parametrize(("found", "unhurried"), [(0, [False, True]), (1, [False, True]), (2, [False])])
async def test_a_search_that_its_imports_left_no_time_runs_again_when_they_are_ready(
    desk: Desk, found: int, unhurried: list[bool]
) -> None:
    desk.found, search = found, Search(("A", "B"))
    key = Key(str(desk.folder / "a.py"), "", "", search=search)
    ran = await desk.runs.run(key, lambda: TraceRequest(0, str(desk.folder), key.scope, "", search=search))
    assert ran.reply.imported == ""
    assert [request.unhurried for request in desk.requests] == unhurried


@pytest.mark.parametrize(("waves", "times"), [(2, 3), (100, LATE + 1)])
async def test_packages_may_take_longer_than_one_run(desk: Desk, waves: int, times: int) -> None:
    ran = await desk.run(f"slow packages {waves}")
    assert (ran.reply.failure is None) == (times <= LATE)
    assert desk.asked[f"slow packages {waves}"] == times


async def test_what_was_not_in_time_with_few_imports_is_told(desk: Desk) -> None:
    assert (await desk.run("slow")).reply.failure is not None
    assert desk.asked["slow"] == 1
