"""Texts that mean the same: what stays, what moves where, and what is another meaning."""

from __future__ import annotations

import ast
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fx_lsp.analysis.meaning import moves
from fx_lsp.model.span import Span
from tests.analysis.rewording import SOURCES, rewordings

PATH = "/w/model.py"


def bare(text: str) -> ast.Module:
    """The tree without docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        if documented and node.body and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return tree


def span(node: ast.expr | ast.stmt) -> Span:
    end_line, end_column = node.end_lineno or 0, node.end_col_offset or 0
    return Span(PATH, node.lineno, node.col_offset, end_line, end_column)


def head(node: ast.Return | ast.arg, width: int) -> Span:
    return Span(PATH, node.lineno, node.col_offset, node.lineno, node.col_offset + width)


def in_strings(tree: ast.AST) -> set[int]:
    """Nodes inside f-strings, whose places before 3.12 are not those of the file."""
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    return {id(inner) for string in strings for inner in ast.walk(string) if inner is not string}


def check(old: str, new: str) -> None:
    """Each expression and statement of the old text is found where the new one has it."""
    found = moves(PATH, old, new)
    assert found is not None
    before, after = bare(old), bare(new)
    strange = in_strings(before) if sys.version_info < (3, 12) else set()
    for one, other in zip(ast.walk(before), ast.walk(after), strict=True):
        if isinstance(one, (ast.expr, ast.stmt)) and id(one) not in strange:
            assert isinstance(other, (ast.expr, ast.stmt))
            assert found.span(span(one)) == span(other), ast.dump(one)
        if isinstance(one, ast.stmt):
            assert isinstance(other, ast.stmt)
            assert found.line(one.lineno) in (other.lineno, None)
        for kind, width in ((ast.Return, len("return")), (ast.arg, len(getattr(one, "arg", None) or ""))):
            if isinstance(one, kind):
                assert isinstance(other, kind)
                assert found.span(head(one, width)) == head(other, width)


@given(rewordings())
def test_everything_is_found_where_it_is_now(texts: tuple[str, str]) -> None:
    check(*texts)
    check(*reversed(texts))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = f(a, b)", "x = f(\n    a,\n    b,\n)"),
        ("x = f('a')", 'x = f("a")'),
        ("x = a + b", "x = (a\n     + b)"),
        ("x = a; y = b", "x = a\ny = b"),
        ("class A:\n    pass", "class A:\n    '''Now with one.'''\n    pass"),
        ("def f(x: int):\n\treturn x", "def f( x : int ) :\n        return x"),
        ("y = f'é {x} {x!r:>{w}}'", "# moved\ny =     f'é {x} {x!r:>{w}}'"),
        ("if a:\n  b", "if a: b"),
    ],
)
def test_other_wordings(old: str, new: str) -> None:
    check(old, new)
    check(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = 1", "x = 2"),
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = -0.0", "x = 0.0"),
        ("x = 'a b'", "x = 'a  b'"),
        ("x = f'{a=}'", "x = f'{a =}'"),
        ("x = f'{a}'", "x = f'{b}'"),
        ("x = (a)", "x = (a,)"),
        ("f(a)(b)", "f((a)(b))"),
        ("a\nb", "b\na"),
        ("if a:\n    b\nc", "if a:\n    b\n    c"),
        ("def f():\n    'doc'\n    g()", "def f():\n    f'doc'\n    g()"),
        ("def f():\n    g()\n    'a'", "def f():\n    g()\n    'b'"),
        ("x = 'doc'\n", "'doc'\n"),
        ("global a", "global b"),
        ("{**a}", "{a: a}"),
        ("x = 1", "x = ("),
        ("x = (", "x = ( "),
        ("x = 1", ""),
    ],
)
def test_other_meanings(old: str, new: str) -> None:
    assert moves(PATH, old, new) is None
    assert moves(PATH, new, old) is None


def test_what_two_things_share_they_must_go_on_sharing() -> None:
    found = moves(PATH, "def f():\n    a; b\n    c()", "def f():\n    a\n    b\n    (c())")
    assert found is not None
    assert found.line(2) is None
    assert found.line(3) == 4
    assert found.span(Span(PATH, 3, 4, 3, 7)) is None  # the statement begins before its expression now
    assert found.span(Span(PATH, 2, 4, 2, 5)) == Span(PATH, 2, 4, 2, 5)


def test_other_files_stay_where_they_are() -> None:
    found = moves(PATH, "x = 1", "\nx = 1")
    assert found is not None
    elsewhere = Span("/w/other.py", 1, 0, 1, 1)
    assert found.span(elsewhere) is elsewhere
    assert found.span(Span(PATH, 2, 0, 2, 3)) is None


def test_an_f_string_goes_along_as_a_whole() -> None:
    old, new = "y = f'''{x}\n  {z}'''", "\n(\n    y\n) = f'''{x}\n  {z}'''"
    found = moves(PATH, old, new)
    assert found is not None
    assert found.span(Span(PATH, 1, 9, 1, 10)) == Span(PATH, 4, 9, 4, 10)
    assert found.span(Span(PATH, 2, 3, 2, 4)) == Span(PATH, 5, 3, 5, 4)
    requoted = moves(PATH, "y = f'{x}'", 'y = f"{x}"')
    assert requoted is not None
    assert requoted.span(Span(PATH, 1, 7, 1, 8)) is None


@pytest.mark.parametrize("deep", ["x = " + "(a + " * 150 + "{}" + ")" * 150, "x = " + "a + " * 2000 + "{}"])
def test_what_is_deep_is_compared_to_its_end(deep: str) -> None:
    assert moves(PATH, deep.format("b"), deep.format("c")) is None
    found = moves(PATH, deep.format("b"), "# c\n" + deep.format("b"))
    assert found is not None
    assert found.span(Span(PATH, 1, 0, 1, 1)) == Span(PATH, 2, 0, 2, 1)


EDIT = st.tuples(st.integers(0, 900), st.integers(0, 3), st.text("ab# \n\t'\"(),:é1", max_size=3))


@given(st.sampled_from(SOURCES), st.lists(EDIT, max_size=2))
@example("x = f(1,\n      2)\n", [(6, 0, "\n")])
def test_nothing_else_means_the_same(text: str, edits: list[tuple[int, int, str]]) -> None:
    new = text
    for start, length, put in edits:
        new = new[:start] + put + new[start + length :]
    if moves(PATH, text, new) is not None:
        assert ast.dump(bare(text)) == ast.dump(bare(new))
        check(text, new)
