"""How values are written."""

from itertools import islice, product

import pytest

from fx_lsp.model.value import MAX_LABEL, Group, Opaque, TensorType, concrete, label, tensors

X = TensorType("f32", (2, 3))
U = TensorType("f32", (5, 3), ("u0", None))
NONE = Opaque("None")


@pytest.mark.parametrize(
    ("value", "short", "full"),
    [
        (X, "f32[2, 3]", "f32[2, 3]"),
        (TensorType("i64", ()), "i64[]", "i64[]"),
        (U, "f32[u0, 3]", "f32[5, 3]"),
        (TensorType("f32", (2, 3), ("B", "(H+1)//2+(W+1)//2")), "f32[B, (H+1)//2+(W+1)//2]", "f32[2, 3]"),
        (TensorType("f32", (2, 3), ("B", "((H+1)//2)*((W+1)//2)")), "f32[B, 3]", "f32[2, 3]"),
        (Group("tuple", (X, NONE)), "(f32[2, 3], None)", "(f32[2, 3], None)"),
        (Group("tuple", (X,)), "(f32[2, 3],)", "(f32[2, 3],)"),
        (Group("list", (X, X, X)), "[f32[2, 3] × 3]", "[f32[2, 3], f32[2, 3], f32[2, 3]]"),
        (Group("list", (X, U), omitted=3), "[f32[2, 3], f32[u0, 3], …]", "[f32[2, 3], f32[5, 3], …]"),
        (Group("dict", (X, NONE), ("'a'", "1")), "{'a': f32[2, 3], 1: None}", "{'a': f32[2, 3], 1: None}"),
        (Group("object", (X, NONE), ("a", "b"), "Out"), "Out(a=f32[2, 3])", "Out(a=f32[2, 3], b=None)"),
        (Group("set", (X,)), "{f32[2, 3]}", "{f32[2, 3]}"),
    ],
)
def test_texts(value: object, short: str, full: str) -> None:
    assert label(value) == short  # type: ignore[arg-type]
    assert concrete(value) == full  # type: ignore[arg-type]


def test_long_labels_are_cut_and_closed() -> None:
    parts = tuple(TensorType("f32", (2, size)) for size in range(100))
    text = label(Group("list", parts))
    assert len(text) == MAX_LABEL
    assert text.endswith("…]")


def test_tensors_inside() -> None:
    assert list(tensors(Group("list", (X, Group("tuple", (U, NONE)))))) == [X, U]


def test_nobody_can_make_values_that_have_one_hash() -> None:
    same = [number * ((1 << 61) - 1) for number in range(4)]
    assert len({hash(number) for number in same}) == 1
    shapes = list(islice(product(same, repeat=6), 1000))
    assert len({hash(TensorType("f32", shape)) for shape in shapes}) > 990
    assert len({hash(TensorType("f32", (), (), "cpu", stride)) for stride in shapes}) > 990
    assert len({hash(Group("list", (X,), omitted=number)) for number in same}) == len(same)
    assert hash(TensorType("f32", (2, 3))) == hash(X)
    assert hash(Group("list", (X, U))) == hash(Group("list", (TensorType("f32", (2, 3)), U)))
