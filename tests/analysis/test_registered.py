"""Models that are built by the name under which they are registered, and run by trainers or by their own methods."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.analysis.workspaces import found, workspace

REGISTRY = """\
class Registry:
    def __init__(self):
        self.known = {}

    def register(self, name=None):
        def add(item):
            self.known[name or item.__name__] = item
            return item
        return add

    def build(self, config, **more):
        return self.known[config.pop("type")](**config, **more)

MODELS = Registry()

def build_model(config):
    return MODELS.build(config)

def register_model(function):
    return function

def create_model(name, **more):
    return MODELS.known[name](**more)
"""
NET = """\
import torch
from torch import nn
from registry import MODELS, register_model


@MODELS.register()
class Net(nn.Module):
    def __init__(self, width=3):
        super().__init__()

    def forward(self, x):
        return x

    def encode(self, x):
        return self(x)

    def load_weights(self, path):
        pass


@MODELS.register(name="other-net")
class Other(Net):
    def forward(self, x):
        return x


@register_model
def net_small(**more):
    return Net(2, **more)


NAMED = {"plain": Net}
"""


def calls(text: str, origin: str = "call") -> list[tuple[str, str]]:
    head = "import torch\nfrom registry import MODELS, build_model, create_model\n"
    space = workspace({"registry.py": REGISTRY, "model.py": NET, "tests/test_model.py": head + dedent(text)})
    return [(example.target, example.call) for example in found(space, origin)]


@pytest.mark.parametrize(
    ("make", "target"),
    [
        ("MODELS.build(dict(type='Net', width=3))", "Net"),
        ("MODELS.build({'type': 'Net'})", "Net"),
        ("build_model(dict(type='Net', width=3))", "Net"),
        ("build_model(config)", "Net"),
        ("create_model('net_small')", "Net"),
        ("create_model('other-net', width=5)", "Other"),
        ("create_model('plain')", "Net"),
        ("create_model(model_name='Net')", "Net"),
    ],
)
def test_by_name(make, target):
    text = f"def test():\n    config = dict(type='Net', width=3)\n    net = {make}\n    net(torch.ones(2))"
    ((found_target, call),) = calls(text)
    assert found_target == target
    assert call.endswith("(torch.ones(2))")


@pytest.mark.parametrize(
    "make",
    ["create_model('unknown')", "create_model(name())", "build_model(dict(kind=3))", "Net", "'Net'"],
)
def test_no_such_name(make):
    assert calls(f"net = {make}\nnet(torch.ones(2))") == []


def test_by_the_default_of_an_option():
    ((target, _),) = calls("""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--model-name", default="net_small")
        args = parser.parse_args()
        net = create_model(args.model_name, width=2)
        net(torch.ones(2))
    """)
    assert target == "Net"


def test_a_step_of_training():
    files = {
        "lit.py": """
            import torch
            import pytorch_lightning as pl
            class Lit(pl.LightningModule):
                def forward(self, x):
                    return x
                def training_step(self, batch, batch_idx):
                    x, y = batch
                    return self(x).sum()
        """,
        "train.py": """
            import torch
            import pytorch_lightning as pl
            from torch.utils.data import DataLoader, TensorDataset
            from lit import Lit
            def main():
                data = DataLoader(TensorDataset(torch.ones(9, 3), torch.ones(9)), batch_size=4)
                model = Lit()
                trainer = pl.Trainer(max_epochs=3)
                trainer.fit({arguments})
        """,
    }
    for arguments in ("model, data", "model, train_dataloaders=data", "model=model, train_dataloaders=data"):
        space = workspace({**files, "train.py": files["train.py"].replace("{arguments}", arguments)})
        (example,) = found(space, "call", "lit.py")
        assert ".training_step(next(iter(" in example.call
        assert "Trainer" not in example.setup + example.call
    for arguments in ("model", "model, datamodule=module", "other, data"):
        space = workspace({**files, "train.py": files["train.py"].replace("{arguments}", arguments)})
        assert not found(space, "call", "lit.py")


def test_other_methods_come_last():
    text = "from model import Net\nnet = Net()\nz = net.encode(torch.ones(2))\ny = net(torch.ones(3))\n"
    assert calls(text) == [("Net", "Net()(torch.ones(3))"), ("Net", "Net().encode(torch.ones(2))")]


@pytest.mark.parametrize(
    "call", ["net.load_weights('x')", "net.encode()", "net.undefined(torch.ones(2))", "net.to('cpu')"]
)
def test_methods_that_run_nothing(call):
    assert calls(f"from model import Net\nnet = Net()\n{call}\n") == []
