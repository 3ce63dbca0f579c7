"""A day of work: files are edited, saved, renamed and so on, and the worker ends meanwhile."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from fx_lsp.server.settings import Settings
from tests.fuzz.desk import Desk
from tests.fuzz.half import Break, is_half
from tests.fuzz.lasting import cancelled, clock
from tests.fuzz.reader import Reader
from tests.fuzz.texts import CONFIGURATIONS, DATA, EDITS, FILES, NAMES, QUIET, parses
from tests.server.test_answers import environment as environment_in

DEATHS = 2
"""Times that the worker may be killed: what it is killed over once more is not run again."""

chances = st.integers(0, 99).map(random.Random)


class Work(RuleBasedStateMachine):
    """One day of work."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = self._loop()
        self.undo: dict[str, list[str]] = {}
        self.deaths, clock.jumped = 0, 0.0
        self.wait(self._begin())

    def wait(self, work: Awaitable[Any]) -> Any:
        return self.loop.run_until_complete(work)

    def now(self, work: Callable[..., None], *given: Any) -> None:
        """What an event of the loop does."""

        async def event() -> None:
            work(*given)

        self.wait(event())

    def _loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.new_event_loop()

    async def _begin(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="fx-lsp-work-"))
        root = self.place / "root"
        root.mkdir()
        (root / "pyproject.toml").touch()
        self.reader = Reader(random.Random(0))
        settings = Settings(interpreter=environment_in(self.place))
        self.desk = Desk(root, self.reader.launch, settings, {}, self.place / "cache")
        self.fresh = Desk(root, Reader(random.Random(0)).launch, settings, {})
        await self.desk.empty()

    @initialize(names=st.sets(st.sampled_from(sorted(FILES)), min_size=1))
    def begin(self, names: set[str]) -> None:
        for name in sorted(names):
            self._open(name)

    def _open(self, name: str) -> None:
        self.undo[name] = []
        self.now(self.desk.update, name, self.desk.on_disk()[name])

    def _does(self, name: str, text: str) -> None:
        if text != self.desk.open[name]:
            self.undo[name].append(self.desk.open[name])
            self.now(self.desk.update, name, text)

    def _one(self, chance: random.Random, names: Any) -> str | None:
        found = sorted(names)
        return chance.choice(found) if found else None

    # -- typing ----------------------------------------------------------------------------------------------------

    @rule(chance=chances, edit=st.sampled_from(EDITS))
    def edits(self, chance: random.Random, edit: Any) -> None:
        if name := self._one(chance, self.undo):
            self._does(name, edit(self.desk.open[name], chance))

    @rule(chance=chances, edit=st.sampled_from(QUIET))
    def means_the_same(self, chance: random.Random, edit: Any) -> None:
        self.edits(chance, edit)

    @rule(chance=chances, times=st.integers(1, 3))
    def undoes(self, chance: random.Random, times: int) -> None:
        if name := self._one(chance, [name for name, texts in self.undo.items() if texts]):
            for _ in range(min(times, len(self.undo[name]))):
                self.now(self.desk.update, name, self.undo[name].pop())

    # -- files -----------------------------------------------------------------------------------------------------

    @rule(chance=chances)
    def saves(self, chance: random.Random) -> None:
        if name := self._one(chance, self.undo):
            self.now(self.desk.save, name)

    @rule(chance=chances)
    def closes(self, chance: random.Random) -> None:
        if name := self._one(chance, self.undo):
            self.now(self.desk.close, name)
            del self.undo[name]

    @rule(chance=chances)
    def opens(self, chance: random.Random) -> None:
        closed = [name for name in self.desk.on_disk() if name not in self.desk.open and name != DATA]
        if name := self._one(chance, closed):
            self._open(name)

    @rule(chance=chances)
    def renames(self, chance: random.Random) -> None:
        there = self.desk.on_disk()
        free = [name for name in NAMES if name not in there and name not in self.desk.open]
        old, new = self._one(chance, [name for name in there if name != DATA]), self._one(chance, free)
        if old and new:
            self.now(self.desk.rename, old, new)
            if old in self.undo:
                self.undo[new] = self.undo.pop(old)

    @rule(chance=chances)
    def deletes(self, chance: random.Random) -> None:
        if name := self._one(chance, self.desk.on_disk()):
            self.now(self.desk.delete, name)

    @rule(chance=chances, edit=st.sampled_from(EDITS))
    def another_program_writes(self, chance: random.Random, edit: Any) -> None:
        name = chance.choice(sorted(FILES))
        self.now(self.desk.put, name, edit(self.desk.on_disk().get(name, FILES[name]), chance))

    @rule(size=st.integers(1, 3))
    def data_change(self, size: int) -> None:
        self.now(self.desk.put, DATA, json.dumps(size))

    @rule(text=st.sampled_from(CONFIGURATIONS))
    def configuration_changes(self, text: str) -> None:
        self.now(self.desk.put, "pyproject.toml", text)

    # -- the rest --------------------------------------------------------------------------------------------------

    @rule(milliseconds=st.integers(0, 15))
    def time_passes(self, milliseconds: int) -> None:
        self.wait(asyncio.sleep(milliseconds / 1000))

    @rule(years=st.integers(-3, 3))
    def the_clock_jumps(self, years: int) -> None:
        clock.jumped = years * 3e7

    @rule()
    def all_is_quiet(self) -> None:
        self.wait(self.desk.idle())

    @precondition(lambda self: self.deaths < DEATHS)
    @rule()
    def the_worker_ends(self) -> None:
        self.deaths += 1
        self.reader.to_end += 1

    @rule()
    def the_server_starts_anew(self) -> None:
        self.wait(self.desk.restart())

    @rule()
    def it_is_as_fresh(self) -> None:
        if not self.desk.parses():
            self.wait(self._half())
        self._mend()
        self.wait(self._compare())

    @rule(chance=chances, comes=st.booleans())
    def one_breaks(self, chance: random.Random, comes: bool) -> None:
        """And is mended."""
        self._mend()
        if name := self._one(chance, self.undo):
            whole = self.desk.open[name]
            broken = Break(self.desk.path(name), chance.randrange(whole.count("\n") + 1) + 1, comes)
            half = broken.text(whole)
            if is_half(half):
                self.wait(self._break(name, half, broken))
                self.now(self.desk.update, name, whole)

    async def _break(self, name: str, half: str, broken: Break) -> None:
        await self.desk.idle()
        before = self.desk.snapshots()
        for _ in range(2):
            self.desk.update(name, half)
            await self._half()
            broken.check(before, self.desk.snapshots())

    async def _half(self) -> None:
        """What is known of a text that does not parse is what was known before."""
        await self.desk.idle()
        for snapshot in self.desk.snapshots().values():
            self.desk.known.check(snapshot)

    def _mend(self) -> None:
        for name, texts in list(self.undo.items()):
            if not parses(self.desk.open[name]):
                earlier = [text for text in texts if parses(text)]
                self._does(name, earlier[-1] if earlier else FILES.get(name, ""))

    async def _compare(self) -> None:
        await self.desk.idle()
        for name, text in self.desk.open.items():
            self.fresh.update(name, text)
        await self.fresh.idle()
        mine, theirs = self.desk.shown(), self.fresh.shown()
        self.fresh.open.clear()
        await self.fresh.restart()
        others = {name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]}
        assert not others, "\n".join([str(others), *self.desk.log])

    def teardown(self) -> None:
        try:
            self.it_is_as_fresh()
        finally:
            for desk in (self.desk, self.fresh):
                self.wait(desk.engine.stop())
            self._clear()

    def _clear(self) -> None:
        self.wait(cancelled())
        self.loop.close()
        shutil.rmtree(self.place, ignore_errors=True)  # a write to the cache may still go on
