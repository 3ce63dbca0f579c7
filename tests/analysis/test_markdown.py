"""Text of user code inside Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.analysis.markdown import code, flat, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("f32[2, 3]", "`f32[2, 3]`"),
        ("a`b", "``a`b``"),
        ("`a`", "`` `a` ``"),
        ("``", "``` `` ```"),
        ("a\n  b", "`a b`"),
        ("", ""),
    ],
)
def test_code(text: str, shown: str) -> None:
    assert code(text) == shown


def test_plain() -> None:
    assert plain("<b>*x*\n# y") == r"\<b\>\*x\* \# y"


@given(st.text())
def test_nothing_gets_out_of_a_code_span(text: str) -> None:
    shown = code(text)
    fence = shown[: len(shown) - len(shown.lstrip("`"))]
    inside = shown[len(fence) : len(shown) - len(fence)]
    assert "\n" not in shown
    assert fence not in inside.replace("`" + fence, "").replace(fence + "`", "") or not fence


def test_flat() -> None:
    assert flat(" a\t b \n") == "a b"
    assert flat("abcdef", 4) == "abc…"
