"""Where boxes stand: in rows, apart from each other, with edges that end at them."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fx_lsp.analysis.graph.layout import BORDER, Box, Placed, Wire, place

BOX = Box(40, 20, 30)


def chain(count: int) -> list[Wire]:
    """Boxes in a row."""
    return [Wire(number, number + 1) for number in range(count - 1)]


def check(boxes: list[Box], wires: list[Wire], entries: int, exits: int) -> Placed:
    """No two boxes overlap, all are inside, edges go down from end to end."""
    placed = place(boxes, wires, [5.0] * entries, [5.0] * exits)
    assert len(placed.boxes) == len(boxes)
    corners = [(x, y, x + box.width, y + box.height) for (x, y), box in zip(placed.boxes, boxes, strict=True)]
    for left, top, right, bottom in corners:
        assert left >= -0.01
        assert right <= placed.width + 0.01
        assert top >= -0.01
        assert bottom <= placed.height + 0.01
    for number, one in enumerate(corners):
        for other in corners[:number]:
            apart = one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
            assert apart, (one, other)
    for wire, path in zip(wires, placed.paths, strict=True):
        assert all(before[1] <= after[1] + 0.01 for before, after in pairwise(path))
        if wire.source != BORDER:
            left, _, right, bottom = corners[wire.source]
            assert path[0] == pytest.approx(((left + right) / 2, bottom))
        if wire.target != BORDER:
            left, top, right, _ = corners[wire.target]
            assert path[-1] == pytest.approx(((left + right) / 2, top))
        else:
            assert path[-1] == (placed.exits[wire.entry], placed.height)
    return placed


def test_nothing() -> None:
    assert place([], [], [], []) == Placed()


def test_a_chain_is_straight() -> None:
    placed = check([BOX] * 4, [Wire(BORDER, 0), *chain(4), Wire(3, BORDER)], 1, 1)
    assert len({round(x, 3) for path in placed.paths for x, _ in path}) == 1
    assert [y for _, y in placed.boxes] == sorted(y for _, y in placed.boxes)


def test_a_skipped_box_is_passed_at_its_side() -> None:
    placed = check([BOX] * 3, [*chain(3), Wire(0, 2)], 0, 0)
    (left, _), path = placed.boxes[1], placed.paths[2]
    passing = {x for x, y in path if placed.boxes[1][1] <= y <= placed.boxes[1][1] + 20}
    assert passing
    assert all(not left <= x <= left + 40 for x in passing)


def test_a_source_stands_right_above_its_reader() -> None:
    placed = check([BOX] * 5, [*chain(4), Wire(4, BORDER)], 0, 1)
    assert placed.boxes[4][1] == placed.boxes[0][1]
    wires = [Wire(0, 1), Wire(1, 3), Wire(2, 3)]
    assert check([BOX] * 4, wires, 0, 0).boxes[2][1] == check([BOX] * 4, wires, 0, 0).boxes[1][1]


def test_edges_end_at_the_ports() -> None:
    wide = Box(200, 50, 0, (-80.0, 80.0), (-50.0, 50.0))
    placed = place([BOX, BOX, wide, BOX], [Wire(0, 2, 0, 0), Wire(1, 2, 0, 1), Wire(2, 3, 1, 0)], [], [])
    middle = placed.boxes[2][0] + 100
    assert [path[-1][0] for path in placed.paths[:2]] == pytest.approx([middle - 80, middle + 80])
    assert placed.paths[2][0][0] == pytest.approx(middle + 50)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 25), st.integers(0, 40), st.randoms(use_true_random=False))
def test_any_graph(count: int, more: int, chance: random.Random) -> None:
    boxes = [
        Box(chance.choice((20, 60, 150)), chance.choice((20, 40, 300)), chance.choice((0, 90))) for _ in range(count)
    ]
    wires = {Wire(BORDER, chance.randrange(count), chance.randrange(2)) for _ in range(2)}
    wires |= {Wire(chance.randrange(count), BORDER, 0, chance.randrange(2)) for _ in range(2)}
    for _ in range(more if count > 1 else 0):
        source, target = sorted(chance.sample(range(count), 2))
        wires.add(Wire(source, target))
    check(boxes, sorted(wires, key=repr), 2, 2)


def test_a_large_scope_takes_little_time() -> None:
    count = 20_000
    wires = [*chain(count), *(Wire(0, number) for number in range(2, count))]
    started = time.process_time()
    placed = place([BOX] * count, wires, [], [])
    assert len(placed.paths) == len(wires)
    assert time.process_time() - started < 10
