"""Calls of libraries that run a model: exporters, summaries, counters of operations."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.analysis.workspaces import found, marked, workspace

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=3):
        super().__init__()

    def forward(self, x, y=None):
        return x
"""


def runs(script: str) -> list[tuple[str, str]]:
    """Examples from a script in which the model is `net`."""
    head = "import torch\nfrom model import Net\n"
    space = workspace({"model.py": NET, "script.py": head + dedent(script)})
    return [(example.setup, example.call) for example in found(space, "call")]


X = "net = Net()\nx = torch.randn(2, 3)\n"


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("", "torch.onnx.export(net, x, 'net.onnx', opset_version=17)"),
        ("", "torch.onnx.export(net, (x,), 'net.onnx')"),
        ("", "torch.onnx.export(model=net, args=x, f='net.onnx')"),
        ("", "torch.onnx.export(net, (x, {}), 'net.onnx')"),
        ("", "torch.onnx.dynamo_export(net, x)"),
        ("", "torch.export.export(net, (x,))"),
        ("from torch.export import export", "export(net, args=(x,)).run_decompositions()"),
        ("", "torch.jit.trace(net, x).save('net.pt')"),
        ("", "torch.jit.trace(net, example_inputs=(x,))"),
        ("", "torch.jit.trace(net.forward, x)"),
        ("from torchinfo import summary", "summary(net, input_data=x)"),
        ("import torchinfo", "torchinfo.summary(net, input_data=[x])"),
        ("from thop import profile", "macs, params = profile(net, inputs=(x,))"),
        ("from thop import profile as count", "macs, params = count(net, (x, ), verbose=False)"),
        ("from fvcore.nn import FlopCountAnalysis", "FlopCountAnalysis(net, x).total()"),
        ("from fvcore.nn import FlopCountAnalysis", "FlopCountAnalysis(net.eval(), (x,)).by_module()"),
        ("from torchview import draw_graph", "draw_graph(net, input_data=x)"),
        ("from torch.utils.tensorboard import SummaryWriter", "SummaryWriter('runs').add_graph(net, x)"),
        ("from torch.utils.checkpoint import checkpoint", "checkpoint(net, x, use_reentrant=False)"),
        ("", "torch.func.functional_call(net, dict(net.named_parameters()), (x,))"),
        ("import pruning", "pruning.DependencyGraph().build_dependency(net, example_inputs=x)"),
        ("", "net.to_onnx('net.onnx', x)"),
    ],
)
def test_an_input(imports, call):
    for text in (
        f"{imports}\n{X}{call}\n",
        f"def main():\n    {imports}\n    net = Net()\n    x = torch.randn(2, 3)\n    {call}\n",
    ):
        ((setup, example),) = runs(text)
        assert (setup, example) in [
            ("", "Net()(torch.randn(2, 3))"),
            ("", "Net().eval()(torch.randn(2, 3))"),
        ]


@pytest.mark.parametrize(
    ("imports", "call", "inputs"),
    [
        ("from torchinfo import summary", "summary(net, (2, 3, 8, 8))", "f32[2, 3, 8, 8]"),
        ("from torchinfo import summary", "summary(net, input_size=(2, 3))", "f32[2, 3]"),
        ("from torchinfo import summary", "summary(net, [(2, 3), (2, 4)])", "f32[2, 3], f32[2, 4]"),
        ("from torchinfo import summary", "summary(net, input_size=(2, 3), dtypes=[torch.long])", "i64[2, 3]"),
        ("from torchsummary import summary", "summary(net, (3, 8, 8))", "f32[2, 3, 8, 8]"),
        ("from torchsummary import summary", "summary(net, input_size=[(3,), (4,)])", "f32[2, 3], f32[2, 4]"),
        ("import ptflops", "ptflops.get_model_complexity_info(net, (3, 8, 8), as_strings=True)", "f32[1, 3, 8, 8]"),
        ("from torchview import draw_graph", "draw_graph(net, input_size=(2, 3))", "f32[2, 3]"),
        ("from calflops import calculate_flops", "calculate_flops(model=net, input_shape=(1, 3))", "f32[1, 3]"),
        ("from torchstat import stat", "stat(net, (3, 8, 8))", "f32[1, 3, 8, 8]"),
    ],
)
def test_a_size(imports, call, inputs):
    assert runs(f"{imports}\nnet = Net()\n{call}\n") == [("", f"Net()({inputs})")]


def test_a_size_that_has_a_name():
    text = "from torchinfo import summary\nSIDE = 8\nshape = (1, 3, SIDE, SIDE)\nnet = Net()\nsummary(net, shape)\n"
    assert runs(text) == [("", "Net()(f32[1, 3, 8, 8])")]


def test_a_size_that_is_computed():
    text = "from torchinfo import summary\ndef main(side=8):\n    summary(Net(), (1, 3, side, side * 2))\n"
    ((setup, call),) = runs(text)
    assert "side = 8" in setup
    assert call == "Net()(torch.rand(1, 3, side, side * 2))"


@pytest.mark.parametrize(
    ("inputs", "call"),
    [
        ("(x, x)", "net(x, x)"),
        ("args", "net(x, x)"),
        ("(x, {'y': x})", "net(x, y=x)"),
    ],
)
def test_several_inputs(inputs, call):
    ((_, example),) = runs(f"{X}args = (x, x)\ntorch.onnx.export(net, {inputs}, 'net.onnx')\n")
    assert example == call


def test_inputs_by_name():
    ((setup, call),) = runs(f"{X}torch.export.export(net, (x,), {{'y': x}})\n")
    assert (setup, call) == ("net = Net()\nx = torch.randn(2, 3)", "net(x, y=x)")
    ((_, call),) = runs(f"from torchinfo import summary\n{X}batch = {{'x': x}}\nsummary(net, input_data=batch)\n")
    assert call == "Net()(x=torch.randn(2, 3))"


@pytest.mark.parametrize(
    "text",
    [
        "from torchinfo import summary\nsummary(Net())",
        "from torchinfo import summary\nsummary(Net(), input_size=shape())",
        "from torchsummary import summary\nsummary(Net(), (3, None))",
        "from helpers import summary\nsummary(3, (3, 8))",
        "def summary(net, size): ...\nsummary(Net(), (3, 8))",
        "torch.onnx.export(Net(), torch.load('x.pt'), 'net.onnx')",
        "torch.onnx.export(torch.nn.Linear(2, 3), torch.randn(2), 'net.onnx')",
        "torch.jit.trace(*args)",
        "torch.jit.trace(Net())",
        "torch.jit.script(Net())",
        "from thop import profile\nprofile(Net())",
    ],
)
def test_nothing_to_run(text):
    assert runs(text) == []


def test_the_place_is_that_of_the_export():
    text = "import torch\nfrom model import Net\nnet = Net()\ntorch.onnx.export(net, torch.ones(1), 'a.onnx')\n"
    space = workspace({"model.py": NET, "export.py": text})
    (example,) = found(space, "call")
    assert example.span is not None
    assert (example.span.path, marked(space, example.span)) == (
        "/w/export.py",
        "torch.onnx.export(net, torch.ones(1), 'a.onnx')",
    )
