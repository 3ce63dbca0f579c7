"""Texts, trees and encodings."""

from __future__ import annotations

import pytest

from fx_lsp.analysis.source import SourceError, decode, parse


def test_tree_of_a_good_text():
    source = parse("/w/a.py", "x = 1\n")
    assert source.tree is not None
    assert source.error is None


def test_place_of_a_syntax_error_counts_bytes():
    source = parse("/w/a.py", "é = 'é' )\n")
    assert source.tree is None
    assert source.error is not None
    assert (source.error.line, source.error.column) == (1, len("é = 'é' ".encode()))


@pytest.mark.parametrize("text", ["\0", "(" * 300 + ")" * 300, "x = " + "-" * 100_000 + "1"])
def test_texts_that_no_parser_likes(text):
    source = parse("/w/a.py", text)
    assert source.tree is None
    assert source.error is not None
    assert source.error.message


def test_invalid_escapes_print_nothing(recwarn):
    parse("/w/a.py", "x = '\\d'\n")
    assert not recwarn.list


def test_form_feed_is_no_line_end():
    assert parse("/w/a.py", "a = 1\n\x0cb = 2\r\nc = 3").lines == ["a = 1", "\x0cb = 2", "c = 3"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = '\xc3\xa9'", "x = 'é'"),
        (b"\xef\xbb\xbfx = 1", "x = 1"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'", "# -*- coding: latin-1 -*-\nx = 'é'"),
    ],
)
def test_decode(data, text):
    assert decode(data) == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x = 1\ny = '\xe9'", "the file is not UTF-8: byte 0xe9 on line 2"),
        (b"# coding: nonsense\n", "unknown encoding nonsense"),
        (b"\x7fELF\0\0\0", "the file contains null bytes: it is not Python source"),
        (b"# coding: ascii\nx = '\xe9'", "the file is not ascii: byte 0xe9 on line 2"),
    ],
)
def test_not_decodable(data, message):
    with pytest.raises(SourceError, match=message):
        decode(data)


def test_bindings_at_module_level():
    source = parse(
        "/w/a.py",
        "import a.b, c as d\nfrom e import f as g\nif d:\n    x = y = 1\nelse:\n    (p, *q) = 1, 2\n"
        "try:\n    def h(): inner = 1\nexcept E:\n    class K: z = 1\nif __name__ == '__main__':\n    hidden = 1\n",
    )
    assert set(source.bindings) == {"a", "d", "g", "x", "y", "p", "q", "h", "K"}
