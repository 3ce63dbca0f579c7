"""One module inside of a model is compared: also of one too large for memory, and where modules keep what they know."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from fx_lsp.model.comparison import Compared, Comparison, Overlay
from fx_lsp.model.messages import TraceRequest
from tests.worker.tracing import in_child

INNER = """
import torch
from torch import nn

class Inner(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, 4)

    def forward(self, x, kept=None):
        x = self.linear(x)
        return BODY
"""
MODEL = """
import torch
from torch import nn
from inner import Inner
from kept import Kept

class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(size, size, bias=False) for _ in range(4)])
        self.inner = Inner(size)

    def forward(self, x, kept=None):
        for layer in self.layers:
            x = layer(x)
        return self.inner(x, Kept()).sum(0)
"""
KEPT = """
import torch

class Kept:
    def __init__(self):
        self.all = torch.ones(1, 4)

    def add(self, x):
        self.all = torch.cat([self.all, x])
        return self.all
"""
TWICE = "2 * x"
CACHED = "kept.add(x) * 2"


def compared(folder: Path, old: str, new: str, size: int = 8, files: Mapping[str, str] | None = None) -> Compared:
    inner = folder / "inner.py"
    texts = {"inner.py": INNER.replace("BODY", old), "model.py": MODEL, "kept.py": KEPT, **(files or {})}
    for name, text in texts.items():
        (folder / name).write_text(text)
    comparison = Comparison((Overlay(str(inner), inner.read_text().replace(old, new)),), str(inner), "Inner")
    call = f"Net({size})(f32[3, {size}])"
    reply = in_child(TraceRequest(1, str(folder), str(folder / "model.py"), call, comparison=comparison))
    assert reply.failure is None, reply.failure
    assert reply.compared is not None
    return reply.compared


@pytest.mark.parametrize("size", [8, 6000])
def test_it_is_compared_also_where_the_model_around_it_does_not_fit(tmp_path: Path, size: int) -> None:
    same = compared(tmp_path, TWICE, "x + x", size)
    assert not same.why
    assert same.checks > 4
    assert same.dtype == "f64"
    assert "differs by" in compared(tmp_path, TWICE, "2.01 * x", size).why


def test_one_that_is_too_large_itself_is_told(tmp_path: Path) -> None:
    texts = {"inner.py": INNER.replace("nn.Linear(size, 4)", "nn.Linear(size, 30000)").replace("BODY", TWICE)}
    found = compared(tmp_path, TWICE, "x + x", 6000, texts)
    assert found.why == "with 180,030,000 numbers it is too large to be run twice"


def test_what_an_object_keeps_is_its_own_in_every_run(tmp_path: Path) -> None:
    same = compared(tmp_path, CACHED, "2 * kept.add(x)")
    assert not same.why
    assert same.checks > 4
    assert compared(tmp_path, CACHED, "kept.add(x) * 3").why


@pytest.mark.parametrize("keeps", ["NAMES.setdefault('inner', Inner)", "NAMES.add(Inner)"])
def test_a_registry_does_not_hide_the_edit(tmp_path: Path, keeps: str) -> None:
    """It keeps what it was given first, or takes a name but once."""
    names = """
class Names(dict):
    def add(self, one):
        if one.__name__ in self:
            raise KeyError(one.__name__)
        self[one.__name__] = self["inner"] = one

NAMES = Names()
"""
    files = {
        "names.py": names,
        "inner.py": f"from names import NAMES\n{INNER.replace('BODY', TWICE)}\n{keeps}\n",
        "model.py": "import inner\nfrom names import NAMES\n"
        + MODEL.replace("from inner import Inner", "").replace("Inner(size)", "NAMES['inner'](size)"),
    }
    assert not compared(tmp_path, TWICE, "x + x", files=files).why
    assert "differs by" in compared(tmp_path, TWICE, "3 * x", files=files).why


def test_an_object_that_stands_for_nothing_stays_itself(tmp_path: Path) -> None:
    files = {
        "names.py": "NOTHING = object()\n",
        "inner.py": "from names import NOTHING\n" + INNER.replace("BODY", "x + x if kept is NOTHING else kept.all"),
        "model.py": "from names import NOTHING\n" + MODEL.replace("Kept()", "NOTHING"),
    }
    same = compared(tmp_path, "x + x", TWICE, files=files)
    assert not same.why
    assert "differs by" in compared(tmp_path, "x + x", "3 * x", files=files).why
