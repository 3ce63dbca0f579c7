"""What only other files do with a class."""

from __future__ import annotations

import pytest

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.other_files import with_users
from tests.analysis.workspaces import workspace

MODEL = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.width = nn.Linear(8, 8), 8
        self.table = nn.Parameter(schedule(8))

    def forward(self, x):
        return self.used(x)
"""


def for_others(**files: str) -> set[str]:
    space = workspace({"model.py": MODEL, **{f"{name}.py": text for name, text in files.items()}})
    (module,) = with_users(space, Config(), "/w/model.py")
    return set(module.for_others)


@pytest.mark.parametrize(
    "reader",
    [
        "def sample(model, t):\n    return model.table[t]",
        "class Sampler:\n    def step(self, t):\n        return self.model.table[t]",
        "from model import Net\nclass Other(Net):\n    def forward(self, x):\n        return self.table + x",
        "def sample(model):\n    return getattr(model, 'table')",
        "TIED = {'decoder.table': 'encoder.table'}",
        "def sample(model: return model.table",
    ],
)
def test_what_another_file_reads_is_for_others(reader):
    assert for_others(reader=reader) == {"table"}


@pytest.mark.parametrize(
    "reader",
    [
        "def sample(table):\n    return table",
        "class Other:\n    def __init__(self):\n        self.table = 3\n        print(self.table)",
        "class Other:\n    def __init__(self):\n        self.table = 3\n\ndef read(other):\n    return other.table",
        "def fill(model):\n    model.table = 3",
        "# model.table",
    ],
)
def test_what_nothing_reads_is_for_nobody(reader):
    assert for_others(reader=reader) == set()


@pytest.mark.parametrize(
    ("user", "asks"),
    [
        ("from model import Net\nnet = Net().double()", True),
        ("import model\nnet = model.Net()\nnet.to(torch.float64)", True),
        ("import model\nnet = model.Net().to('cpu', dtype=torch.double)", True),
        ("from model import Net\ntorch.set_default_dtype(torch.float64)", True),
        ("from other import Other\nnet = Other().double()", False),
        ("from model import Net\nnet = Net()  # no double", False),
        ("from model import Net\nprint(Net().double(3), torch.float64)", False),
    ],
)
def test_double_precision_that_another_file_asks_for(user, asks):
    (module,) = with_users(workspace({"model.py": MODEL, "user.py": user}), Config(), "/w/model.py")
    assert module.in_double is asks
