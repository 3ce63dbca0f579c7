"""The code action that starts an example."""

from __future__ import annotations

import pytest

from fx_lsp.analysis.actions.insert_example import ACTION, MAX_LINE
from fx_lsp.analysis.snapshot import Snapshot
from tests.analysis.facts import changed, failing, snapshot

TRACED = "class Net(nn.Module):\n#     ^^^ class f32[2] -> f32[3]\n    def forward(self, x):\n        return x\n"
UNTRACED = TRACED.replace(" f32[2] -> f32[3]", "")
FAILED = "class Net:\n#     ^^^ class\n    y = f(x)\n#       ^^^^ fail no\n"


def applied(made: Snapshot, line: int) -> str | None:
    """The text with the edit that is on offer on a line."""
    edit = ACTION.find(made, line, 0)
    if edit is None:
        return None
    assert edit.path == made.path
    lines = made.text.splitlines(keepends=True)
    for span, text in edit.changes:
        assert (span.line, span.column) == (span.end_line, span.end_column)
        lines[span.line - 1] = lines[span.line - 1][: span.column] + text + lines[span.line - 1][span.column :]
    return "".join(lines)


def test_what_is_needed_is_there_to_be_filled_in() -> None:
    source = (
        "@register\nclass Net(nn.Module):\n#     ^^^ class\n    def __init__(self, width, depth=2, *, heads): ...\n"
        "    def forward(self, x, mask, y=None): ...\n"
    )
    made = snapshot(source, traces=())
    assert applied(made, 3) == ("# fx: Net(width=width, heads=heads)(x=f32[B, ...], mask=f32[B, ...])\n" + made.text)


@pytest.mark.parametrize("indent", ["    ", "\t"])
def test_the_comment_stands_like_the_class(indent: str) -> None:
    source = f"if True:\n{indent}class Net:\n{' ' * len(indent)}#     ^^^ class\n{indent}{indent}pass\n"
    made = snapshot(source, traces=())
    text = applied(made, 2)
    assert text is not None
    assert text.split("\n")[1] == f"{indent}# fx: Net()(f32[B, ...])"


def test_line_ends_stay_as_they_are() -> None:
    made = snapshot(UNTRACED, traces=())
    made = snapshot(UNTRACED, traces=(), text=made.text.replace("\n", "\r\n"))
    text = applied(made, 1)
    assert text is not None
    assert text.startswith("# fx: Net()(f32[B, ...])\r\nclass Net")


def test_inside_a_class_that_did_not_run() -> None:
    made = snapshot(UNTRACED, traces=())
    assert [applied(made, line) is not None for line in (1, 2, 3, 4)] == [True, True, True, False]
    assert applied(snapshot(UNTRACED, traces=(), pending=True), 1) is None


def test_an_example_that_was_found_can_be_written_down() -> None:
    made = snapshot(TRACED)
    assert applied(made, 1) == "# fx: Net()(f32[B])\n" + made.text
    assert applied(made, 2) is None


def test_what_cannot_be_written_in_one_line_or_is_written_already_is_not_on_offer() -> None:
    made = snapshot(TRACED)
    assert applied(changed(made, example={"setup": "if True:\n    cfg = Config()"}), 1) is None
    assert applied(changed(made, example={"setup": f"cfg = {'x' * MAX_LINE}"}), 1) is None
    assert applied(changed(made, example={"target": "GPT"}), 1) is None
    assert applied(snapshot(TRACED, "directive"), 1) is None


def test_a_candidate_that_failed_can_be_replaced_but_not_what_the_user_wrote() -> None:
    assert applied(snapshot(FAILED), 2) is not None
    assert applied(snapshot(FAILED, "directive"), 1) is None
    assert applied(failing(snapshot(FAILED, "default"), stage="construct"), 1) is not None


def test_not_in_a_text_that_does_not_parse() -> None:
    assert applied(snapshot(TRACED, text="class Net("), 1) is None
    assert applied(snapshot(UNTRACED, text="class Net(", traces=()), 1) is None


def test_statements_come_before_the_call() -> None:
    made = changed(snapshot(TRACED), example={"setup": "from a import b\ncfg = Config('\\n')"})
    text = applied(made, 1)
    assert text is not None
    assert text.split("\n")[0] == r"# fx: from a import b; cfg = Config('\n'); Net()(f32[B])"
