"""Several calls of the same lines: which there are, and that the chosen one is shown first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fx_lsp.analysis.calls import of_class, of_line
from fx_lsp.analysis.hints import all_hints
from fx_lsp.analysis.hover import hover
from fx_lsp.analysis.lenses import lenses
from fx_lsp.analysis.snapshot import Choice, Snapshot
from fx_lsp.model.trace import Variant
from tests.analysis.facts import aged, snapshot, tensor
from tests.analysis.test_lenses import titles

SOURCE = """
def helper(x):
#          ^ param f32[1]|f32[2]
    pass
class Block(nn.Module):
#     ^^^^^ class f32[1, 1, 1] -> f32[1, 9, 1]
    def forward(self, x):
    #                 ^ param f32[1, 1, 1]|f32[2, 2, 2]|f32[3, 3, 3]
        h = fc(x)
    #   ^ bind f32[1, 9, 1]|f32[2, 9, 2]|f32[3, 9, 3]
        return h
    #   ^^^^^^ bind f32[1, 9, 1]|f32[2, 9, 2]|f32[3, 9, 3]
"""


def labels(made: Snapshot) -> list[str]:
    return [hint.label for hint in all_hints(made)]


def test_calls_of_a_class() -> None:
    calls = of_class(snapshot(SOURCE), 4)
    assert [(one.choice.shown, one.modules, one.shown) for one in calls] == [
        ("m0", ("m0",), True),
        ("m1", ("m1",), False),
        ("m2", ("m2",), False),
    ]
    assert (calls[1].inputs, calls[1].output) == ((tensor("f32[2, 2, 2]"),), tensor("f32[2, 9, 2]"))
    assert of_class(snapshot(SOURCE), 1) == []


def test_calls_that_are_alike_are_one() -> None:
    made = snapshot(SOURCE)
    (trace,) = made.traces
    same = tuple(
        replace(one, variants=(Variant(one.variants[0].value, ("m0", "m1"), 2),)) for one in trace.reply.bindings
    )
    alike = replace(made, traces=(replace(trace, reply=replace(trace.reply, bindings=same)),))
    assert of_class(alike, 4) == []


def test_the_chosen_call_of_a_class_is_shown_first_everywhere_in_it() -> None:
    made = snapshot(SOURCE, chosen=(Choice("Block", "m1"),))
    assert labels(made) == ["f32[1|2]", "f32[2, 2, 2] +2", "f32[2, 9, 2] +2", "f32[2, 9, 2] +2"]
    assert [one.shown for one in of_class(made, 4)] == [False, True, False]
    assert titles(made) == ["f32[2, 2, 2] → f32[2, 9, 2] · m1 in Block · from call"]
    assert [(lens.call, lens.calls) for lens in lenses(made)] == [(2, 3)]
    found = hover(made, 5, 8)
    assert found is not None
    assert found.markdown.index("f32[2, 9, 2]") < found.markdown.index("f32[1, 9, 1]")


def test_values_of_a_line() -> None:
    made = snapshot(SOURCE)
    assert [(one.choice.shown, one.shown) for one in of_line(made, 1)] == [("f32[1]", True), ("f32[2]", False)]
    chosen = of_line(made, 1)[1].choice
    assert chosen == Choice("def helper(x):", "f32[2]", "x")
    shown = replace(made, chosen=(chosen,))
    assert labels(shown)[0] == "f32[2] +1"
    assert [(one.choice.shown, one.shown) for one in of_line(shown, 1)] == [("f32[1]", False), ("f32[2]", True)]
    assert of_line(made, 2) == []


def test_a_line_has_its_own_choice_before_that_of_its_class() -> None:
    made = snapshot(SOURCE, chosen=(Choice("Block", "m1"), Choice("h = fc(x)", "f32[3, 9, 3]", "h")))
    assert labels(made)[1:] == ["f32[2, 2, 2] +2", "f32[3, 9, 3] +2", "f32[2, 9, 2] +2"]


@pytest.mark.parametrize("gone", [Choice("Block", "m7"), Choice("Other", "m1"), Choice("h = fc(y)", "f32[2]", "h")])
def test_a_choice_of_what_is_not_there_changes_nothing(gone: Choice) -> None:
    assert labels(snapshot(SOURCE, chosen=(gone,))) == labels(snapshot(SOURCE))


def test_a_choice_holds_while_the_facts_are_of_an_older_text() -> None:
    made = aged(snapshot(SOURCE, chosen=(Choice("Block", "m1"),)))
    assert labels(made)[1] == "f32[2, 2, 2] +2"
