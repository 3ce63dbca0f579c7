"""Examples that are found run as they are found: one workspace, several places to look."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from tests.cli.command import fx_lsp

NET = """\
import torch
from torch import nn

REGISTRY = {{}}


def register(item):
    REGISTRY[item.__name__] = item
    return item


@register
class {name}(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 4)

    def forward(self, x):
        y = self.fc(x)
        return y


def create(name, **more):
    return REGISTRY[name](**more)
"""

USES = {
    "exported": ("export.py", "import torch\nfrom exported import Exported\n"
                 "net = Exported(5)\ntorch.onnx.export(net, (torch.randn(3, 5),), 'net.onnx')\n", "[3, 4]"),
    "summed": ("count.py", "from torchinfo import summary\nfrom summed import Summed\n"
               "def main(width=6):\n    summary(Summed(width), input_size=(7, 6))\n", "[7, 4]"),
    "noted": ("docs/noted.ipynb", json.dumps({"cells": [
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import torch\n", "from noted import Noted"]},
        {"cell_type": "code", "source": ["net = Noted(8)\n", "print(net(torch.ones(9, 8)).shape)"]},
    ]}), "[9, 4]"),
    "fixed": ("tests/test_fixed.py", "def test_shape(net, batch):\n    assert net(batch).ndim == 2\n", "[10, 4]"),
    "named": ("tests/test_named.py", "import torch\nfrom named import create\n"
              "def test():\n    create('Named', width=3)(torch.ones(11, 3))\n", "[11, 4]"),
    "told": ("told_main.py", "import argparse\nimport torch\nimport yaml\nfrom told import Told\n"
             "def main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('data')\n"
             "    parser.add_argument('--config', default='told.yaml')\n    args = parser.parse_args()\n"
             "    with open(args.config) as file:\n        config = yaml.safe_load(file)\n"
             "    net = Told(config['net']['width'])\n    net(torch.ones(12, config['net']['width']))\n", "[12, 4]"),
}  # fmt: skip
CONFTEST = """
    import pytest
    import torch
    from fixed import Fixed

    @pytest.fixture(params=[2, 3])
    def net(request):
        return Fixed(request.param)

    @pytest.fixture
    def batch():
        return torch.ones(10, 2)
"""


@pytest.fixture(scope="module")
def hints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Shape of `y` per file."""
    root = tmp_path_factory.mktemp("found")
    files = {"pyproject.toml": "", "told.yaml": "net:\n  width: 2  # small\n", "tests/conftest.py": dedent(CONFTEST)}
    for name, (path, text, _) in USES.items():
        files |= {f"{name}.py": NET.format(name=name.title()), path: text}
    for path, text in files.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    answer = fx_lsp(root, "check", *(f"{name}.py" for name in USES), "--format", "json")
    found = {}
    for file in json.loads(answer.stdout)["files"]:
        assert [example["origin"] for example in file["examples"]] == ["call"], file
        (shape,) = [hint["label"] for hint in file["hints"] if hint["name"] == "y"]
        found[Path(file["path"]).stem] = shape
    return found


@pytest.mark.parametrize("name", USES)
def test_the_sizes_are_those_of_the_workspace(hints: dict[str, str], name: str) -> None:
    assert USES[name][2] in hints[name]
