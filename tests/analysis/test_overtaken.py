"""What of an older run may stand beside a newer one."""

from __future__ import annotations

from dataclasses import replace

from fx_lsp.analysis.overtaken import overtaken, without
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.trace import Variant
from fx_lsp.model.value import TensorType
from tests.analysis.facts import aged, snapshot

SOURCE = """
    def f(self, x, y):
    #           ^ param f32[2, {0}]
    #              ^ param f32[7]
        h = fc(x)
    #       ^^^^^ op linear f32[2, {0}] -> f32[2, 64]
    #   ^ bind f32[2, 64]
        k = h + y
    #   ^ bind f32[2, 64]
"""


def trace(width: int) -> Trace:
    return snapshot(SOURCE.format(width)).traces[0]


def names(found: Trace) -> list[str]:
    return [binding.name for binding in found.reply.bindings]


def test_what_changed_in_one_run_is_taken_out_of_the_others() -> None:
    places = overtaken([(trace(8), trace(9))])
    other = trace(16)
    left = without(other, places)
    assert (names(other), len(other.reply.operations)) == (["x", "y", "h", "k"], 1)
    assert (names(left), len(left.reply.operations)) == (["y", "h", "k"], 0)


def test_a_run_that_found_the_same_says_that_the_others_stand() -> None:
    assert overtaken([(trace(8), trace(8))]) == set()


def test_where_and_how_often_it_ran_is_no_difference() -> None:
    was = trace(8)
    bindings = tuple(
        replace(one, variants=tuple(replace(variant, modules=("other",), count=9) for variant in one.variants))
        for one in was.reply.bindings
    )
    assert overtaken([(was, replace(was, reply=replace(was.reply, bindings=bindings)))]) == set()


def test_a_dim_that_has_no_name_yet_is_no_difference() -> None:
    was = trace(8)
    value = was.reply.bindings[0].variants[0].value
    assert isinstance(value, TensorType)
    named = replace(was.reply.bindings[0], variants=(Variant(replace(value, names=("B", None))),))
    before = replace(was, reply=replace(was.reply, bindings=(named, *was.reply.bindings[1:])))
    assert overtaken([(before, was)]) == set()
    on_data = replace(named, variants=(Variant(replace(value, names=("u0", None))),))
    before = replace(was, reply=replace(was.reply, bindings=(on_data, *was.reply.bindings[1:])))
    assert overtaken([(before, was)]) == {named.span}


def test_a_place_that_is_new_is_the_newer_run_s() -> None:
    was = trace(8)
    cut = replace(was, reply=replace(was.reply, bindings=was.reply.bindings[:3]))
    (place,) = overtaken([(cut, was)])
    assert place == was.reply.bindings[3].span


def test_a_snapshot_is_stale_when_any_of_it_is() -> None:
    made = snapshot(SOURCE.format(8))
    mixed = replace(made, traces=made.traces + aged(made).traces)
    assert [one.stale for one in (made, mixed, aged(made))] == [False, True, True]
