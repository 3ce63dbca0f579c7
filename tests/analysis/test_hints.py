"""Hints: place, label and absence, all in the text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fx_lsp.analysis import hints
from fx_lsp.analysis.hints import HintKind, all_hints, tooltip
from fx_lsp.analysis.preview import render
from fx_lsp.model.failure import Failure
from fx_lsp.model.registry import collect
from fx_lsp.model.span import Span
from tests.analysis.facts import aged, changed, snapshot

ONE = "if h:\n   h = f(x)\n#  ^ bind {}\n"


def rendered(source: str) -> str:
    return render(snapshot(source), colour=False)


def test_every_binding_has_its_hint_and_nothing_else_has() -> None:
    source = """
        def f(self, x, n):
        #           ^ param f32[2, 8]
            h = fc(x)
        #   ^ bind f32[2, 64]
            print("no tensor here", h)
            return h
        #   ^^^^^^ bind f32[2, 64]
    """
    assert rendered(source) == (
        "def f(self, x⟦f32[2, 8]⟧, n):\n"
        "    h⟦f32[2, 64]⟧ = fc(x)\n"
        '    print("no tensor here", h)\n'
        "    return⟦f32[2, 64]⟧ h"
    )


def test_columns_are_bytes_and_several_fit_on_one_line() -> None:
    source = """
        if x:
            größe = f('😀'); y = größe; return y
        #   ^^^^^ bind f32[8]
        #                   ^ bind f32[9]
        #                              ^^^^^^ bind f32[10]
    """
    assert rendered(source) == "if x:\n    größe⟦f32[8]⟧ = f('😀'); y⟦f32[9]⟧ = größe; return⟦f32[10]⟧ y"


def test_variants_are_counted_by_what_is_seen() -> None:
    assert "h⟦f32[8, 1] +4⟧ = " in rendered(ONE.format("|".join(f"f32[{size}, 1]" for size in range(8, 13))))
    assert "h⟦f32[u0] +1⟧ = " in rendered(ONE.format("f32[u0=5]|f32[u0=6]|f32[4]"))


@pytest.mark.parametrize(
    ("values", "label"),
    [
        ("f32[2, 64, 56]|f32[2, 128, 56]", "f32[2, 64|128, 56]"),
        ("f32[B=2, 64, H=5]|f32[B=2, 128, H=5]", "f32[B, 64|128, H]"),
        ("f32[2, 64, 56]|f32[2, 128, 28]", "f32[2, 64|128, 56|28]"),
        ("f32[4, 4]|f32[8, 8]", "f32[4|8, 4|8]"),
        ("f32[1]|f32[2]|f32[3]|f32[4]", "f32[1|2|3|4]"),
        ("f32[1]|f32[2]|f32[3]|f32[4]|f32[5]", "f32[1] +4"),
        ("f32[1, 1, 1]|f32[2, 2, 2]", "f32[1, 1, 1] +1"),
        ("f32[1, 1]|f32[1, 2]|f32[2, 2]", "f32[1, 1] +2"),
        ("f32[H//2=4]|f32[H//4=2]", "f32[H//2] +1"),
        ("f32[8]|i64[8]", "f32[8] +1"),
        ("f32[8]|f32[8, 8]", "f32[8] +1"),
    ],
)
def test_several_sizes_of_a_dim_are_one_label_where_that_is_short(values: str, label: str) -> None:
    (hint,) = all_hints(snapshot(ONE.format(values)))
    assert hint.label == label


def test_the_tooltip_has_the_sizes_of_each_dim() -> None:
    made = snapshot(ONE.format("f32[2, 64, 56, 56]|f32[2, 128, 28, 28]|f32[2, 256, 14, 14]"))
    (hint,) = all_hints(made)
    assert hint.label == "f32[2, 64, 56, 56] +2"
    assert tooltip(hint, made).split("\n\n")[1] == "`dim 1 ∈ {64, 128, 256}; dims 2 and 3 ∈ {56, 28, 14}`"


def test_only_kinds_that_are_enabled() -> None:
    source = "if h:\n   h = fc(x); return h\n#  ^ bind f32[8]\n#             ^^^^^^ bind f32[8]\n"
    assert [hint.kind for hint in all_hints(snapshot(source))] == ["assignment", "result"]
    assert [hint.kind for hint in all_hints(snapshot(source), {"result"})] == ["result"]
    assert all_hints(snapshot(source), ()) == ()


@pytest.mark.parametrize("role", ["assign", "for", "with", "walrus", "comprehension", "match"])
def test_roles_of_assignments(role: str) -> None:
    made = snapshot(ONE.format("f32[8]"))
    (binding,) = made.traces[0].reply.bindings
    (hint,) = all_hints(changed(made, bindings=(replace(binding, role=role),)))
    assert hint.kind == "assignment"


def test_traces_at_one_place_are_merged() -> None:
    one, two = (snapshot(ONE.format(shapes)) for shapes in ("f32[8]|f32[9]", "f32[9]|f32[7]"))
    (hint,) = all_hints(replace(one, traces=one.traces + two.traces))
    assert (hint.label, hint.examples) == ("f32[8|9|7]", (0, 1))
    assert [(variant.count, variant.modules) for variant in hint.variants] == [
        (1, ("m0",)),
        (2, ("m1", "m0")),
        (1, ("m1",)),
    ]


def test_a_candidate_that_failed_is_not_shown_first() -> None:
    one, two = (snapshot(ONE.format(shapes)) for shapes in ("f32[8]", "f32[9]"))
    failed = changed(one, failure=Failure("trace", "no"))
    both = replace(one, traces=failed.traces + two.traces)
    (hint,) = all_hints(both)
    assert (hint.label, hint.examples) == ("f32[9|8]", (1, 0))
    stated = changed(failed, example={"origin": "directive"})
    (hint,) = all_hints(replace(both, traces=stated.traces + two.traces))
    assert (hint.label, hint.examples) == ("f32[8|9]", (0, 1))


def test_bindings_of_other_files_are_not_drawn_here() -> None:
    assert all_hints(snapshot(ONE.format("f32[8]"), path="/w/other.py")) == ()


def test_stale_facts_say_so() -> None:
    (hint,) = all_hints(aged(snapshot(ONE.format("f32[8]"))))
    assert hint.stale


def test_the_tooltip_lists_variants_modules_and_examples() -> None:
    made = snapshot(ONE.format("f32[u0=5]|i64[3]"))
    (hint,) = all_hints(made)
    assert tooltip(hint, made) == (
        "- `f32[u0]` · `f32[5]` in this run · in `m0`\n- `i64[3]` · in `m1`\n\n"
        "`u0`: depends on data\n\nfrom call: `Net()(f32[2])`"
    )


def test_the_tooltip_says_where_the_example_is_written_and_how_it_was_run() -> None:
    made = changed(
        aged(snapshot(ONE.format("f32[5]"))),
        example={"span": Span("/w/train.py", 7, 0, 7, 9)},
        engine="real",
        fallback="aten.nonzero",
        devices=("cuda",),
    )
    (hint,) = all_hints(made)
    assert tooltip(hint, made).split("\n\n")[1:] == [
        r"from call in train\.py: `Net()(f32[2])`",
        r"run on small real tensors, fake ones could not go on\: aten\.nonzero",
        r"asks for cuda, run on the CPU",
        "of an older text",
    ]


def test_the_tooltip_does_not_grow_without_end() -> None:
    made = snapshot(ONE.format("|".join(f"f32[{size}]" for size in range(40))))
    made = replace(made, traces=made.traces * 20)
    (hint,) = all_hints(made)
    text = tooltip(hint, made)
    assert "- and 28 more" in text
    assert "and 14 more examples" in text
    assert len(text.splitlines()) < 40


def test_a_kind_that_fails_is_logged_and_the_others_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> list[hints.Hint]:
        raise ValueError("no")

    real = hints.kinds()
    monkeypatch.setattr(hints, "kinds", lambda: (HintKind("broken", "", broken), *real))
    log: list[str] = []
    found = snapshot(ONE.format("f32[8]"))
    assert [hint.kind for hint in all_hints(found, log=log.append)] == ["assignment"]
    (entry,) = log
    assert entry.startswith("hint kind broken failed on /w/model.py:\nTraceback")
    assert "ValueError: no" in entry


def test_kinds_are_named_after_their_files() -> None:
    assert {name: kind.id for name, kind in collect(hints, "HINT").items()} == {
        "assignment": "assignment",
        "cost": "cost",
        "parameter": "parameter",
        "result": "result",
    }
