"""Hints: place, label and absence, all in the text."""

from dataclasses import replace

import pytest

from fx_lsp.analysis import hints
from fx_lsp.analysis.hints import HintKind, all_hints, tooltip
from fx_lsp.analysis.preview import render
from tests.analysis.facts import snapshot

def test_names() -> None:
    source = "if h:\n   h = fc(x)\n#  ^ bind f32[8, 64]\n   é = h; return é\n#  ^ bind f32[u0=5, 3]|f32[u0=6, 3]|f32[4]\n"
    text = render(snapshot(source), colour=False)
    assert text == "if h:\n   h⟦f32[8, 64]⟧ = fc(x)\n   é⟦f32[u0, 3] +1⟧ = h; return é"


def test_enabled_kinds_only() -> None:
    source = "if h:\n   h = fc(x); return h\n#  ^ bind f32[8]\n#             ^^^^^^ bind f32[8]\n"
    assert [hint.kind for hint in all_hints(snapshot(source))] == ["assignment", "result"]
    assert [hint.kind for hint in all_hints(snapshot(source), {"result"})] == ["result"]


def test_traces_at_one_place_are_merged() -> None:
    one = snapshot("if h:\n   h = f(x)\n#  ^ bind f32[8]|f32[9]\n")
    two = snapshot("if h:\n   h = f(x)\n#  ^ bind f32[9]|f32[7]\n")
    (hint,) = all_hints(replace(one, traces=one.traces + two.traces))
    assert (hint.label, hint.examples) == ("f32[8] +2", (0, 1))
    assert [variant.count for variant in hint.variants] == [1, 2, 1]


def test_bindings_of_other_files_are_not_drawn_here() -> None:
    found = snapshot("if h:\n   h = f(x)\n#  ^ bind f32[8]\n", path="/w/other.py")
    assert all_hints(found) == ()


def test_tooltip_lists_variants_and_origin() -> None:
    found = snapshot("if h:\n   h = f(x)\n#  ^ bind f32[u0=5]|i64[3]\n")
    (hint,) = all_hints(found)
    assert tooltip(hint, found) == (
        "`f32[u0]` (this run: `f32[5]`) in m0  \n`i64[3]` in m1\n\nfrom call `Net()(f32[2])`"
    )


def test_a_kind_that_fails_is_logged_and_the_others_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> list[hints.Hint]:
        raise ValueError("no")

    real = hints.kinds()
    monkeypatch.setattr(hints, "kinds", lambda: (HintKind("broken", "", broken), *real))
    log: list[str] = []
    found = snapshot("if h:\n   h = f(x)\n#  ^ bind f32[8]\n")
    assert [hint.kind for hint in all_hints(found, log=log.append)] == ["assignment"]
    assert log == ["hint kind broken failed: ValueError: no"]
