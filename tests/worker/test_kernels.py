"""Kernels of our own give what torch's decompositions give: sizes, strides, types, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

from fx_lsp.worker.engines import kernels
from fx_lsp.worker.repeats.state import meta

aten = torch.ops.aten
BATCH = [(2, 3, 4, 4), (2, 3), (2, 3, 5), (1, 3, 1, 1), (0, 3, 4, 4), (2, 4, 4, 4)]
LAYER = [((2, 3, 4), [4]), ((2, 3, 4), [3, 4]), ((4,), [4]), ((2, 4), [5]), ((0, 4), [4]), ((2, 3, 3, 4), [4])]


def made(ours: bool, call: Callable[[], Any]) -> Any:
    """What the call gives on fake tensors, or how it fails."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    mode.cache_enabled = False
    if ours:
        kernels.install(mode)
    with mode:
        try:
            return [meta(one) for one in call()]
        except (RuntimeError, AssertionError, ValueError, IndexError) as error:
            return type(error).__name__, str(error)


@pytest.mark.parametrize("shape", BATCH, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("running", [False, True])
def test_batch_norm(
    shape: tuple[int, ...], dtype: torch.dtype, training: bool, weighted: bool, running: bool
) -> None:  # fmt: skip
    def call() -> Any:
        x = torch.empty(shape, dtype=dtype, requires_grad=weighted)
        weight = torch.ones(3, requires_grad=weighted) if weighted else None
        mean = torch.zeros(3) if running else None
        first = F.batch_norm(x, mean, mean, weight, weight, training)
        return first, *aten.native_batch_norm(x, weight, weight, mean, mean, training, 0.1, 1e-5)

    assert made(True, call) == made(False, call)


@pytest.mark.parametrize("sizes", [[6, 4], [24], [2, -1], [2, 3, 2, 2], [5, 5], [], [0]], ids=str)
@pytest.mark.parametrize("shape", [(2, 3, 4), (0, 4), (24,)], ids=str)
@pytest.mark.parametrize("turned", [False, True])
def test_unsafe_view(shape: tuple[int, ...], sizes: list[int], turned: bool) -> None:
    def call() -> Any:
        x = torch.empty(shape, requires_grad=True)
        x = x.transpose(0, -1) if turned else x
        y = aten._unsafe_view(x, sizes)
        aliased = y.untyped_storage()._cdata == x.untyped_storage()._cdata
        return y, torch.empty(int(aliased)), F.linear(x, x.new_empty(5, x.shape[-1]))

    assert made(True, call) == made(False, call)


@pytest.mark.parametrize(("shape", "sizes"), LAYER, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("turned", [False, True])
def test_layer_norm(shape: tuple[int, ...], sizes: list[int], dtype: torch.dtype, turned: bool) -> None:
    for weights in (None, sizes, [7]):

        def call(weights: list[int] | None = weights) -> Any:
            x = torch.empty(shape, dtype=dtype, requires_grad=True)
            x = x.transpose(0, -1) if turned else x
            weight = torch.ones(weights) if weights else None
            return F.layer_norm(x, sizes, weight, weight), *aten.native_layer_norm(x, sizes, weight, weight, 1e-5)

        assert made(True, call) == made(False, call)


@pytest.mark.parametrize("function", [F.softmax, F.log_softmax])
def test_softmax_of_a_dim_that_is_not_there(function: Callable[..., Any]) -> None:
    for shape, dim in (((2, 3), 2), ((2, 3), -3), ((), 1)):
        with pytest.raises(IndexError) as real:
            function(torch.zeros(shape), dim)
        assert made(True, lambda shape=shape, dim=dim: [function(torch.zeros(shape), dim)]) == (
            "IndexError", str(real.value)
        )  # fmt: skip
        assert made(True, lambda: [function(torch.zeros(2, 3), -2)]) == made(
            False, lambda: [function(torch.zeros(2, 3), 0)]
        )


ADDED = [((5, 7), 0, 3, (3, 7)), ((5, 7), 0, 3, (3, 12)), ((5, 7), -1, 2, (5, 2)), ((5, 7), -2, 2, (2, 6)),
         ((5, 7), 0, 3, (3,)), ((5,), 0, 2, (2,)), ((5, 7, 2), 1, 3, (5, 3, 2))]  # fmt: skip


@pytest.mark.parametrize(("shape", "dim", "count", "added"), ADDED, ids=str)
@pytest.mark.parametrize("name", ["index_add", "index_add_"])
def test_index_add_is_refused_as_on_real_tensors(
    shape: tuple[int, ...], dim: int, count: int, added: tuple[int, ...], name: str
) -> None:
    def call() -> Any:
        x = torch.zeros(shape)
        return [getattr(x, name)(dim, torch.zeros(count, dtype=torch.long), torch.ones(added))]

    try:
        real: Any = [meta(one) for one in call()]
    except RuntimeError as error:
        real = type(error).__name__, str(error)
    assert made(True, call) == real


ROW, PAIR = torch.tensor([1, 0, 1]), torch.tensor([[0, 1]])
PUT = [
    ((4, 3), (ROW,), (3, 3)), ((4, 3), (ROW,), (1,)), ((4, 3), (ROW,), (4, 3)), ((4, 3), (ROW,), (3, 3, 1)),
    ((2, 4, 3), (slice(None), ROW), (2, 3, 3)), ((2, 4, 3), (slice(None), ROW), (3, 2, 3)),
    ((2, 4, 3), (PAIR, slice(None), PAIR), (1, 2, 4)), ((2, 4, 3), (PAIR, slice(None), PAIR), (4, 1, 2)),
    ((2, 4, 3), (slice(None), PAIR, PAIR), (2, 1, 2)), ((2, 4, 3), (slice(None), PAIR, PAIR), (2, 2, 2)),
    ((2, 4, 3), (ROW, ROW), (3, 3)), ((2, 4, 3), (ROW, ROW), (4, 3)), ((2, 4, 3), (Ellipsis, ROW), (2, 4, 3)),
    ((2, 4, 3), (Ellipsis, ROW), (2, 3, 3)), ((4, 3), (ROW,), ()),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "index", "value"), PUT, ids=str)
def test_what_is_put_at_places_is_refused_as_on_real_tensors(
    shape: tuple[int, ...], index: tuple[Any, ...], value: tuple[int, ...]
) -> None:
    def call() -> Any:
        x = torch.zeros(shape)
        x[index] = torch.ones(value)
        return [x]

    try:
        real: Any = [meta(one) for one in call()]
    except RuntimeError as error:
        real = type(error).__name__, str(error)
    assert made(True, call) == real
