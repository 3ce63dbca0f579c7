"""Whatever a programmer does, and whatever ends meanwhile: what is shown in the end is what a fresh engine shows.

`HYPOTHESIS_PROFILE=long` looks for new ways.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import time
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from fx_lsp.server import ahead, answers, session
from fx_lsp.server.settings import Settings
from tests.e2e.editor import clean_environment
from tests.fuzz.desk import Desk
from tests.fuzz.lasting import Workers, cancelled, clock
from tests.fuzz.pages import Pages
from tests.fuzz.work import DEATHS, Work, chances


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for long."""
    monkeypatch.setattr(time, "time", clock)
    monkeypatch.setattr(session, "QUIET", 0.002)
    monkeypatch.setattr(session, "LULL", 0.01)
    monkeypatch.setattr(session, "HURRIED", 0.0)
    monkeypatch.setattr(ahead, "QUIET", 0.01)
    monkeypatch.setattr(answers, "LATER", 0.01)


class Torch(Work):
    """With real workers, which are those of all days: to start one takes its time."""

    workers: ClassVar[Workers]

    async def _begin(self) -> None:
        self.place = self.workers.place
        settings, environment = Settings(), clean_environment()
        self.desk = Desk(self.place / "root", self.workers.mine.launch, settings, environment, self.place / "cache")
        self.fresh = Desk(self.place / "root", self.workers.fresh.launch, settings, environment)
        await self.desk.empty()

    def _loop(self) -> asyncio.AbstractEventLoop:
        return self.workers.loop

    @rule(chance=chances, milliseconds=st.integers(0, 80))
    def the_worker_ends(self, chance: random.Random, milliseconds: int) -> None:
        self.time_passes(milliseconds)
        self.deaths += self.deaths < DEATHS and self.workers.mine.kill(launcher=chance.random() < 0.3)

    def _clear(self) -> None:
        shutil.rmtree(self.place / "cache", ignore_errors=True)


def _days(length: int) -> int:
    """How many there is time for, of days that take so long."""
    return settings().max_examples // length


def test_what_follows_from_the_texts(hasty: None) -> None:
    run_state_machine_as_test(Work, settings=settings(max_examples=_days(2), stateful_step_count=30))


def test_what_follows_from_the_cells(hasty: None) -> None:
    run_state_machine_as_test(Pages, settings=settings(max_examples=_days(2), stateful_step_count=30))


def test_what_torch_says(hasty: None, tmp_path: Path) -> None:
    workers = Torch.workers = Workers(tmp_path, asyncio.new_event_loop())
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "pyproject.toml").touch()
    try:
        run_state_machine_as_test(Torch, settings=settings(max_examples=_days(8), stateful_step_count=25))
    finally:
        for worker in (workers.mine, workers.fresh):
            workers.loop.run_until_complete(worker.end())
        workers.loop.run_until_complete(cancelled())
        workers.loop.close()
