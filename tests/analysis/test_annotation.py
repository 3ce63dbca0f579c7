"""Shapes in annotations become examples."""

from __future__ import annotations

import pytest

from tests.analysis.workspaces import found, workspace

HEAD = """\
from typing import Annotated, Optional
import jaxtyping as jt
import torch
from jaxtyping import Bool, Float, Float32, Int, Shaped
from torch import Tensor, nn
from torchtyping import TensorType
Image = Float[Tensor, "b 3 h w"]
"""


def model(arguments: str, init: str = "self") -> str:
    return (
        f"{HEAD}class Net(nn.Module):\n    def __init__({init}): super().__init__()\n"
        f"    def forward(self, {arguments}): return x\n"
    )


def calls(source: str | dict[str, str]) -> list[tuple[str, str]]:
    return [(example.setup, example.call) for example in found(workspace(source), "annotation")]


@pytest.mark.parametrize(
    ("annotation", "tensor"),
    [
        ('Float[Tensor, "b c h w"]', "f32[b, c, h, w]"),
        ('Float[torch.Tensor, "... 3"]', "f32[B, 3]"),
        ('Float[Tensor, "*batch n 3"]', "f32[batch, n, 3]"),
        ('Int[Tensor, "b t"]', "i64[b, t]"),
        ('Bool[Tensor, ""]', "b8[]"),
        ('jt.Float16[Tensor, "b #c"]', "f16[b, c]"),
        ('Shaped[Tensor, "b rows=4 _"]', "f32[b, 4, 8]"),
        ('Float[Tensor, "b t-1 2*c"]', "f32[b, t-1, 2*c]"),
        ('Optional[Float[Tensor, "b c"]]', "f32[b, c]"),
        ('Float[Tensor, "b c"] | None', "f32[b, c]"),
        ("\"Float[Tensor, 'b c']\"", "f32[b, c]"),
        ("Image", "f32[b, 3, h, w]"),
        ('Annotated[Tensor, "b c"]', "f32[b, c]"),
        ('Annotated[Tensor, "i64[b, t]"]', "i64[b, t]"),
        ('TensorType["b", 3, torch.int64]', "i64[b, 3]"),
        ('TensorType["b", "c", float]', "f32[b, c]"),
        ("TensorType[2, -1]", "f32[2, 8]"),
    ],
)
def test_tensors(annotation, tensor):
    assert calls(model(f"x: {annotation}")) == [("", f"Net()({tensor})")]


@pytest.mark.parametrize(
    "arguments",
    ["x", "x: Tensor", 'x: Float[Tensor, "b"], y: Tensor', 'x: Float[Tensor, "b ?!"]', "x: int", "x: Unknown['b']"],
)
def test_what_is_not_described(arguments):
    assert calls(model(arguments)) == []


def test_optional_inputs_are_left_out_and_keywords_named():
    source = model('x: Float[Tensor, "b c"], mask: Tensor = None, *, t: Int[Tensor, "b"]')
    assert calls(source) == [("", "Net()(f32[b, c], t=i64[b])")]


def test_dims_that_are_constructor_defaults():
    source = model('x: Float[Tensor, "b n dim"]', "self, dim=64, heads=8")
    assert calls(source) == [("", "Net()(f32[b, n, dim:64])")]


def test_a_constructor_call_of_the_workspace():
    files = {
        "model.py": model('x: Float[Tensor, "b 5"]', "self, dim"),
        "train.py": "from model import Net\nwidth = 5\ndef main():\n    net = Net(width)\n    fit(net)\n",
    }
    assert calls(files) == [("", "Net(5)(f32[b, 5])")]


def test_no_way_to_make_one():
    assert calls(model('x: Float[Tensor, "b 5"]', "self, dim")) == []


def test_an_inherited_forward():
    source = model('x: Float[Tensor, "b 5"]') + "class Sub(Net): pass\n"
    assert [call for _, call in calls(source)] == ["Net()(f32[b, 5])", "Sub()(f32[b, 5])"]
