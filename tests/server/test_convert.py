"""Positions in three encodings, there and back, inside and outside the text."""

from __future__ import annotations

import pytest
from lsprotocol import types

from fx_lsp.model.span import Span
from fx_lsp.server.convert import Border, to_path, to_uri

TEXT = "é = 1\n😀x = y\r\n\f\tz = 'a'"


@pytest.mark.parametrize(("encoding", "character"), [("utf-16", 3), ("utf-8", 5), ("utf-32", 2)])
def test_columns_are_counted_as_the_client_counts(encoding: str, character: int) -> None:
    border = Border(encoding)
    assert border.position_out(TEXT, 2, 5) == types.Position(1, character)
    assert border.position_in(TEXT, types.Position(1, character)) == (2, 5)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
def test_every_character_survives_the_round_trip(encoding: str) -> None:
    border = Border(encoding)
    for number, line in enumerate(TEXT.replace("\r\n", "\n").split("\n"), 1):
        for index in range(len(line) + 1):
            column = len(line[:index].encode())
            assert border.position_in(TEXT, border.position_out(TEXT, number, column)) == (number, column)


def test_positions_outside_are_brought_inside() -> None:
    border = Border()
    assert border.position_out(TEXT, 0, 3) == types.Position(0, 0)
    assert border.position_out(TEXT, 99, 3) == types.Position(2, 9)
    assert border.position_out(TEXT, 1, 99) == types.Position(0, 5)
    assert border.position_out(TEXT, 1, -1) == types.Position(0, 0)
    assert border.position_in(TEXT, types.Position(99, 0)) == (3, 9)
    assert border.position_in(TEXT, types.Position(0, 99)) == (1, 6)


def test_a_column_inside_a_character_is_before_it() -> None:
    assert Border().position_out(TEXT, 1, 1) == types.Position(0, 0)
    assert Border().position_in(TEXT, types.Position(1, 1)) == (2, 0)


def test_a_range_never_ends_before_it_starts() -> None:
    found = Border().range_out(TEXT, Span("f.py", 2, 4, 1, 0))
    assert found == types.Range(types.Position(1, 2), types.Position(1, 2))


@pytest.mark.parametrize(
    ("start", "end", "new", "expected"),
    [
        ((0, 0), (0, 1), "e", "e = 1\n😀x = y\r\n\f\tz = 'a'"),
        ((1, 2), (1, 3), "", "é = 1\n😀 = y\r\n\f\tz = 'a'"),
        ((0, 5), (1, 0), "", "é = 1😀x = y\r\n\f\tz = 'a'"),
        ((2, 9), (2, 9), "\n", TEXT + "\n"),
        ((7, 0), (9, 0), "end", TEXT + "end"),
        ((2, 1), (2, 2), " ", "é = 1\n😀x = y\r\n\f z = 'a'"),
    ],
)
def test_edits(start: tuple[int, int], end: tuple[int, int], new: str, expected: str) -> None:
    change = types.TextDocumentContentChangePartial(types.Range(types.Position(*start), types.Position(*end)), new)
    assert Border().edited(TEXT, change) == expected


def test_a_whole_text_replaces_the_old_one() -> None:
    assert Border().edited(TEXT, types.TextDocumentContentChangeWholeDocument("new")) == "new"


def test_uris() -> None:
    assert to_path(to_uri("/home/a b/é#?.py")) == "/home/a b/é#?.py"
    assert to_path("untitled:Untitled-1") is None
