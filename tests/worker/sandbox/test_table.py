"""The table of layers: what is applied when, what is said of the rest, and that a failure ends the process."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator

import pytest

from fx_lsp.model import wire
from fx_lsp.model.sandbox import LayerReport, Policy
from fx_lsp.worker import sandbox
from fx_lsp.worker.sandbox import _landlock, _seccomp
from fx_lsp.worker.sandbox._layer import Layer
from tests.worker.sandbox.confined import needs_linux, outcome

STAGES = ("launcher", "zygote", "child")


def test_stages_come_in_the_order_of_the_processes() -> None:
    places = [STAGES.index(layer.stage) for layer in sandbox.LAYERS]
    assert places == sorted(places)


def test_a_layer_is_named_by_its_name_and_stage() -> None:
    assert len({(layer.name, layer.stage) for layer in sandbox.LAYERS}) == len(sandbox.LAYERS)


def test_what_a_layer_protects_from_is_one_sentence() -> None:
    for layer in sandbox.LAYERS:
        assert layer.protects[0].isupper()
        assert layer.protects.endswith(".")
        assert layer.protects.count(".") == 1


def test_reports_can_be_sent() -> None:
    for report in sandbox.survey(Policy()):
        assert wire.decode(wire.encode(report)) == report


@needs_linux
def test_linux_has_them_all() -> None:
    assert {report.name: report.status for report in sandbox.survey(Policy())} == dict.fromkeys(
        [
            *("environment", "descriptors", "session", "capabilities", "limits"),
            *("landlock-base", "seccomp-base", "landlock-child", "seccomp-child"),
        ],
        "active",
    )


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this kernel had neither Landlock nor seccomp."""
    monkeypatch.setattr(_landlock, "version", lambda: 0)
    for module, why in ((_landlock, "no Landlock"), (_seccomp, "no seccomp")):
        known = module.available
        monkeypatch.setattr(module, "available", lambda why=why: why)
        for layer in sandbox.LAYERS:
            if layer.available is known:
                monkeypatch.setitem(layer.__dict__, "available", module.available)


@needs_linux
@pytest.mark.usefixtures("bare")
def test_what_is_missing_is_said_and_the_rest_applied() -> None:
    reports = {
        report.name: (report.status, report.why)
        for stage in ("launcher", "child")
        for report in applied(stage, Policy(off=("environment",)))
    }
    assert reports["landlock-base"] == reports["landlock-child"] == ("missing", "no Landlock")
    assert reports["seccomp-base"] == reports["seccomp-child"] == ("missing", "no seccomp")
    assert reports["limits"] == ("active", "")
    assert reports["environment"] == ("off", "left out by the configuration")


def applied(stage: str, policy: Policy) -> Iterator[LayerReport]:
    """What `apply` reports, in a process of its own."""
    for fields in outcome(lambda: [dataclasses.astuple(report) for report in sandbox.apply(stage, policy)]):
        yield LayerReport(*fields)


@needs_linux
@pytest.mark.parametrize("stage", STAGES)
def test_a_survey_tells_what_will_be_applied(stage: str) -> None:
    surveyed = [report for report in sandbox.survey(Policy()) if report.stage == stage]
    assert list(applied(stage, Policy())) == surveyed
    assert surveyed


@needs_linux
@pytest.mark.parametrize("name", sorted({layer.name for layer in sandbox.LAYERS if layer.platform in ("", "linux")}))
def test_every_layer_can_be_left_out(name: str) -> None:
    policy = Policy(off=(name,), bubblewrap=True)
    statuses = {report.name: report.status for report in sandbox.survey(policy)}
    assert statuses.pop(name) == "off"
    assert "off" not in statuses.values()


def test_layers_of_other_systems_are_not_spoken_of() -> None:
    names = {report.name for report in sandbox.survey(Policy())}
    assert ("job-object" in names) == (sys.platform == "win32")
    assert ("seatbelt" in names) == (sys.platform == "darwin")


def test_bubblewrap_is_spoken_of_only_where_it_is_asked_for() -> None:
    assert "bubblewrap" not in {report.name for report in sandbox.survey(Policy())}


@pytest.mark.parametrize("error", [OSError(1, "not permitted"), ValueError("too long")])
def test_a_layer_that_does_not_hold_ends_it(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def fail(policy: Policy) -> None:
        raise error

    first, second, third = (
        Layer(name, "child", "It protects.", apply)
        for name, apply in (("a", lambda policy: done.append("a")), ("b", fail), ("c", lambda policy: done.append("c")))
    )
    monkeypatch.setattr(sandbox, "LAYERS", (first, second, third))
    with pytest.raises(sandbox.SandboxError, match="layer b could not be applied"):
        sandbox.apply("child", Policy())
    assert done == ["a"]


@needs_linux
def test_a_refused_layer_ends_it_in_the_kernel_too() -> None:
    """A child cannot be restricted twice, since the first time took away the means."""

    def twice() -> str:
        sandbox.apply("child", Policy())
        try:
            sandbox.apply("child", Policy())
        except sandbox.SandboxError as error:
            return str(error)
        return "applied"

    assert "could not be applied" in outcome(twice)


@needs_linux
def test_a_child_is_restricted_quickly() -> None:
    """The budget is 2 ms of processor time; what is measured here holds on a machine that is busy with other tests."""

    def seconds() -> float:
        begun = os.times()
        sandbox.apply("child", Policy())
        ended = os.times()
        return ended.user - begun.user + ended.system - begun.system

    assert min(outcome(seconds) for _ in range(5)) <= 0.02
