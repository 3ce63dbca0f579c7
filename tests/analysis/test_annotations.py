"""Annotations from shapes that were seen: each is true of everything seen, and nothing else of the text changes."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.actions.annotate_forward import ACTION, around
from fx_lsp.analysis.annotations.signature import of_parameter
from fx_lsp.analysis.hints import all_hints
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.failure import Failure
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, Variant
from fx_lsp.model.value import Group, Opaque, TensorType, Value
from tests.analysis.facts import aged, changed, snapshot, tensor

HEAD = "from torch import Tensor, nn\n"


def signature(made: Snapshot) -> str:
    """The annotated text: its imports of jaxtyping and the signature."""
    line = next(number for number, text in enumerate(made.text.split("\n"), 1) if "def " in text)
    edit = around(made, line)
    text = applied(made.text, edit.changes) if edit is not None else made.text
    ast.parse(text)
    return "\n".join(one.strip() for one in text.split("\n") if "def " in one or "jaxtyping" in one)


def one(values: str, head: str = HEAD, written: str = "x") -> str:
    """The signature of a function with one parameter that had these values."""
    made = snapshot(f"{head}def f(x):\n#     ^ param {values}\n    pass")
    return signature(replace(made, text=made.text.replace("f(x)", f"f({written})")))


def held(*values: Value, written: str = "x", role: str = "parameter") -> str:
    """As `one`, for values of any kind."""
    made = snapshot(f"{HEAD}def f(x):\n#     ^ param f32[2]\n    pass")
    (binding,) = made.traces[0].reply.bindings
    variants = tuple(Variant(value) for value in values)
    made = changed(made, bindings=(replace(binding, variants=variants, role=role),))
    return signature(replace(made, text=made.text.replace("f(x)", f"f({written})")))


@pytest.mark.parametrize("text", ["B**9**9", "B**99", "B**T", "2**B", "B<<9", "B>>1", "B@B", "B/2", "~B"])
def test_arithmetic_without_an_end_is_not_written(text: str) -> None:
    assert '"B T _"' in held(TensorType("f32", (2, 3, 4), ("B", "T", text)))
    assert '"B T B**2"' in held(TensorType("f32", (2, 3, 4), ("B", "T", "B**2")))


@pytest.mark.parametrize(
    ("values", "annotation"),
    [
        ("f32[2, 8]", 'Float[Tensor, "2 8"]'),
        ("i64[]", 'Int[Tensor, ""]'),
        ("b8[B=2, T=5]", 'Bool[Tensor, "B T"]'),
        ("f64[2]", 'Float64[Tensor, "2"]'),
        ("bf16[2]|f32[2]", 'Float[Tensor, "2"]'),
        ("i32[2]|i64[2]", 'Int[Tensor, "2"]'),
        ("u8[2]|i64[2]", 'Integer[Tensor, "2"]'),
        ("f32[2]|i64[2]", 'Real[Tensor, "2"]'),
        ("c64[2]|i64[2]", 'Num[Tensor, "2"]'),
        ("b8[2]|i64[2]", 'Shaped[Tensor, "2"]'),
        ("f32[2, 8]|f32[2, 16]", 'Float[Tensor, "2 _"]'),
        ("f32[B=2, 8]|f32[B=2, 16]", 'Float[Tensor, "B _"]'),
        ("f32[B=2, 8]|f32[N=2, 8]", 'Float[Tensor, "_ 8"]'),
        ("f32[B=2, 8]|f32[2, 8]", 'Float[Tensor, "_ 8"]'),
        ("f32[2, 8]|f32[2, 3, 8]", 'Float[Tensor, "... 8"]'),
        ("f32[2, 8]|f32[2, 3, 9]", 'Float[Tensor, "..."]'),
        ("f32[u0=5, 8]", 'Float[Tensor, "_ 8"]'),
        ("f32[_B=5, 8]", 'Float[Tensor, "_ 8"]'),
        ("f32[T=4, 2*T - 1=7]", 'Float[Tensor, "T 2*T-1"]'),
        ("f32[2*T-1=7, T=4]", 'Float[Tensor, "_ T"]'),
        ("f32[H=4, abs(H)=4]", 'Float[Tensor, "H _"]'),
        ("f32[H=4, H/2.0=2]", 'Float[Tensor, "H _"]'),
    ],
)
def test_what_is_true_of_everything_seen(values: str, annotation: str) -> None:
    names = annotation.partition("[")[0]
    assert one(values) == f"from jaxtyping import {names}\ndef f(x: {annotation}):"


NONE, SHAPE = Opaque("None"), tensor("f32[2]")


@pytest.mark.parametrize(
    ("values", "annotation"),
    [
        ([Group("tuple", (SHAPE, NONE))], 'tuple[Float[Tensor, "2"], None]'),
        ([Group("tuple", (SHAPE,)), Group("tuple", (SHAPE, SHAPE))], 'tuple[Float[Tensor, "2"], ...]'),
        ([Group("list", (SHAPE, tensor("f32[3]")))], 'list[Float[Tensor, "_"]]'),
        ([Group("list", (SHAPE, NONE))], 'list[Float[Tensor, "2"] | None]'),
        ([Group("dict", (SHAPE,), ("'a'",))], 'dict[str, Float[Tensor, "2"]]'),
        ([Group("tuple", (SHAPE, Opaque("3"))), Group("tuple", (SHAPE, Opaque("-1.5")))],
         'tuple[Float[Tensor, "2"], int | float]'),
    ],
)  # fmt: skip
def test_groups_of_tensors(values: list[Value], annotation: str) -> None:
    assert held(*values) == f"from jaxtyping import Float\ndef f(x: {annotation}):"


@pytest.mark.parametrize(
    "value",
    [
        Group("object", (SHAPE,), ("a",), "Output"),
        Group("tuple", (SHAPE, Opaque("Config"))),
        Group("list", (SHAPE,), omitted=3),
        Group("dict", (SHAPE,), ("Key",)),
    ],
)
def test_what_no_annotation_says_has_none(value: Value) -> None:
    assert held(value) == "def f(x):"


def test_members_of_all_further_arguments() -> None:
    values = Group("tuple", (SHAPE, tensor("f32[3]")))
    made = snapshot(f"{HEAD}def f(*x):\n#      ^ param f32[2]\n    pass")
    (binding,) = made.traces[0].reply.bindings
    made = changed(made, bindings=(replace(binding, variants=(Variant(values),)),))
    assert signature(made) == 'from jaxtyping import Float\ndef f(*x: Float[Tensor, "_"]):'


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ("x=None", 'x: Float[Tensor, "2"] | None = None'),
        ("x = None", 'x: Float[Tensor, "2"] | None = None'),
        ("x: Tensor", 'x: Float[Tensor, "2"]'),
        ("x: Tensor = None", 'x: Float[Tensor, "2"] = None'),
        ("x: Optional[Tensor] = None", 'x: Optional[Float[Tensor, "2"]] = None'),
        ("x: Tensor | None = None", 'x: Float[Tensor, "2"] | None = None'),
        ("x: torch.Tensor", 'x: Float[torch.Tensor, "2"]'),
    ],
)
def test_what_is_written_stays(written: str, after: str) -> None:
    found = one("f32[2]", f"import torch\n{HEAD}", written)
    assert found == f"from jaxtyping import Float\ndef f({after}):"


@pytest.mark.parametrize(
    "written", ["x: int", 'x: Float[Tensor, "b"]', "x: list[Tensor]", "x: 'Tensor'", "x=1.0", "x: Tensor = zero"]
)
def test_what_says_something_else_is_left_alone(written: str) -> None:
    assert one("f32[2]", HEAD, written) == f"def f({written}):"


def test_tensors_inside_of_what_is_written() -> None:
    values = Group("tuple", (SHAPE, Group("list", (tensor("i64[3]"), tensor("i64[4]")))))
    assert held(values, written="x: Tuple[Tensor, List[Tensor]]") == (
        'from jaxtyping import Float, Int\ndef f(x: Tuple[Float[Tensor, "2"], List[Int[Tensor, "_"]]]):'
    )


@pytest.mark.parametrize(
    ("head", "after"),
    [
        ("import torch\nfrom torch import nn\n",
         ["import torch", "from jaxtyping import Float", "from torch import nn"]),
        ("import os\n\nimport torch\n\nfrom . import a\n",
         ["import os", "", "import torch", "from jaxtyping import Float", "", "from . import a"]),
        ("from torch import nn\n", ["from jaxtyping import Float", "from torch import Tensor, nn"]),
        ("from jaxtyping import Bool, Int\nimport torch\n", ["from jaxtyping import Bool, Float, Int", "import torch"]),
        ("from jaxtyping import Float as F\nimport torch\n", ["from jaxtyping import Float as F", "import torch"]),
        ("import jaxtyping as jt\nimport torch\n", ["import jaxtyping as jt", "import torch"]),
        ('"""Text."""\n', ['"""Text."""', "", "from jaxtyping import Float", "from torch import Tensor"]),
    ],
)  # fmt: skip
def test_imports_are_added_where_they_belong(head: str, after: list[str]) -> None:
    made = snapshot(f"{head}def f(x):\n#     ^ param f32[2]\n    pass")
    edit = around(made, made.text.count("\n"))
    assert edit is not None
    text = applied(made.text, edit.changes)
    ast.parse(text)
    assert text.split("\ndef ")[0].split("\n") == after


def test_a_name_that_is_something_else_in_the_file_is_not_taken() -> None:
    assert one("f32[2]", f"{HEAD}Float = 3\n") == "def f(x):"
    assert one("f32[2]", f"{HEAD}\uff26loat = 3  # written wide, and the same to Python\n") == "def f(x):"
    assert one("f32[2]", f"{HEAD}# Float is what it is\n") != "def f(x):"


MANY = f"""
{HEAD}
class Net(nn.Module):
#     ^^^ class f32[2, 3] -> f32[2, 5]
    def forward(
        self,
        x,
    #   ^ param f32[B=2, 3]
        mask=None,
    #   ^^^^ param b8[B=2, S=4]
        *,
        y: int = 3,
    ):
        for t in x: continue
        return x
    #   ^^^^^^ bind f32[B=2, S=4]
"""


def test_a_signature_over_several_lines_with_what_it_returns() -> None:
    made = snapshot(MANY)
    for line in (3, 12):
        edit = around(made, line)
        assert edit is not None
        text = applied(made.text, edit.changes)
        assert 'x: Float[Tensor, "B 3"],\n' in text
        assert 'mask: Bool[Tensor, "B S"] | None = None,\n' in text
        assert '    ) -> Float[Tensor, "B S"]:\n' in text
        assert "y: int = 3,\n" in text


def test_names_in_other_annotations_mean_something_else() -> None:
    source = f"""
{HEAD}from jaxtyping import Float
def f(x, y: Float[Tensor, "B"]):
#     ^ param f32[B=2, T=3]
#        ^ param f32[T=3]
    pass
"""
    assert 'f(x: Float[Tensor, "_ T"], y: Float[Tensor, "B"])' in signature(snapshot(source))
    same = source.replace('y: Float[Tensor, "B"]', 'y: Float[Tensor, "T"]')
    assert 'f(x: Float[Tensor, "B T"], y: Float[Tensor, "T"])' in signature(snapshot(same))


def test_one_parameter_alone_uses_no_name_that_nothing_binds() -> None:
    made = snapshot(f"{HEAD}def f(x, y):\n#     ^ param f32[T=4]\n#        ^ param f32[2*T=8]\n    pass")
    x, y = all_hints(made, {"parameter"})
    assert '"_"' in applied(made.text, of_parameter(made, y.span))
    first = applied(made.text, of_parameter(made, x.span))
    assert 'def f(x: Float[Tensor, "T"], y):' in first


def calls(function: str, *bindings: tuple[str, str, int]) -> str:
    """The signature of a function whose names (at their first place) were tensors so many times."""
    made = snapshot(HEAD + function)
    found: list[Binding] = []
    for name, role, count in bindings:
        before = made.text[: made.text.index(name)]
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2])
        place = Span(made.path, line, column, line, column + len(name))
        found.append(Binding(place, name, role, (Variant(TensorType("f32", (2,)), ("",), count),)))
    return signature(changed(made, bindings=tuple(found)))


def test_what_was_something_else_at_times_is_left_alone() -> None:
    function = "def f(xx, yy, zz=None):\n    return xx"
    assert calls(function, ("xx", "parameter", 2), ("yy", "parameter", 1), ("zz", "parameter", 1)) == (
        'from jaxtyping import Float\ndef f(xx: Float[Tensor, "2"], yy, zz: Float[Tensor, "2"] | None = None):'
    )


def test_what_held_no_tensor_at_times_is_left_alone() -> None:
    made = snapshot(f"{HEAD}def f(x):\n#     ^ param f32[2]\n    return x\n#   ^^^^^^ bind f32[2]")
    parameter, result = made.traces[0].reply.bindings
    assert signature(changed(made, bindings=(replace(parameter, mixed=True), result))) == "def f(x):"


@pytest.mark.parametrize(
    ("body", "count", "annotated"),
    [("return xx", 2, True), ("return xx", 1, False), ("yield 3; return xx", 2, False)],
)
def test_what_is_returned_is_known_only_when_every_call_gave_it(body: str, count: int, annotated: bool) -> None:
    found = calls(f"def f(xx):\n    {body}", ("xx", "parameter", 2), ("return", "return", count))
    assert found.endswith(' -> Float[Tensor, "2"]:' if annotated else ":")
    assert ("->" in found) is annotated


def test_a_run_that_failed_says_nothing_of_what_is_returned() -> None:
    made = snapshot(f"{HEAD}def f(x):\n#     ^ param f32[2]\n    return x\n#   ^^^^^^ bind f32[2]\n")
    assert "->" in signature(made)
    assert "->" not in signature(changed(made, failure=Failure("trace", "no")))


def test_nothing_is_written_from_facts_of_an_older_text() -> None:
    assert around(aged(snapshot(MANY)), 3) is None


def test_code_that_is_scripted_keeps_its_annotations() -> None:
    head = "import torch\n@torch.jit.script\n"
    assert one("f32[2]", head) == "def f(x):"


def test_the_action_is_on_offer_on_the_signature_only() -> None:
    made = snapshot(MANY)
    offered = [line for line in range(1, 16) if ACTION.find(made, line, 0) is not None]
    assert offered == list(range(4, 11))
    found = ACTION.find(made, 4, 0)
    assert found is not None
    assert found.title == "Annotate forward with its shapes"
