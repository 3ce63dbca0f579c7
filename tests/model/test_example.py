"""Examples: how they are read, and their sizes filled in."""

import pytest

from fx_lsp.model.example import DTYPES, ExampleError, fill


@pytest.mark.parametrize(
    ("call", "filled", "dims"),
    [
        ("GPT(GPTConfig())(i64[B:4, T:64])", "GPT(GPTConfig())(i64[4, 64])", {"B": 4, "T": 64}),
        ("f(f32[2, 3])", "f(f32[2, 3])", {}),
        ("f(f32[3])", "f(f32[3])", {}),
        ("f(i64[], b8[ ])", "f(i64[()], b8[()])", {}),
        ("f('i64[]', bf16[T])", "f('i64[]', bf16[16])", {"T": 16}),
        ("f(f32[B, T], i64[B, T:5])", "f(f32[2, 5], i64[2, 5])", {"T": 5, "B": 2}),
        ("f(f32[2*T, cfg.width, len(x)])", "f(f32[2 * 16, cfg.width, len(x)])", {"T": 16}),
        ("f(f32[B], x[B:4], y[0])", "f(f32[2], x[B:4], y[0])", {"B": 2}),
        ("f(f32[Q])", "f(f32[8])", {"Q": 8}),
        ("Net()(torch.randn(2, 3))", "Net()(torch.randn(2, 3))", {}),
        ("f(\n  i64[],\n  'é', f32[B])", "f(i64[()], 'é', f32[2])", {"B": 2}),
    ],
)
def test_fill(call: str, filled: str, dims: dict[str, int]) -> None:
    assert fill(call, {}) == (filled, dims)


def test_configured_sizes_yield_to_written_ones() -> None:
    assert fill("f(f32[B, T:5])", {"B": 3, "T": 9}) == ("f(f32[3, 5])", {"T": 5, "B": 3})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("f(", "not a Python expression"),
        ("", "not a Python expression"),
        ("x = 3", "not a Python expression"),
        ("f(i64[T:4, T:5])", "T has two sizes, 4 and 5"),
        ("f(i64[T:x])", "a dim with a size is written name:number"),
        ("f(i64[:4])", "a dim with a size is written name:number"),
        ("f(" + "(" * 500, "not a Python expression"),
        ("f('\0')", "not a Python expression"),
    ],
)
def test_mistakes(call: str, message: str) -> None:
    with pytest.raises(ExampleError, match=message):
        fill(call, {})


def test_dtypes_are_those_of_torch() -> None:
    import torch
    from torch.utils._dtype_abbrs import dtype_abbrs

    for short, full in DTYPES.items():
        assert dtype_abbrs[getattr(torch, full)] == short
