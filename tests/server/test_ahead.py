"""Files that nobody has open: run when there is nothing else to do, and never in the way of what is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from fx_lsp.server import ahead
from fx_lsp.server.ahead import State
from fx_lsp.server.settings import Settings
from tests.server.workers import MODEL, PATIENCE, Bench

pytestmark = pytest.mark.asyncio

OTHER = MODEL.replace("f32[2, 3]", "f32[{}, 4]")


class Watched(Bench):
    """Keeps what was told of files that are not open."""

    def __init__(self, root: Path, settings: Settings | None = None) -> None:
        self.states: list[State] = []
        self.rests = asyncio.Event()
        super().__init__(root, settings)

    def on_ahead(self, root: str, state: State) -> None:
        self.states.append(state)
        self.rests.set() if not state.path else self.rests.clear()

    async def rest(self) -> None:
        """Wait until it rests, having begun."""
        async with asyncio.timeout(PATIENCE):
            await self.rests.wait()
        self.rests.clear()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "QUIET", 0.01)


@pytest_asyncio.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    bench = Watched(tmp_path)
    yield bench
    await bench.engine.stop()


def plant(watched: Watched) -> str:
    """Three files; the path of the one that is opened."""
    for number, name in enumerate(("far/b.py", "near.py")):
        (watched.root / name).parent.mkdir(exist_ok=True)
        watched.path(name, OTHER.format(number + 5))
    watched.path("text.py", "x = 1\n")
    return watched.path("a.py", MODEL)


async def test_every_file_is_run_once_those_near_the_open_one_first(watched: Watched) -> None:
    watched.engine.update(plant(watched), MODEL)
    await watched.rest()
    assert watched.worker.calls == ["Net()(f32[2, 3])", "Net()(f32[6, 4])", "Net()(f32[5, 4])"]
    assert [(state.done, state.total) for state in watched.states] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert watched.snapshots.count("near.py") == 0


async def test_a_file_that_is_opened_later_needs_no_run(watched: Watched) -> None:
    watched.engine.update(plant(watched), MODEL)
    await watched.rest()
    assert len(watched.worker.calls) == 3
    watched.engine.update(str(watched.root / "near.py"), OTHER.format(6))
    await watched.idle()
    assert watched.worker.calls == []
    snapshot = watched.engine.snapshot(str(watched.root / "near.py"))
    assert snapshot is not None
    assert len(snapshot.traces) == 1


async def test_an_edit_runs_first_and_what_it_changes_is_run_ahead_again(watched: Watched) -> None:
    path = plant(watched)
    watched.worker.reads[str(watched.root / "near.py")] = [path]
    watched.engine.update(path, MODEL)
    await watched.rest()
    assert len(watched.worker.calls) == 3
    watched.engine.update(path, OTHER.format(9) + "y = 1\n")
    await watched.rest()
    assert watched.worker.calls == ["Net()(f32[9, 4])", "Net()(f32[6, 4])"]


async def test_a_comment_changes_nothing_ahead(watched: Watched) -> None:
    path = plant(watched)
    watched.worker.reads[str(watched.root / "near.py")] = [path]
    watched.engine.update(path, MODEL)
    await watched.rest()
    watched.engine.update(path, f"{MODEL}# a comment\n")
    await watched.rest()
    assert watched.worker.calls.count("Net()(f32[6, 4])") == 1


async def test_an_edit_does_not_wait(watched: Watched) -> None:
    path = plant(watched)
    watched.engine.update(path, MODEL)
    await watched.idle()
    watched.worker.gate = asyncio.Event()
    watched.worker.started.clear()
    await asyncio.wait_for(watched.worker.started.wait(), PATIENCE)
    assert [request.patient for request in watched.worker.requests] == [False, True]
    watched.engine.update(path, OTHER.format(9))
    async with asyncio.timeout(PATIENCE):
        while watched.worker.requests[-1].patient:
            await asyncio.sleep(0.01)
    watched.worker.gate.set()
    await watched.rest()


async def test_the_user_ends_it(watched: Watched) -> None:
    path = plant(watched)
    watched.engine.update(path, MODEL)
    await watched.idle()
    watched.engine.stop_ahead(str(watched.root))
    watched.engine.update(path, OTHER.format(9))
    await watched.idle()
    await asyncio.sleep(0.1)
    assert watched.worker.calls == ["Net()(f32[2, 3])", "Net()(f32[9, 4])"]
    watched.engine.restart()
    await watched.rest()
    assert len(watched.worker.calls) == 3


async def test_not_when_it_is_switched_off(tmp_path: Path) -> None:
    bench = Watched(tmp_path, Settings(run_ahead=False))
    bench.engine.update(plant(bench), MODEL)
    await bench.idle()
    await asyncio.sleep(0.1)
    assert bench.worker.calls == ["Net()(f32[2, 3])"]
    await bench.engine.stop()
