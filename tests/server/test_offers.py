"""Several rewrites of one file: tried together where they can be, and one by one where that is not good."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.proposals import Proposal
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.server import offers, wider
from fx_lsp.server.offers import Offers, Together
from fx_lsp.server.trials import Verdict

PATH = "/model.py"
HEADER = Span(PATH, 1, 0, 1, 0), "import torch\n"


def proposal(line: int, owner: str = "A", *, last: int = 0, new: str = "x", header: bool = False) -> Proposal:
    """Of one line, or up to another one."""
    span = Span(PATH, line, 4, last or line, 9)
    changes = (*([HEADER] if header else []), (span, new))
    return Proposal("rule", "title", span, Edit("title", PATH, changes), False, (), True, owner)


class Scripted(Offers):
    """Offers whose edits are wrong where they write `bad`, or both `one` and `two`."""

    def __init__(self) -> None:
        super().__init__(None)  # pyright: ignore[reportArgumentType]
        self.tried: list[tuple[int, ...]] = []

    def own(self, path: str) -> tuple[()]:
        """None."""
        return ()

    async def verdict(self, snapshot: Snapshot, proposal: Proposal, *_: Any) -> Verdict:
        """Scripted."""
        new = {text for _, text in proposal.edit.changes}
        self.tried.append(tuple(span.line for span, _ in proposal.edit.changes))
        return Verdict("bad" not in new and not {"one", "two"} <= new, "tried")


def together(monkeypatch: pytest.MonkeyPatch, found: Sequence[Proposal]) -> tuple[Together, list[tuple[int, ...]]]:
    """What comes of them, and the lines of each edit that was tried."""
    monkeypatch.setattr(offers, "rewritten", lambda *_: tuple(found))
    scripted = Scripted()
    return asyncio.run(scripted.together(Snapshot(PATH, ""), lambda _: True)), scripted.tried


def lines(found: Sequence[tuple[Proposal, Verdict]]) -> list[int]:
    return [one.span.line for one, _ in found]


def test_those_that_are_compared_alike_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found, tried = together(monkeypatch, [proposal(3), proposal(5), proposal(7)])
    assert tried == [(3, 5, 7)]
    assert lines(found.done) == [3, 5, 7]
    assert [span.line for span, _ in found.edit.changes] == [3, 5, 7]


def test_what_may_compute_something_else_is_told_its_own_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [replace(proposal(line), other=True) for line in (3, 5)]
    found, tried = together(monkeypatch, others)
    assert tried[:2] == [(3,), (5,)]
    assert lines(found.done) == [3, 5]


def test_one_that_is_wrong_takes_no_other_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found, tried = together(monkeypatch, [proposal(3), proposal(5, new="bad"), proposal(7)])
    assert lines(found.done) == [3, 7]
    assert lines(found.refused) == [5]
    assert tried == [(3, 5, 7), (3,), (5,), (7,), (3, 7)]


def test_those_of_several_classes_are_run_as_one_and_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """One class is compared at a time, and an example of one has no module of the other."""
    found, tried = together(monkeypatch, [proposal(3), proposal(5), proposal(20, "B")])
    assert tried == [(3, 5), (20,), (3, 5, 20)]
    assert lines(found.done) == [3, 5, 20]


def test_what_does_not_run_beside_that_of_another_class_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [proposal(3, new="one"), proposal(20, "B", new="two"), proposal(30, "C")]
    found, _ = together(monkeypatch, parts)
    assert lines(found.done) == [3, 30]


def test_a_statement_and_a_method_at_one_place_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def added(line: int, new: str) -> Proposal:
        place = Span(PATH, 9, 0, 9, 0)
        return replace(proposal(line), edit=Edit("title", PATH, ((place, new), (Span(PATH, line, 4, line, 9), "x"))))

    body, more, method = added(20, "    self.a = 1\n"), added(22, "    self.b = 1\n"), added(24, "\ndef f(): ...\n")
    found, _ = together(monkeypatch, [body, more, method])
    assert lines(found.done) == [20, 22]


def test_two_that_do_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = together(monkeypatch, [proposal(3, new="one"), proposal(5, new="two"), proposal(20, "B")])
    assert lines(found.done) == [3, 20]
    assert [span.line for span, _ in found.edit.changes] == [3, 20]


def test_a_wider_one_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    found, tried = together(monkeypatch, [proposal(4), proposal(3, last=6), proposal(9)])
    assert lines(found.done) == [3, 9]
    assert (3, 9) in tried


def test_what_several_write_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = together(monkeypatch, [proposal(3, header=True), proposal(5, header=True)])
    assert [span.line for span, _ in found.edit.changes] == [1, 3, 5]


def test_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found, tried = together(monkeypatch, [])
    assert (found.done, found.edit.changes, tried) == ((), (), [])


class Slow(Offers):
    """Offers of which each takes its time to be tried."""

    def __init__(self) -> None:
        super().__init__(SimpleNamespace(text=lambda _: ""))  # pyright: ignore[reportArgumentType]
        self.begun: list[int] = []

    async def verdict(self, snapshot: Snapshot, proposal: Proposal, *_: Any) -> Verdict:
        """Good, after a while."""
        self.begun.append(proposal.span.line)
        await asyncio.sleep(0.01)
        return Verdict(True, "tried")


def test_who_looks_again_at_the_same_lines_leaves_their_search_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "mended", lambda _, __, lines: [proposal(line) for line in lines])

    async def looked(*places: range) -> list[int]:
        slow = Slow()
        for lines in places:
            slow.search(Snapshot(PATH, ""), lines)
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.1)
        return slow.begun

    assert asyncio.run(looked(range(1, 4), range(1, 4), range(1, 4))) == [1, 2, 3]
    assert asyncio.run(looked(range(1, 4), range(7, 9))) == [1, 7, 8]
    monkeypatch.setattr(offers, "LONGEST_SEARCH", 0.0)
    assert asyncio.run(looked(range(1, 4))) == []


class Kept(Scripted):
    """With a text for each file, and what came of each edit."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = {PATH: ""}
        self._engine = SimpleNamespace(text=lambda path: self.texts[path])  # pyright: ignore[reportAttributeAccessIssue]
        self.said: dict[str, Verdict] = {}

    def known(self, snapshot: Snapshot, proposal: Proposal) -> Verdict | None:
        """By what it writes."""
        return self.said.get(proposal.edit.changes[0][1])

    async def verdict(self, snapshot: Snapshot, proposal: Proposal, *_: Any) -> Verdict:
        """Scripted, and kept."""
        found = await super().verdict(snapshot, proposal)
        return self.said.setdefault(proposal.edit.changes[0][1], found)


@pytest.mark.parametrize("good", [True, False])
def test_small_changes_are_made_only_where_nothing_mends_and_for_the_texts_as_they_are(
    monkeypatch: pytest.MonkeyPatch, good: bool
) -> None:
    usual, small = proposal(1, new="x" if good else "bad"), replace(proposal(1, new="z"), late=True, title="small")
    monkeypatch.setattr(offers, "mended", lambda *_: [usual])
    monkeypatch.setattr(wider, "mended", lambda *_, **__: [small])
    monkeypatch.setattr(offers, "rewritten", lambda *_: ())
    kept, snapshot, lines = Kept(), Snapshot(PATH, ""), range(1, 2)
    assert small not in kept.of(snapshot, lines)
    asyncio.run(kept.searched(snapshot, lines))
    assert ("z" in kept.said) is not good
    assert (small in kept.of(snapshot, lines)) is not good
    assert (small in kept.of(snapshot, range(1, 9))) is not good
    assert small not in kept.of(snapshot, range(5, 9))
    kept.texts[PATH] = "other"
    assert small not in kept.of(snapshot, lines)


@pytest.mark.parametrize("good", [True, False])
def test_late_ones_are_tried_and_on_offer_only_where_no_other_mends(
    monkeypatch: pytest.MonkeyPatch, good: bool
) -> None:
    first, second = proposal(1, new="x" if good else "bad"), replace(proposal(1, new="y"), late=True, title="late")
    monkeypatch.setattr(offers, "mended", lambda *_: [first, second])
    monkeypatch.setattr(offers, "rewritten", lambda *_: ())

    async def looked() -> tuple[list[Proposal], list[Proposal], int]:
        told, snapshot = Kept(), Snapshot(PATH, "")
        before = told.of(snapshot, range(1, 2))
        told.search(snapshot, range(1, 2))
        await asyncio.sleep(0.05)
        return before, told.of(snapshot, range(1, 2)), len(told.tried)

    assert asyncio.run(looked()) == ([first], [first] if good else [second], 1 if good else 2)
