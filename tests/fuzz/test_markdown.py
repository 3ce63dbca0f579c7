"""Text of a stranger in Markdown, in lenses and in notifications: nothing in it becomes active."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fx_lsp.analysis.markdown import code, plain, title
from fx_lsp.analysis.visible import visible
from tests.fuzz import hostile

PARSER = MarkdownIt("gfm-like", {"linkify": False, "html": True})
HARMLESS = {"paragraph_open", "paragraph_close", "inline", "text", "text_special", "code_inline", "softbreak"}
ACTIVE = re.compile(r"\$\([A-Za-z0-9~-]+\)|\[[^\]]+\]\((?:https?:|command:|file:)")
"""What VS Code finds in texts that are not Markdown: icons and links."""


def kinds(markdown: str) -> set[str]:
    """Of all that a parser sees, HTML among it."""
    tokens = PARSER.parse(markdown)
    return {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}


@given(hostile.texts, hostile.texts)
@example("`", "`")
@example("\\", "[x](command:y)")
@example("a\n\n# b", "<b>")
@example("``` x", "\n```\n<img>")
@example("1. x", "- y")
@example("    x", "| a | b |\n|---|---|")
def test_nothing_becomes_active(one: str, other: str) -> None:
    for made in (
        f"in {code(one)} and {code(other)}",
        f"from {plain(one)}: {code(other)}",
        f"{plain(one)}\n\n{plain(other)}",
    ):
        assert kinds(made) <= HARMLESS, made
        assert visible(made, keep="\n") == made


@given(hostile.texts)
def test_what_is_shown_is_what_was_said(text: str) -> None:
    shown = PARSER.renderInline(f"x{plain(text)}")
    expected = visible(" ".join(text[:32_000].split()))
    plain_text = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    assert plain_text.startswith(f"x{expected}"[:3000].rstrip())


@given(st.one_of(hostile.texts, st.text("$()[]a:~-\\", max_size=30)))
@example("$(trash)")
@example("$$((trash)")
@example("[x](command:workbench.action.quit)")
def test_no_icon_and_no_link_in_a_title(text: str) -> None:
    assert ACTIVE.search(title(text)) is None


@pytest.mark.parametrize("text", hostile.NASTY)
def test_code_keeps_the_text(text: str) -> None:
    (paragraph,) = [token for token in PARSER.parse(code(text)) if token.type == "inline"] or [None]
    if paragraph is not None and paragraph.children:
        assert [child.type for child in paragraph.children] == ["code_inline"]
