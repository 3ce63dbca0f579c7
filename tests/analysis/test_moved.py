"""Old facts follow the lines that did not change; nothing lands on a line it was not made for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.hints import all_hints
from fx_lsp.analysis.moved import moved
from fx_lsp.analysis.preview import render
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Reached
from tests.analysis.facts import PATH, changed, snapshot

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


def test_a_span_of_several_lines_needs_them_all() -> None:
    before = snapshot("if x:\n    y = f(\n#   ^ bind f32[8]\n        1,\n    )\n")
    (binding,) = before.traces[0].reply.bindings
    long = replace(binding, span=replace(binding.span, end_line=4, end_column=5))
    before = changed(before, bindings=(long,))
    lines = before.text.split("\n")
    above = moved(before, "\n".join(["", *lines]))
    assert [(hint.span.line, hint.span.end_line) for hint in all_hints(above)] == [(3, 5)]
    inside = moved(before, "\n".join([*lines[:2], "", *lines[2:]]))
    assert all_hints(inside) == ()


def test_a_class_grows_with_what_is_written_in_it() -> None:
    before = snapshot("class Net:\n#     ^^^ class\n    a = 1\n    b = 2\nclass Other:\n#     ^^^^^ class\n    pass\n")
    after = moved(before, before.text.replace("a = 1", "a = 1\n    c = 3").replace("b = 2", "b = 4"))
    assert [(module.line, module.end_line) for module in after.modules] == [(1, 4), (5, 6)]
    renamed = moved(before, before.text.replace("Net", "Nets"))
    assert [module.name for module in renamed.modules] == ["Other"]


def test_an_example_that_is_edited_takes_its_failure_along() -> None:
    source = "# fx: Net()\nclass Net:\n#     ^^^ class\n    b = f(x)\n#       ^^^^ fail no\n"
    before = changed(snapshot(source, "directive"), example={"span": Span(PATH, 1, 6, 1, 11)})
    assert [problem.code for problem in all_problems(before)] == ["trace-failure"]
    after = moved(before, before.text.replace("Net()", "Net(1)"))
    assert after.traces[0].example.span is None
    assert all_problems(after) == ()


def test_mistakes_move_with_what_explains_them() -> None:
    related = ((Span(PATH, 2, 0, 2, 1), "here"), (Span("/w/other.py", 9, 0, 9, 1), "there"))
    problem = Problem(Span(PATH, 1, 0, 1, 1), "error", "bad-directive", "no", related)
    before = Snapshot(PATH, "a\nb\nc", problems=(problem,))
    (after,) = moved(before, "\na\nb\nc").problems
    assert (after.span.line, [span.line for span, _ in after.related]) == (2, [3, 9])
    (after,) = moved(before, "a\nB\nc").problems
    assert [text for _, text in after.related] == ["there"]
    assert moved(before, "A\nb\nc").problems == ()


def test_windows_line_ends() -> None:
    before = snapshot(SOURCE)
    before = replace(before, text=before.text.replace("\n", "\r\n"))
    after = moved(before, "\r\n" + before.text)
    assert [hint.span.line for hint in all_hints(after)] == [4, 5, 6]


def test_lines_that_did_not_run() -> None:
    before = changed(snapshot(SOURCE), reached=(Reached(PATH, (2, 4)), Reached("/w/other.py", (2,))))
    after = moved(before, "\n" + before.text.replace("h + 1", "h + 2"))
    assert [entry.unreached for entry in after.traces[0].reply.reached] == [(3,), (2,)]


def test_a_file_that_is_replaced_as_a_whole() -> None:
    text = "\n".join(f"x = {number % 7}" for number in range(6000))
    before = Snapshot(PATH, text, traces=snapshot(SOURCE).traces)
    after = moved(before, "\n".join(reversed([*text.split("\n"), "y = 1"])))
    assert after.stale


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
