"""What runs and is likely to be wrong: where the trace and the text prove it, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.analysis import diagnostics
from fx_lsp.analysis.diagnostics import Rule, all_problems
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.source import parsed
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Operation, OperationVariant
from fx_lsp.model.value import Opaque, TensorType
from tests.analysis.facts import PATH, aged, changed, snapshot

F = "torch.nn.functional"


def told(made: Snapshot) -> list[tuple[str, str, str]]:
    """Rule, the text it stands on, message."""
    lines = made.text.split("\n")
    return [
        (one.code, lines[one.span.line - 1].encode()[one.span.column : one.span.end_column].decode(), one.message)
        for one in all_problems(made)
        if one.severity == "warning"
    ]


def line(written: str, operation: str, before: str = "", after: str = "") -> Snapshot:
    """A function with one statement, whose operation stands in it."""
    marks = " " * (4 + len(before)) + "^" * len(written)
    return snapshot(f"def f(x, y):\n    {before}{written}{after}\n#{marks[1:]} {operation}\n")


SOFTMAX = f"op {F}.softmax f32[4, 10] -> f32[4, 10]"
DROPOUT = f"op {F}.dropout f32[4] -> f32[4]"
MSE = f"op {F}.mse_loss {{}} -> f32[]"


@pytest.mark.parametrize(
    ("shape", "dim"), [("f32[4, 10]", 1), ("f32[4, 10, 3]", 0), ("f32[4]", 0), ("f32[4, 5, 6, 7]", 1)]
)
def test_softmax_without_dim(shape: str, dim: int) -> None:
    made = line("F.softmax(x)", f"op {F}.softmax {shape} -> {shape}", "y = ")
    message = f"no `dim` is given: with {shape} torch takes dim {dim}"
    assert told(made) == [("softmax-without-dim", "F.softmax(x)", message)]


@pytest.mark.parametrize("call", ["F.softmax(x, 1)", "F.softmax(x, dim=-1)", "F.softmax(*x)", "F.softmax(x, **y)"])
def test_a_dim_is_or_may_be_given(call: str) -> None:
    assert told(line(call, SOFTMAX, "y = ")) == []


@pytest.mark.parametrize(("call", "operation"), [("x.sample()", SOFTMAX), ("helpers.thinned(x)", DROPOUT)])
def test_what_a_library_calls_is_not_written_here(call: str, operation: str) -> None:
    assert told(line(call, operation, "y = ")) == []


@pytest.mark.parametrize("call", ["F.dropout(x)", "F.dropout(x, 0.5)", "F.dropout(x, p=0.1)"])
def test_dropout_that_goes_on(call: str) -> None:
    ((code, text, _),) = told(line(call, DROPOUT, "y = "))
    assert (code, text) == ("dropout-always", call)


@pytest.mark.parametrize("call", ["F.dropout(x, 0.5, self.training)", "F.dropout(x, training=t)", "F.dropout(x, 0.0)"])
def test_dropout_that_ends(call: str) -> None:
    assert told(line(call, DROPOUT, "y = ")) == []


def test_dropout_in_training_is_as_it_should_be_where_the_file_asks_for_it() -> None:
    made = line("F.dropout(x)", DROPOUT, "y = ")
    (trace,) = made.traces
    trained = replace(made, traces=(replace(trace, call="Net().train()(f32[4])"),))
    assert [code for code, *_ in told(trained)] == ["dropout-always"]
    asked = "\ndef guarded(net, x):\n    return net.drop(x) if net.training else x\n"
    assert told(replace(trained, text=trained.text + asked)) == []


def test_a_loss_of_each_with_each() -> None:
    made = line("F.mse_loss(x, y)", MSE.format("f32[8, 1]; f32[8]"), "z = ")
    message = "f32[8, 1] and f32[8] are compared as [8, 8]: each with each"
    assert told(made) == [("loss-broadcast", "F.mse_loss(x, y)", message)]


@pytest.mark.parametrize("shapes", ["f32[8]; f32[8]", "f32[8, 3]; f32[3]", "f32[8, 3]; f32[8, 1]", "f32[1]; f32[1, 1]"])
def test_a_loss_that_does_not_grow(shapes: str) -> None:
    assert told(line("F.mse_loss(x, y)", MSE.format(shapes), "z = ")) == []


TWO = """
def f(x, y):
    p = F.softmax(x, 1)
    #   ^^^^^^^^^^^^^^^ op {target} f32[4, 10] -> f32[4, 10]
    {between}
    return F.cross_entropy({given}, target=y)
    #      {marks} op {f}.cross_entropy f32[4, 10]; i64[4] -> f32[]
"""


def thrown(call: str, operation: str, before: str = "") -> Snapshot:
    """The call as a statement, of a parameter that is a tensor."""
    marks = " " * (4 + len(before)) + "^" * len(call)
    return snapshot(
        f"def f(x, y):\n#     ^ param f32[4]\n    {before}{call}\n#{marks[1:]} {operation} f32[4] -> f32[4]\n"
    )


NAMES = ["softmax", "log_softmax", "dropout", "mse_loss", "cross_entropy", "relu", "linear"]
TARGETS = st.sampled_from([*(f"{F}.{name}" for name in NAMES), "torch.Tensor.softmax", "MSELoss", "CrossEntropyLoss"])
PART = st.one_of(
    st.builds(TensorType, st.sampled_from(["f32", "f64"]), st.lists(st.integers(0, 3), max_size=3).map(tuple)),
    st.just(Opaque("None")),
)
VARIANT = st.builds(OperationVariant, st.lists(PART, max_size=3).map(tuple), PART)
PLACE = st.sampled_from(
    [Span(PATH, 2, 4, 2, 16), Span(PATH, 3, 8, 3, 12), Span(PATH, 9, 0, 9, 1), Span("/w/b.py", 2, 4, 2, 16)]
)
OPERATION = st.builds(
    Operation, PLACE, TARGETS, st.sampled_from(["function", "module"]), st.lists(VARIANT, max_size=3).map(tuple)
)


@given(st.lists(OPERATION, max_size=5), st.booleans())
def test_no_rule_fails_on_facts_that_make_no_sense(found: list[Operation], parses: bool) -> None:
    made = snapshot("def f(x, y):\n    F.softmax(x)\n    y = f(x)\n")
    made = changed(made, operations=tuple(found))
    all_problems(made if parses else replace(made, text=made.text + "("))


MODEL = """import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.norm = nn.Linear(8, 1), nn.LayerNorm(1)
        self.table = torch.ones(8)
        self.register_buffer("past", torch.tril(torch.ones(9, 9)))

    def forward(self, x, y):
        b, t = x.shape
        p = F.softmax(self.fc(x), dim=-1)
        p += x @ y
        loss = F.nll_loss(p.log_softmax(0), y) + F.cross_entropy(p, y)
        s = (x @ y.mT).masked_fill(self.past[:t] == 0, -1e9)
        z = F.scaled_dot_product_attention(s, s, s, torch.tril(torch.ones(t, t)).float())
        return self.norm(p) * self.table, loss, x.view(t, b).cuda(), s.softmax(0) @ z"""
CODE = parsed(PATH, MODEL)
NODES = [*ast.walk(CODE.tree)] if CODE.tree is not None else []
PLACES = [CODE.span(node) for node in NODES if isinstance(node, ast.expr | ast.stmt)]
METHODS = ("view", "matmul", "add_", "masked_fill", "eq", "mul", "cuda")
RAN = st.builds(
    Operation,
    st.sampled_from(PLACES),
    st.sampled_from([*(f"{F}.{name}" for name in (*NAMES, "nll_loss", "scaled_dot_product_attention")),
                     *(f"torch.Tensor.{name}" for name in METHODS), "torch.tril", "torch.ones", "Linear", "LayerNorm"]),
    st.sampled_from(["function", "module"]),
    st.lists(VARIANT, max_size=3).map(tuple),
)  # fmt: skip


@given(st.lists(RAN, max_size=20))
def test_no_rule_fails_on_operations_at_places_of_others(found: list[Operation]) -> None:
    all_problems(changed(snapshot(MODEL), operations=tuple(found), devices=("cuda",)))


def two(target: str = f"{F}.softmax", between: str = "pass", given: str = "p") -> Snapshot:
    marks = "^" * len(f"F.cross_entropy({given}, target=y)")
    return snapshot(TWO.format(target=target, between=between, given=given, marks=marks, f=F))


@pytest.mark.parametrize("given", ["p", "input=p"])
def test_two_softmaxes_in_a_row(given: str) -> None:
    ((code, text, _),) = told(two(given=given))
    assert (code, text) == ("softmax-before-cross-entropy", f"F.cross_entropy({given}, target=y)")


def test_one_softmax() -> None:
    assert told(two(given="x")) == []
    assert told(two(between="p = x")) == []
    assert told(two(target=f"{F}.log_softmax")) == []
    assert told(two(between="if y: p = x")) == []


@pytest.mark.parametrize(
    ("call", "target"), [("x.relu()", "torch.Tensor.relu"), ("torch.relu(x)", "torch.relu"), ("F.relu(x)", f"{F}.relu")]
)
def test_what_is_thrown_away(call: str, target: str) -> None:
    message = "what `relu` gives is not used, and it changes nothing in place"
    assert told(thrown(call, f"op {target}")) == [("result-unused", call, message)]


@pytest.mark.parametrize(
    ("call", "target"),
    [
        ("x.relu_()", "torch.Tensor.relu_"),
        ("F.relu(x, True)", f"{F}.relu"),
        ("F.relu(x, inplace=True)", f"{F}.relu"),
        ("torch.relu(x, out=y)", "torch.relu"),
        ("x.relu(**y)", "torch.Tensor.relu"),
        ("self.cache(x)", "Cache"),
    ],
)
def test_what_writes_somewhere(call: str, target: str) -> None:
    kind = "mod" if target == "Cache" else "op"
    assert told(thrown(call, f"{kind} {target}")) == []


def test_what_is_used() -> None:
    assert told(thrown("x.relu()", "op torch.Tensor.relu", "y = ")) == []
    assert told(thrown("x.relu()", "op torch.Tensor.relu", "return ")) == []


def test_what_calls_it() -> None:
    """`module.to(device)` converts its parameters, in place."""
    assert told(thrown("self.to(y)", "op torch.Tensor.to")) == []
    assert told(thrown("helper(x)", "op torch.relu")) == []


def test_facts_of_an_older_text_prove_nothing() -> None:
    assert told(aged(line("F.softmax(x)", SOFTMAX, "y = "))) == []


@pytest.mark.parametrize(
    ("comment", "silent"),
    [
        ("# fx: ignore", True),
        ("#fx:ignore  # on purpose", True),
        ("# fx: ignore[softmax-without-dim]", True),
        ("# fx: ignore[dropout-always, softmax-without-dim]", True),
        ("# fx: ignore[dropout-always]", False),
        ("# fx: ignore[]", False),
        ("# fx: ignore[softmax-without-dim]: dim 1 is meant", True),
        ("# fx: ignore because dim 1 is meant", True),
        ("# fx: ignore[softmax-without-dim", False),
        ("# fx: ignored", False),
        ("# ignore", False),
    ],
)
def test_what_is_ignored(comment: str, silent: bool) -> None:
    made = line("F.softmax(x)", SOFTMAX, "y = ", f"  {comment}")
    assert (told(made) == []) is silent


def test_double_precision_that_nobody_asked_for() -> None:
    made = line("x.mul(y)", "op torch.Tensor.mul f32[4, 8]; f64[8] -> f64[4, 8]", "z = ")
    message = "f32[4, 8] becomes f64 here, because of f64[8]"
    assert told(made) == [("hidden-upcast", "x.mul(y)", message)]


@pytest.mark.parametrize(
    "signature",
    ["f64[8]; f64[8] -> f64[8]", "f32[8]; f64[] -> f32[8]", "f32[8]; f64[8] -> f32[8]", "i64[8]; f64[8] -> f64[8]"],
)
def test_precision_that_is_asked_for(signature: str) -> None:
    assert told(line("x.mul(y)", f"op torch.Tensor.mul {signature}", "z = ")) == []


def test_a_rule_with_a_defect_does_not_take_the_others_along(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(snapshot: Snapshot, shown: Container[str]) -> Iterable[Problem]:
        raise ValueError("a defect")

    logged: list[str] = []
    problem = Problem(Span("a.py", 1, 0, 1, 1), "warning", "bad", "This is bad.")
    good = Rule(id="good", title="", find=lambda snapshot, shown: [problem])
    monkeypatch.setattr(diagnostics, "rules", lambda: (Rule(id="broken", title="", find=broken), good))
    assert all_problems(Snapshot("a.py", "x"), (), logged.append) == (problem,)
    assert "rule broken failed on a.py" in logged[0]
