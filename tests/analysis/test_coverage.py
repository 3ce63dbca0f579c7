"""Which classes ran, and why others did not."""

from __future__ import annotations

from dataclasses import replace

from fx_lsp.analysis.coverage import coverage
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.failure import Failure
from fx_lsp.model.span import Span
from fx_lsp.model.trace import ModuleUse
from tests.analysis.facts import PATH, changed, failing, snapshot

TRACED = "class Net(nn.Module):\n#     ^^^ class f32[2] -> f32[3]\n    pass\n"
FAILED = "class Net:\n#     ^^^ class\n    y = f(x) + 1\n#       ^^^^ fail sizes differ\n"
BASE = """
class Base(nn.Module):
#     ^^^^ class
    def forward(self, x):
#                     ^ param f32[2]
        return x
class Net(Base):
#     ^^^ class f32[2] -> f32[2]
    pass
"""


def status(made: Snapshot) -> list[tuple[str, str | None]]:
    return [(entry.status, entry.reason) for entry in coverage(made)]


def test_a_class_that_ran() -> None:
    (entry,) = coverage(snapshot(TRACED))
    assert (entry.status, entry.reason, entry.examples) == ("traced", None, (0,))
    assert entry.use is not None


def test_a_class_that_gave_something_before_the_run_failed_elsewhere() -> None:
    assert status(changed(snapshot(TRACED), failure=Failure("trace", "no"))) == [("traced", None)]


def test_a_class_in_which_the_run_ended() -> None:
    use = ModuleUse(PATH, "Net", (), None, 0)
    (entry,) = coverage(changed(snapshot(FAILED), modules=(use,)))
    assert (entry.status, entry.reason) == ("partial", "forward failed at line 2: sizes differ")


def test_a_class_that_gave_no_tensor() -> None:
    made = changed(snapshot(TRACED), modules=(ModuleUse(PATH, "Net", (), None, 0),))
    assert status(made) == [("traced", None)]


def test_a_class_whose_example_failed_before() -> None:
    assert status(snapshot(FAILED)) == [("failed", "forward failed at line 2: sizes differ")]
    elsewhere = failing(snapshot(FAILED), stage="construct", span=Span("/w/parts.py", 9, 0, 9, 1))
    assert status(elsewhere) == [("failed", "it could not be built at line 9 of parts.py: sizes differ")]


def test_the_example_that_passed_is_the_one_shown() -> None:
    good = snapshot(TRACED)
    bad = changed(good, modules=(ModuleUse(PATH, "Net", (), None, 0),), failure=Failure("trace", "no"))
    (entry,) = coverage(replace(good, traces=bad.traces + good.traces))
    assert (entry.status, entry.trace, entry.examples) == ("traced", good.traces[0], (1, 0))


def test_a_base_class_ran_when_its_forward_did() -> None:
    base, net = coverage(snapshot(BASE))
    assert (base.status, base.use, base.examples) == ("traced", None, (0,))
    assert net.status == "traced"
    base, _ = coverage(changed(snapshot(BASE), failure=Failure("trace", "no")))
    assert (base.status, base.reason) == ("partial", "forward failed: no")
    moved = replace(snapshot(BASE), text="\n" + snapshot(BASE).text)
    assert coverage(moved)[0].status == "skipped"  # the facts are of another text


def test_a_base_class_that_fails_by_itself_ran_when_its_forward_did() -> None:
    good = snapshot(BASE)
    use = ModuleUse(PATH, "Base", (), None, 0)
    bad = changed(
        snapshot("\nclass Base(nn.Module):\n#     ^^^^ class\n    pass\n"),
        modules=(use,),
        failure=Failure("trace", "no"),
    )
    base, _ = coverage(replace(good, traces=bad.traces + good.traces))
    assert (base.status, base.reason) == ("traced", None)
    base, _ = coverage(replace(good, traces=bad.traces))
    assert (base.status, base.reason) == ("partial", "forward failed: no")


def test_a_class_that_nothing_calls_says_what_it_needs() -> None:
    source = """
        class Net(nn.Module):
        #     ^^^ class
            def __init__(self, width, depth=2, *, heads): ...
            def forward(self, x, mask=None): ...
    """
    made = snapshot(source, traces=())
    assert status(made) == [
        ("skipped", "no call of it was found; its constructor needs width, heads, forward needs x"),
    ]
    assert status(replace(made, text="class Net(\n")) == [("skipped", "no call of it was found")]
    abstract = replace(made, modules=(replace(made.modules[0], abstract=True),))
    assert status(abstract) == [("skipped", "it has no forward of its own")]
