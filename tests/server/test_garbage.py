"""Nothing is walked over while somebody waits; what was left aside is, while nothing is to be done."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from fx_lsp.server import garbage
from fx_lsp.server.garbage import Collector


class Node:
    """Refers to itself: nothing but the collector ends it."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    made.install()
    yield made
    made.remove()


@pytest.fixture
def eager(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> Collector:
    """Looks for garbage in every pause."""
    monkeypatch.setattr(garbage, "PAUSE", 0.0)
    monkeypatch.setattr(garbage, "GROWN", 0.0)
    monkeypatch.setattr(collector, "_thresholds", (700, 10, -1))
    return collector


async def paused(collector: Collector, idle: bool) -> None:
    collector.rest(lambda: idle)
    await asyncio.sleep(0.05)


def full_collections() -> int:
    return gc.get_stats()[2]["collections"]


def test_none_of_everything_by_itself(collector: Collector) -> None:
    before = full_collections()
    held = [Node() for _ in range(300_000)]
    assert full_collections() == before
    assert gc.get_count()[2] > 10
    asyncio.run(paused(collector, False))
    assert full_collections() == before + 1
    assert not any(item is held[0] for item in gc.get_objects())


def test_new_garbage_is_found_when_there_is_nothing_to_do(eager: Collector) -> None:
    ended = weakref.ref(Node())
    asyncio.run(paused(eager, False))
    assert ended() is None


def test_garbage_of_what_was_left_aside_is_found_in_a_pause(eager: Collector) -> None:
    node = Node()
    asyncio.run(paused(eager, False))
    ended = weakref.ref(node)
    del node
    asyncio.run(paused(eager, False))
    assert ended() is not None
    asyncio.run(paused(eager, True))
    assert ended() is None


def test_it_is_not_put_off_for_ever(eager: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    node = Node()
    asyncio.run(paused(eager, False))
    ended = weakref.ref(node)
    del node
    monkeypatch.setattr(garbage, "MOST", 0)
    asyncio.run(paused(eager, False))
    assert ended() is None


def test_it_looks_again_and_again(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "PAUSE", 0.01)
    monkeypatch.setattr(garbage, "LULL", 0.02)

    async def works() -> list[int]:
        collector.rest(lambda: True)
        found: list[int] = []
        for _ in range(3):
            held.extend(Node() for _ in range(100_000))
            await asyncio.sleep(0.2)
            found.append(full_collections())
        return found

    held: list[Node] = []
    first, second, third = asyncio.run(works())
    assert first < second < third


def test_the_collector_is_given_back() -> None:
    before = gc.get_threshold()
    collector = Collector()
    collector.install()
    assert gc.get_threshold() != before
    collector.remove()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
