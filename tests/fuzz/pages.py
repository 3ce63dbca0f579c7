"""Days of work with a notebook."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from fx_lsp.analysis.notebook import plain
from tests.fuzz.book import Book
from tests.fuzz.half import Break, is_half
from tests.fuzz.texts import CELLS, EDITS, parses
from tests.fuzz.work import Work, chances

NAME = "book.ipynb"

is_open = precondition(lambda self: NAME in self.desk.open)


class Pages(Work):
    """There is one, which is open at first."""

    def __init__(self) -> None:
        super().__init__()
        self.book = Book(self.desk.path(NAME), ())

    @initialize(order=st.permutations(CELLS))
    def opens_a_book(self, order: list[str]) -> None:
        self.book = Book(self.desk.path(NAME), order)
        self.saves_the_book()
        self.opens_the_book()

    def _tell(self) -> None:
        self.now(self.desk.update, NAME, self.book.whole)

    def _cell(self, chance: random.Random) -> int | None:
        return self._one(chance, range(len(self.book.texts)))

    @precondition(lambda self: NAME not in self.desk.open)
    @rule()
    def opens_the_book(self) -> None:
        self.book.reopen()
        self._tell()

    @is_open
    @rule()
    def closes_the_book(self) -> None:
        self.now(self.desk.close, NAME)

    @rule()
    def saves_the_book(self) -> None:
        self.now(self.desk.put, NAME, self.book.on_disk())
        if NAME in self.desk.open:
            self.now(self.desk.engine.save, self.desk.path(NAME))

    @is_open
    @rule(chance=chances, texts=st.lists(st.sampled_from(CELLS), max_size=2), delete=st.integers(0, 1))
    def cells_come_and_go(self, chance: random.Random, texts: list[str], delete: int) -> None:
        self.book.put(chance.randint(0, len(self.book.texts)), *texts, delete=delete)
        self._tell()

    @is_open
    @rule(chance=chances)
    def a_cell_moves(self, chance: random.Random) -> None:
        start, to = self._cell(chance), self._cell(chance)
        if start is not None and to is not None:
            self.book.move(start, to)
            self._tell()

    @is_open
    @rule(chance=chances)
    def a_cell_turns(self, chance: random.Random) -> None:
        if (cell := self._cell(chance)) is not None:
            self.book.turn(cell)
            self._tell()

    @is_open
    @rule(chance=chances, edit=st.sampled_from(EDITS))
    def a_cell_is_edited(self, chance: random.Random, edit: Any) -> None:
        if (cell := self._cell(chance)) is not None:
            self.book.type(cell, edit(self.book.texts[cell], chance))
            self._tell()

    @is_open
    @rule(chance=chances, comes=st.booleans())
    def a_cell_breaks(self, chance: random.Random, comes: bool) -> None:
        """And is mended."""
        self._mend()
        cell = self._cell(chance)
        if cell is None or not self.book.is_code(cell):
            return
        whole = self.book.texts[cell]
        line = chance.randrange(whole.count("\n") + 1)
        half = Break("", line + 1, comes).text(whole)
        if is_half("\n".join(plain(half))):
            broken = Break(self.desk.path(NAME), self.book.line(cell) + line, comes)
            self.book.type(cell, half)
            self.wait(self._break(NAME, self.book.whole, broken))
            self.book.type(cell, whole)
            self._tell()

    def the_server_starts_anew(self) -> None:
        if NAME in self.desk.open:
            self.book.reopen()
            self.desk.open[NAME] = self.book.whole
        super().the_server_starts_anew()

    def _mend(self) -> None:
        super()._mend()
        for cell, text in enumerate(self.book.texts):
            if NAME in self.desk.open and not parses("\n".join(plain(text))):
                self.book.type(cell, "pass")
                self._tell()
