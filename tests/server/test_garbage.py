"""Full collections walk over what is new; what was left aside is walked over while nothing is to be done."""

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


def test_what_lives_on_is_left_aside(collector: Collector) -> None:
    held = [Node() for _ in range(1000)]
    gc.collect()
    assert not any(item is held[0] for item in gc.get_objects())


def test_new_garbage_is_found(collector: Collector) -> None:
    ended = weakref.ref(Node())
    gc.collect()
    assert ended() is None


def test_garbage_of_what_was_left_aside_is_found_in_a_pause(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "PAUSE", 0.0)
    monkeypatch.setattr(garbage, "GROWN", 0.0)
    node = Node()
    gc.collect()
    ended = weakref.ref(node)
    del node
    gc.collect()
    assert ended() is not None
    asyncio.run(paused(collector, False))
    assert ended() is not None
    asyncio.run(paused(collector, True))
    assert ended() is None


async def paused(collector: Collector, idle: bool) -> None:
    collector.rest(lambda: idle)
    await asyncio.sleep(0.05)


def test_it_is_not_put_off_for_ever(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "MOST", 0)
    node = Node()
    gc.collect()
    ended = weakref.ref(node)
    del node
    asyncio.run(paused(collector, False))
    assert ended() is None


def test_the_collector_is_given_back() -> None:
    before = list(gc.callbacks)
    collector = Collector()
    collector.install()
    collector.remove()
    assert gc.callbacks == before
    assert gc.get_freeze_count() == 0
