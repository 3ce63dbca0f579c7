"""Attributes that only other files read."""

from __future__ import annotations

import pytest

from fx_lsp.analysis.attributes import with_readers
from fx_lsp.analysis.config import Config
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
    (module,) = with_readers(space, Config(), "/w/model.py")
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
