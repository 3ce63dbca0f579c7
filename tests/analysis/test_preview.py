"""Source with hints inside, as a terminal shows it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fx_lsp.analysis.highlight import highlight
from fx_lsp.analysis.preview import render
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.span import Span
from tests.analysis.facts import PATH, snapshot

SOURCE = """
class Net:
#     ^^^ class f32[2] -> f32[2]
    def forward(self, x):
#                     ^ param f32[2]
        '''Text
        of 3 lines.'''
        é = f"{x}" + x.sum(1)  # sum
#       ^ bind f32[2]
#                    ^^^^^^^^ fail sizes differ
"""
STYLE = re.compile("\x1b\\[[0-9;]*m")


def test_problems_stand_below_their_place() -> None:
    assert render(snapshot(SOURCE), colour=False).split("\n")[-2:] == [
        '        é⟦f32[2]⟧ = f"{x}" + x.sum(1)  # sum',
        "                     ^^^^^^^^ error: sizes differ",
    ]


def test_colours_change_nothing_else() -> None:
    made = snapshot(SOURCE)
    plain = render(made, colour=False).replace("⟦", ": ").replace("⟧", "")
    assert STYLE.sub("", render(made, colour=True)) == plain


def test_every_colour_ends() -> None:
    for line in render(snapshot(SOURCE), colour=True).split("\n"):
        styles = STYLE.findall(line)
        assert styles[1::2] == ["\x1b[0m"] * (len(styles) // 2)
        assert "\x1b[0m" not in styles[::2]


def test_only_kinds_that_are_enabled() -> None:
    assert "⟦" not in render(snapshot(SOURCE), colour=False, enabled=())


def test_problems_of_any_shape() -> None:
    text = "if a:\n\tb = (1,\n2)\n"
    spans = [(2, 1, 3, 2), (2, 1, 2, 2), (1, 0, 1, 0), (9, 3, 9, 4)]
    found = tuple(Problem(Span(PATH, *span), "warning", "bad-directive", f"no {span}") for span in spans)
    assert render(Snapshot(PATH, text, problems=found), colour=False).split("\n") == [
        "if a:",
        "^ warning: no (1, 0, 1, 0)",
        "\tb = (1,",
        "\t^ warning: no (2, 1, 2, 2)",
        "\t^^^^^^^ warning: no (2, 1, 3, 2)",
        "2)",
        "",
        "^ warning: no (9, 3, 9, 4)",
    ]


def test_an_empty_file() -> None:
    assert render(Snapshot(PATH, ""), colour=True) == ""


def test_windows_line_ends_do_not_disturb() -> None:
    made = snapshot(SOURCE)
    text = render(replace(made, text=made.text.replace("\n", "\r\n")), colour=False)
    assert text == render(made, colour=False)


@pytest.mark.parametrize("colour", [True, False])
def test_text_that_is_not_python_is_shown_too(colour: bool) -> None:
    made = Snapshot(PATH, "def f(:\n  '''x\n", pending=True)
    assert STYLE.sub("", render(made, colour)) == made.text


def test_styles() -> None:
    styles = highlight("def f(x):  # é\n    return '''a\n b''' + 1\n")
    assert styles == {
        1: [(0, 3, "keyword"), (4, 5, "definition"), (11, 14, "comment")],
        2: [(4, 10, "keyword"), (11, 15, "string")],
        3: [(0, 5, "string"), (8, 9, "number")],
    }
