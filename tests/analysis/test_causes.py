"""Causes are found from facts alone: none fails on facts that make no sense, and what is not known is not explained."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fx_lsp.analysis import causes
from fx_lsp.analysis.causes import explained
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.model.failure import Argument, Attempt, Failure
from fx_lsp.model.registry import collect
from fx_lsp.model.span import Span
from fx_lsp.model.value import Group, Opaque, TensorType, Value
from tests.analysis.facts import PATH, failing, snapshot

SOURCE = """
# fx: Net()(f32[2, 16])
class Net:
#     ^^^ class
    def forward(self, x):
        y = f(x)
#           ^^^^ fail torch's words
"""
LINEAR = Attempt(
    "Linear",
    (Argument("0", TensorType("f32", (2, 16)), "x"),),
    "self.fc",
    (Argument("in_features", Opaque("8")),),
    Span(PATH, 1, 0, 1, 4),
)

TARGETS = sorted({target for cause in causes.causes() for target in cause.targets})
PLAIN = st.sampled_from(
    ["3", "-1", "(2, 3)", "[4]", "()", "None", "'bij,bjk->bik'", "'i'", "x(", "slice(0, 2)", "True"]
)
SIZES = st.lists(st.integers(0, 5), max_size=5).map(tuple)
TENSOR = st.builds(TensorType, st.sampled_from(["f32", "i64", "b8"]), SIZES)
VALUE: st.SearchStrategy[Value] = st.one_of(
    TENSOR,
    PLAIN.map(Opaque),
    st.lists(TENSOR | PLAIN.map(Opaque), max_size=4).map(lambda items: Group("tuple", tuple(items))),
)
NAMES = st.sampled_from(["0", "1", "2", "dim", "input", "weight", "size", "in_channels", "kernel_size", "num_features"])
ARGUMENTS = st.lists(st.builds(Argument, NAMES, VALUE, st.sampled_from(["", "x"])), max_size=6).map(tuple)
ATTEMPT = st.builds(Attempt, st.sampled_from(TARGETS), ARGUMENTS, st.sampled_from(["", "f"]), ARGUMENTS)


@settings(deadline=None)
@given(st.builds(Failure, st.just("trace"), st.just("no"), operation=st.none() | ATTEMPT, layer=st.none() | ATTEMPT))
def test_no_cause_fails_on_what_makes_no_sense(failure: Failure) -> None:
    found = explained(failure)
    assert found is None or (found.message and "None" not in found.code)


def test_the_cause_is_told_in_place_of_torch_s_words_with_the_place_where_the_layer_is_made() -> None:
    (problem,) = all_problems(failing(snapshot(SOURCE, "directive"), layer=LINEAR))
    assert problem.code == "linear-features"
    assert problem.message == "`self.fc` takes 8 features in the last dim, and `x` (f32[2, 16]) has 16"
    assert (Span(PATH, 1, 0, 1, 4), "self.fc is made here") in problem.related


def test_what_is_not_known_is_told_in_torch_s_words() -> None:
    fitting = Attempt("Linear", (Argument("0", TensorType("f32", (2, 8)), "x"),), "self.fc", LINEAR.settings)
    for layer in (None, fitting, Attempt("Strange", LINEAR.arguments)):
        (problem,) = all_problems(failing(snapshot(SOURCE, "directive"), layer=layer))
        assert (problem.code, problem.message) == ("trace-failure", "torch's words")


def test_causes_are_named_after_their_files() -> None:
    found = collect(causes, "CAUSE")
    assert {name: cause.id for name, cause in found.items()} == {name: name.replace("_", "-") for name in found}


def test_a_bias_of_another_type_is_called_so_and_no_groups_are_no_channels() -> None:
    given = [Argument(str(number), TensorType(dtype, shape)) for number, (dtype, shape)
             in enumerate([("f32", (2, 4, 8)), ("f32", (4, 4, 1)), ("f64", (4,))])]  # fmt: skip
    found = explained(Failure("trace", "no", operation=Attempt("torch.nn.functional.conv1d", tuple(given))))
    assert found is not None
    assert found.message.endswith("its input (f32[2, 4, 8]) and its bias (f64[4]) are of two")
    groups = Attempt("torch.nn.functional.conv1d", (*given[:2], Argument("groups", Opaque("0"))))
    assert explained(Failure("trace", "no", operation=groups)) is None
