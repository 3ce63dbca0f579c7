"""Old facts follow the lines that did not change; nothing lands on a line it was not made for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.analysis.hints import all_hints
from fx_lsp.analysis.moved import moved
from fx_lsp.analysis.preview import render
from tests.analysis.facts import snapshot

SOURCE = """
class Net(nn.Module):
#     ^^^ class f32[2] -> f32[3]
    def forward(self, x):
        h = self.fc(x)
#       ^ bind f32[8]
#           ^^^^^^^^^^ op linear f32[2] -> f32[8]
        y = h + 1
#       ^ bind f32[9]
        return y
#       ^^^^^^ bind f32[9]
"""
TEXT = snapshot(SOURCE).text


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (("h + 1", "h + 2"), ["h", "return"]),
        (("class", "# new\n\nclass"), ["h", "y", "return"]),
        (("        y = h + 1\n", ""), ["h", "return"]),
        (("        h = self.fc(x)\n", "        h = self.fc(x)\n        h = self.fc(x)\n"), ["h", "y", "return"]),
        (("return y", "return y  # é"), ["h", "y"]),
    ],
)
def test_edit(edit: tuple[str, str], expected: list[str]) -> None:
    text = TEXT.replace(*edit)
    after = moved(snapshot(SOURCE), text)
    assert after.text == text
    assert after.stale
    assert [hint.name for hint in all_hints(after)] == expected
    for hint in all_hints(after):
        line = text.split("\n")[hint.span.line - 1]
        assert line[hint.span.column : hint.span.end_column] == hint.name


def test_same_text_changes_nothing() -> None:
    before = snapshot(SOURCE)
    assert moved(before, before.text) is before


def test_classes_and_failures_move_too() -> None:
    before = snapshot("class Net:\n#     ^^^ class\n    a = 1\n    b = f(x)\n#       ^^^^ fail no\n")
    after = moved(before, "\n" + before.text)
    assert after.modules[0].line == 2
    assert after.modules[0].name_span.line == 2
    failure = after.traces[0].reply.failure
    assert failure is not None
    assert failure.span is not None
    assert failure.span.line == 4
    edited = moved(before, before.text.replace("f(x)", "g(x)")).traces[0].reply.failure
    assert edited is not None
    assert (edited.stage, edited.span) == ("cancelled", None)


@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, 6), st.text("ab \n=", max_size=4)), max_size=6))
def test_no_hint_on_a_line_of_another_text(edits: list[tuple[int, int, str]]) -> None:
    after = snapshot(SOURCE)
    for start, length, text in edits:
        after = moved(after, after.text[:start] + text + after.text[start + length :])
    for hint in all_hints(after):
        line = after.text.split("\n")[hint.span.line - 1]
        assert line in TEXT.split("\n")
        assert line[hint.span.column : hint.span.end_column] == hint.name
    render(after, colour=True)
