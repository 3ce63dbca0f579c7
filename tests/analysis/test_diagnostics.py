"""Diagnostics: what is a problem, how bad it is, and where it stands."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

import pytest

from fx_lsp.analysis import diagnostics, proposals
from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.inventions import NO_LONGER, REGARDLESS
from fx_lsp.analysis.proposals import mended
from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace
from fx_lsp.model.example import NO_FORWARD
from fx_lsp.model.failure import Argument, Attempt, Failure
from fx_lsp.model.registry import collect
from fx_lsp.model.span import Span
from fx_lsp.model.trace import ModuleUse, Operation
from fx_lsp.model.value import Opaque
from tests.analysis.facts import PATH, aged, changed, failing, snapshot, tensor

SOURCE = """
class Net:
#     ^^^ class
    def forward(self, x):
        y = f(x) + 1
#           ^^^^ fail sizes differ
"""
HELPER = "/w/helper.py"


def problems(made: Snapshot, shown: Container[str] = ()) -> list[tuple[str, str, str, str]]:
    """Severity, code, the text it stands on, and the message."""
    lines = [*made.text.split("\n"), ""]
    return [
        (p.severity, p.code, lines[p.span.line - 1].encode()[p.span.column : p.span.end_column].decode(), p.message)
        for p in all_problems(made, shown)
    ]


def fails(origin: str, **failure: object) -> Snapshot:
    return failing(snapshot(SOURCE, origin), **failure)


def not_run(reason: str) -> tuple[str, str, str, str]:
    text = f"Net did not run: {reason}. Write an example that runs above the class: # fx: Net(…)(…)"
    return ("hint", "missing-example", "Net", text)


@pytest.mark.parametrize("origin", ["directive", "config", "call"])
def test_what_the_user_wrote_and_calls_of_the_workspace_are_errors(origin: str) -> None:
    assert problems(fails(origin)) == [("error", "trace-failure", "f(x)", "sizes differ")]


@pytest.mark.parametrize("origin", ["annotation", "default", "inferred"])
def test_a_guess_that_fails_is_only_why_there_is_no_example(origin: str) -> None:
    assert problems(fails(origin)) == [not_run("forward failed at line 3: sizes differ")]


@pytest.mark.parametrize("stage", ["import", "construct"])
def test_a_call_that_was_cut_out_of_the_workspace_may_lack_something(stage: str) -> None:
    assert problems(fails("call", stage=stage)) == [("warning", "trace-failure", "f(x)", "sizes differ")]
    assert problems(fails("directive", stage=stage)) == [("error", "trace-failure", "f(x)", "sizes differ")]


def test_a_loss_after_the_model_has_run_is_an_error() -> None:
    product = Attempt("torch.matmul", (Argument("0", tensor("f32[2, 3]")), Argument("1", tensor("f32[4, 5]"))))
    failed = failing(fails("call", stage="construct"), operation=product)
    assert problems(failed)[0][:2] == ("warning", "matmul-sizes")
    ran = changed(failed, modules=(ModuleUse(PATH, "Net", (), tensor("f32[2, 3]"), 0),))
    assert problems(ran)[0][:2] == ("error", "matmul-sizes")


def test_a_layer_that_a_program_cannot_make_is_an_error_wherever_it_runs() -> None:
    numbers = (Argument("num_groups", Opaque("8")), Argument("num_channels", Opaque("20")))
    failed = fails("program", stage="construct", proven=False)
    assert [one for one in problems(failed) if one[0] == "error"] == []
    made = failing(failed, operation=Attempt("GroupNorm", numbers, "nn.GroupNorm"))
    ((severity, code, _, message),) = problems(made)
    assert (severity, code, message) == ("error", "layer-numbers", "`nn.GroupNorm`: 8 groups do not divide 20 features")


@pytest.mark.parametrize(("stage", "severity"), [("import", "error"), ("construct", "warning")])
def test_a_layer_that_a_file_cannot_make_as_it_is_imported_is_an_error(stage: str, severity: str) -> None:
    numbers = (Argument("num_groups", Opaque("8")), Argument("num_channels", Opaque("20")))
    made = failing(fails("call", stage=stage), operation=Attempt("GroupNorm", numbers, "nn.GroupNorm"))
    assert problems(made)[0][:2] == (severity, "layer-numbers")


def test_a_program_that_lacks_something_says_where_it_ends() -> None:
    lacks = fails("program", stage="construct", proven=False)
    text = "the program is run up to here: sizes differ"
    assert ("hint", "program-ended", "f(x)", text) in problems(lacks)
    assert "program-ended" not in [one[1] for one in problems(fails("program"))]
    for other in (fails("call", stage="construct", proven=False), failing(lacks, error="SystemExit")):
        assert "program-ended" not in [one[1] for one in problems(other)]
    assert "program-ended" not in [one[1] for one in problems(fails("program", stage="cancelled", proven=False))]


@pytest.mark.parametrize("why", [NO_LONGER, REGARDLESS])
def test_what_was_found_and_ran_is_told_when_nothing_runs_any_more_and_what_nothing_gets_past(why: str) -> None:
    product = Attempt("torch.matmul", (Argument("0", tensor("f32[2, 3]")), Argument("1", tensor("f32[4, 5]"))))
    failed = failing(fails("inferred"), operation=product)
    broken = replace(failed, unfound=(("Net", why),))
    assert [one[:3] for one in problems(broken)] == [("information", "matmul-sizes", "f(x)")]
    assert [one[0] for one in problems(failed)] == ["hint"]
    assert [one[0] for one in problems(replace(fails("inferred"), unfound=(("Net", why),)))] == ["hint"]
    construct = replace(failing(failed, stage="construct"), unfound=(("Net", "its constructor failed"),))
    assert ("information", "matmul-sizes", "f(x)") in [one[:3] for one in problems(construct)]
    assert [one[0] for one in problems(replace(construct, unfound=()))] == ["hint"]


@pytest.mark.parametrize(
    ("call", "made", "why", "severity"),
    [
        ("torch.f(x, dims=-1)", "", REGARDLESS, "information"),
        ("torch.f(x, dims=-1)", "", NO_LONGER, "hint"),
        ("torch.f(**xs)", "", REGARDLESS, "hint"),
        ("torch.f(*xs)", "", REGARDLESS, "hint"),
        ("self.fc(x, mask=x)", "self.fc = torch.nn.Linear(3, 3)", REGARDLESS, "information"),
        ("self.fc(x, mask=x)", "self.fc = layer(3)", REGARDLESS, "hint"),
        ("self.fc(x, mask=x)", "self.fc = torch.nn.Identity(); net.fc = x", REGARDLESS, "hint"),
        ("self.encode(x, scale=x)", "", REGARDLESS, "hint"),
        ("f(x, scale=x)", "", REGARDLESS, "hint"),
    ],
)
def test_a_call_that_python_refuses_whatever_a_model_is_given_is_told(
    call: str, made: str, why: str, severity: str
) -> None:
    source = f"""
import torch
class Net:
#     ^^^ class
    def __init__(self, layer, net, x):
        {made or "pass"}
    def forward(self, x):
        y = {call}
#           {"^" * len(call)} fail f() got an unexpected keyword argument
"""
    failed = replace(snapshot(source, "inferred"), unfound=(("Net", why),))
    assert [one[0] for one in problems(failed)] == [severity]


@pytest.mark.parametrize(
    ("call", "severity"), [("Net()()", "information"), ("Net(8)()", "information"), ("Net()(x)", "hint")]
)
def test_a_model_that_needs_no_input_and_fails_is_told(call: str, severity: str) -> None:
    product = Attempt("torch.matmul", (Argument("0", tensor("f32[2, 3]")), Argument("1", tensor("f32[4, 5]"))))
    failed = failing(fails("default"), operation=product)
    traces = tuple(replace(one, example=replace(one.example, call=call)) for one in failed.traces)
    assert [one[0] for one in problems(replace(failed, traces=traces))] == [severity]


@pytest.mark.parametrize(("call", "severity"), [("Net()()", "information"), ("Net(8)()", "hint")])
def test_a_model_that_cannot_be_built_of_its_own_defaults_is_told(call: str, severity: str) -> None:
    product = Attempt("torch.matmul", (Argument("0", tensor("f32[2, 3]")), Argument("1", tensor("f32[4, 5]"))))
    failed = failing(fails("default"), operation=product, stage="construct")
    traces = tuple(replace(one, example=replace(one.example, call=call, target="Net")) for one in failed.traces)
    assert [one[0] for one in problems(replace(failed, traces=traces))] == [severity]


def test_what_failed_with_an_older_text_and_is_run_no_more_is_not_told() -> None:
    failed = fails("call")
    older = replace(failed, traces=tuple(replace(trace, older=True) for trace in failed.traces))
    assert [one for one in problems(older) if one[0] == "error"] == []
    assert problems(replace(older, pending=True)) == problems(failed)


def test_a_call_that_fails_outside_the_code_is_not_told_at_the_code() -> None:
    assert problems(fails("call", stage="construct", span=None)) == [not_run("it could not be built: sizes differ")]


def test_a_candidate_is_forgotten_when_another_one_runs() -> None:
    bad = fails("call")
    good = changed(bad, failure=None, modules=(ModuleUse(PATH, "Net", (), None, 0),))
    assert problems(replace(bad, traces=bad.traces + good.traces)) == []
    stated = fails("directive")
    assert problems(replace(bad, traces=stated.traces + good.traces))[0][0] == "error"


@pytest.mark.parametrize(
    ("call", "setup", "written", "shown"),
    [
        ("Net(2, flag=True)(torch.randn(1, 8))", "", "/w/test_net.py", True),
        ("Net(2, flag=True)(torch.randn(1, 8))", "", "/w/README.md", False),
        ("Net(2, flag=True)(torch.randn(1, 8))", "", PATH, False),  # where there is no such call but in a docstring
        ("Net(width)(torch.randn(1, 8))", "width = 2", "/w/test_net.py", False),
        ("net(torch.randn(1, 8))", "net = Net(2, flag=True)", "/w/test_net.py", True),
        ("net(torch.randn(1, 8))", "net = Net(width)", "/w/test_net.py", False),
        ("net(x)", "net = Net(2)", "/w/test_net.py", False),
        ("net(torch.randn(1, 8))", "width = 2\nnet = Net(2)", "/w/test_net.py", False),
        ("Net(2)(f32[1, 8])", "", "/w/test_net.py", False),
    ],
)
def test_a_call_that_says_by_itself_what_runs_is_told_though_another_one_runs(
    call: str, setup: str, written: str, shown: bool
) -> None:
    product = Attempt("torch.matmul", (Argument("0", tensor("f32[2, 3]")), Argument("1", tensor("f32[4, 5]"))))
    known = changed(failing(fails("call"), operation=product), example={"call": call, "setup": setup})
    known = changed(known, example={"span": Span(written, 1, 0, 1, 9)})
    failure = known.traces[0].reply.failure
    assert failure is not None
    assert failure.span is not None
    ran = Operation(failure.span, "torch.Tensor.matmul", "function", ())
    fine = {"call": "Net(1)(torch.randn(1, 4))", "setup": "", "span": Span(written, 2, 0, 2, 9)}
    other = changed(known, failure=None, operations=(ran,), example=fine)
    assert bool(problems(replace(known, traces=known.traces + other.traces))) == shown


@pytest.mark.parametrize(
    ("written", "stage", "told"),
    [
        ("/w/README.md", "trace", True),
        ("/w/README.md", "construct", False),
        (PATH, "trace", True),
        ("/w/train.py", "trace", False),
        ("/w/use.ipynb", "trace", False),
    ],
)
def test_a_call_of_documentation_is_told_though_something_that_we_made_up_runs(
    written: str, stage: str, told: bool
) -> None:
    bad = changed(fails("call", stage=stage), example={"span": Span(written, 1, 0, 1, 9)})
    ran = (ModuleUse(PATH, "Net", (), None, 0),)
    good = changed(bad, failure=None, modules=ran, example={"origin": "inferred", "span": None})
    assert [one[0] for one in problems(replace(bad, traces=bad.traces + good.traces))] == ["error"] * told
    real = changed(bad, failure=None, modules=ran, example={"span": Span("/w/test_net.py", 1, 0, 1, 9)})
    assert problems(replace(bad, traces=bad.traces + real.traces)) == []


def test_a_candidate_that_failed_where_no_other_one_came_is_not_forgotten() -> None:
    bad = failing(fails("call"), operation=Attempt("torch.add", ()))
    failure = bad.traces[0].reply.failure
    assert failure is not None
    assert failure.span is not None
    good = changed(bad, failure=None)
    assert problems(replace(bad, traces=bad.traces + good.traces))[0][0] == "error"
    past = changed(good, operations=(Operation(failure.span, "torch.add", "function", ()),))
    assert problems(replace(bad, traces=bad.traces + past.traces)) == []


def test_another_value_of_the_same_test_does_not_make_up_for_one_that_fails() -> None:
    def of(made: Snapshot, *, line: int, target: str = "Net") -> tuple[Trace, ...]:
        span = Span("/w/test_net.py", line, 0, line, 9)
        return tuple(replace(t, example=replace(t.example, span=span, target=target)) for t in made.traces)

    bad = fails("call")
    good = changed(bad, failure=None)
    way = of(bad, line=3, target="Net::forward")
    assert "error" in [one[0] for one in problems(replace(bad, traces=of(good, line=3) + way))]
    assert "error" not in [one[0] for one in problems(replace(bad, traces=of(good, line=8) + way))]


def test_a_way_that_we_went_on_by_ourselves_fails_silently() -> None:
    bad = fails("inferred")
    traces = tuple(replace(one, example=replace(one.example, target="Net::forward")) for one in bad.traces)
    assert [one for one in problems(replace(bad, traces=traces)) if one[1] == "trace-failure"] == []


@pytest.mark.parametrize("origin", ["directive", "config", "call"])
def test_what_is_not_proven_is_no_error(origin: str) -> None:
    expected = ("information", "trace-failure", "f(x)", "could not be traced: sizes differ")
    assert problems(fails(origin, proven=False)) == [expected]


def test_what_only_fake_tensors_cannot_do_is_no_finding_of_a_call() -> None:
    reason = "DynamicOutputShapeException: aten.nonzero.default"
    for origin, severities in (("call", ["hint"]), ("directive", ["information"])):
        made = fails(origin, proven=False)
        traces = tuple(replace(one, reply=replace(one.reply, fallback=reason)) for one in made.traces)
        assert [one[0] for one in problems(replace(made, traces=traces))] == severities


@pytest.mark.parametrize(
    ("stage", "message", "shown"),
    [
        ("timeout", "did not finish within 2 s", "the example did not finish within 2 s"),
        ("crash", "the process ended by SIGKILL", "could not be traced: the process ended by SIGKILL"),
        ("protocol", "the result is too large", "could not be traced: the result is too large"),
    ],
)
def test_limits_are_told_where_the_example_is_written(stage: str, message: str, shown: str) -> None:
    made = fails("directive", stage=stage, span=None, proven=False, message=message)
    assert problems(made) == [("warning", "trace-failure", "Net", shown)]
    written = changed(made, example={"span": Span(PATH, 2, 4, 2, 15)})
    assert problems(written) == [("warning", "trace-failure", "def forward", shown)]
    unknown = changed(made, example={"target": ""}, modules=(ModuleUse(PATH, "Net", (), None, 0),))
    assert [(p.span.line, p.span.column) for p in all_problems(unknown)] == [(1, 0)]


@pytest.mark.parametrize("stage", ["start", "cancelled"])
def test_what_the_server_tells_by_itself_is_no_problem_of_the_code(stage: str) -> None:
    assert problems(fails("directive", stage=stage, span=None)) == []
    assert problems(fails("call", stage=stage, span=None)) == []


def test_one_problem_for_each_place() -> None:
    first, second = fails("call", proven=False), fails("directive", message="another size")
    both = replace(first, traces=first.traces + second.traces)
    assert problems(both) == [("error", "trace-failure", "f(x)", "another size")]


def test_the_way_there_is_related() -> None:
    source = """
class Net:
#     ^^^ class
    def forward(self, x):
        return self.g(x)
#              ^^^^^^^^^ call
    def g(self, x):
        return x @ x
#              ^^^^^ fail sizes differ
"""
    example = Span("/w/train.py", 9, 0, 9, 4)
    (problem,) = all_problems(changed(snapshot(source), example={"span": example}))
    assert problem.span.line == 5
    assert problem.related == (
        (Span(PATH, 3, 15, 3, 24), "called from here"),
        (example, "the example: Net()(f32[2])"),
    )


def test_a_failure_in_another_file() -> None:
    inside, call = Span(HELPER, 2, 4, 2, 7), Span(PATH, 3, 12, 3, 16)
    made = fails("directive", span=inside, calls=(call,))
    assert problems(made) == [("error", "trace-failure", "f(x)", "in helper.py, line 2: sizes differ")]
    assert all_problems(made)[0].related[0] == (inside, "raised here")
    assert problems(made, {HELPER}) == []  # told there
    assert problems(replace(made, path=HELPER, modules=())) == [("error", "trace-failure", "def", "sizes differ")]


def test_a_failure_in_another_file_on_the_way_through_a_third() -> None:
    third = Span("/w/third.py", 1, 0, 1, 5)
    made = fails("directive", span=Span(HELPER, 7, 4, 7, 9), calls=(Span(PATH, 3, 12, 3, 16), third))
    assert problems(made, {"/w/third.py"}) == []
    assert len(problems(made, {"/w/fourth.py"})) == 1


def test_a_failure_elsewhere_without_a_way_from_here_is_told_at_the_example() -> None:
    made = fails("directive", span=Span(HELPER, 7, 4, 7, 9), calls=(), stage="import")
    assert problems(made) == [("error", "trace-failure", "Net", "in helper.py, line 7: sizes differ")]
    other = changed(made, example={"scope": "/w/train.py"})
    assert [code for _, code, _, _ in problems(other)] == ["missing-example"]


def test_a_syntax_error_is_told_once() -> None:
    made = fails("directive", stage="import", error="SyntaxError", message="'(' was never closed")
    broken = replace(made, text=made.text.replace("f(x)", "f((x"))
    assert problems(broken) == [("error", "syntax-error", "(", "'(' was never closed")]


def test_a_syntax_error_is_not_told_while_it_is_typed() -> None:
    broken = Snapshot(PATH, "y = (1\n")
    assert problems(broken) == [("error", "syntax-error", "(", "'(' was never closed")]
    assert problems(replace(broken, traces=aged(fails("directive", stage="cancelled")).traces)) == []
    assert problems(replace(broken, pending=True)) == []


def test_a_class_without_an_example() -> None:
    made = snapshot(SOURCE, traces=())
    reason = "no call of it was found; forward needs x"
    text = f"Net has no example: {reason}. Write one above the class: # fx: Net(…)(…)"
    assert problems(made) == [("hint", "missing-example", "Net", text)]
    assert problems(replace(made, pending=True)) == []
    assert problems(aged(fails("inferred"))) == []
    assert problems(replace(made, modules=(replace(made.modules[0], abstract=True),))) == []


def test_a_reason_that_ends_as_a_sentence_does_has_one_full_stop() -> None:
    made = fails("inferred", stage="construct", message="Either a configuration or all three parts.")
    ((_, code, _, text),) = problems(made)
    assert code == "missing-example"
    assert "three parts. Write an example" in text


def test_nothing_is_missing_where_nothing_can_be_run() -> None:
    source = SOURCE.replace("class Net", "class Other:\n#     ^^^^^ class\n    pass\nclass Net")
    made = failing(snapshot(source), stage="start", span=None, proven=False)
    assert problems(made) == []


def test_a_mistake_in_its_directive_says_enough() -> None:
    head = "# fx: Nett()()\n# A net.\n@register\n"
    source = head + "class Net:\n#     ^^^ class\n    pass\nclass Other:\n#     ^^^^^ class\n    pass\n"
    mistake = Problem(Span(PATH, 1, 6, 1, 10), "error", "bad-directive", "Nett is not defined")
    made = snapshot(source, traces=(), problems=(mistake,))
    assert [(code, text) for _, code, text, _ in problems(made)] == [
        ("bad-directive", "Nett"),
        ("missing-example", "Other"),
    ]


def test_problems_are_sorted_and_each_is_there_once() -> None:
    mistake = Problem(Span(PATH, 4, 0, 4, 1), "error", "bad-directive", "no")
    made = replace(fails("directive"), problems=(mistake, mistake))
    assert [problem.span.line for problem in all_problems(made)] == [3, 4]


def test_a_failure_without_a_message_is_still_a_problem() -> None:
    made = changed(snapshot(SOURCE, "directive"), failure=Failure("trace", "AssertionError", Span(PATH, 3, 8, 3, 9)))
    assert problems(made) == [("error", "trace-failure", "y", "AssertionError")]


def test_rules_are_named_after_their_files() -> None:
    found = collect(diagnostics, "RULE")
    assert {"missing_example", "syntax_error", "trace_failure", "softmax_without_dim"} <= found.keys()
    assert {name: rule.id for name, rule in found.items()} == {name: name.replace("_", "-") for name in found}


def test_edits_are_those_of_an_example_of_which_it_is_known_why_it_fails() -> None:
    source = SOURCE.replace("f(x) + 1", "x @ x").replace("^^^^ fail", "^^^^^ fail")
    unknown = failing(snapshot(source, "call"), stage="import")
    known = failing(snapshot(source, "call"), operation=_product())
    both = replace(unknown, traces=(*unknown.traces, *known.traces))
    assert [*mended(both, {PATH: both.text}.get, range(1, 9))]


def _product() -> Attempt:
    return Attempt("torch.matmul", (Argument("0", tensor("f32[2, 3]")), Argument("1", tensor("f32[2, 3]"))))


def _tried_on(*origins: str, older: int = 0) -> list[list[str]]:
    """Of each proposal for a product that fails in examples of these origins: those of the examples it is tried on."""
    source = SOURCE.replace("f(x) + 1", "x @ x").replace("^^^^ fail", "^^^^^ fail")
    made = [failing(snapshot(source, origin), operation=_product()) for origin in origins]
    traces = [trace for one in made for trace in one.traces]
    traces[:older] = [replace(trace, older=True) for trace in traces[:older]]
    both = replace(made[0], traces=tuple(traces), unfound=(("Net", NO_LONGER),))
    return [[trace.example.origin for trace in one.traces] for one in mended(both, {PATH: both.text}.get, range(1, 9))]


def test_edits_are_tried_on_what_was_written_and_on_guesses_only_where_there_is_nothing_else() -> None:
    assert {tuple(one) for one in _tried_on("inferred", "call")} == {("call",)}
    assert {tuple(one) for one in _tried_on("inferred")} == {("inferred",)}


def test_what_is_kept_of_an_older_text_keeps_no_edit_away() -> None:
    assert {tuple(one) for one in _tried_on("inferred", "call", older=1)} == {("call",)}
    assert _tried_on("call", older=1) == []


@pytest.mark.parametrize(
    ("title", "old", "shown"),
    [
        ("Use `z`", "y", "Use `z` in place of `y`"),
        ("Use `z`, line 3", "y", "Use `z` in place of `y`, line 3"),
        ("Use `y.T`", "", "Use `y.T`"),
        ("Use `z` in place of `y`, line 3", "y", "Use `z` in place of `y`, line 3"),
        ("Swap `y` and `z`", "y", "Swap `y` and `z`"),
    ],
)
def test_an_edit_is_named_after_what_it_replaces_too(
    title: str, old: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = fails("call")
    edit = Edit(title, PATH, ((Span(PATH, 3, 8, 3, 8 + len(old)), "z"),))
    monkeypatch.setattr(proposals, "mending_of", lambda *_: (edit,))
    assert [one.title for one in mended(made, {PATH: made.text.replace("f(x)", "y")}.get, range(1, 9))] == [shown]


@pytest.mark.parametrize("reason", ["RuntimeError: it cannot start", "the program is not given --data"])
def test_no_example_helps_where_the_file_cannot_be_imported(reason: str) -> None:
    made = replace(snapshot(SOURCE, traces=()), unfound=(("Net", f"the import failed: {reason}"),))
    text = f"Net did not run: the import failed: {reason}"
    assert problems(made) == [("hint", "missing-example", "Net", text)]


def test_no_example_is_missing_where_there_is_no_forward() -> None:
    assert problems(replace(snapshot(SOURCE, traces=()), unfound=(("Net", NO_FORWARD),))) == []
