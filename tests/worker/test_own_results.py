"""What an own function computes and nobody keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import for_warning
from tests.worker.test_rows_of_data import looked_at

SOURCE = """
import torch
from torch import nn
import torch.nn.functional as F

def standardise(x, eps=1e-8):
    \"\"\"Zero mean.\"\"\"
    low = min(eps, 1.0)
    if x.dim() > 1:
        x = x - x.mean(0)
    return x / (x.std() + low)

DEFINED

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def halves(self, x):
        return x.view(x.shape[0], 2, 4).transpose(0, 1)

    def noted(self, x):
        self.last = x.relu()
        return self.last

    def forward(self, x):
        h = self.fc(x)
        CALLED
        return h

x, seen = torch.randn(4, 8), []
net = Net()
net(x), standardise(x), net.halves(x), net.noted(x)
BODY
"""


def wrong(folder: Path, defined: str = "", called: str = "", body: str = "") -> list[str]:
    text = SOURCE.replace("DEFINED", defined).replace("CALLED", called).replace("BODY", body)
    snapshot, found = looked_at(folder, text)
    for one in found:
        assert one.code == "result-unused", one
    for one in found:
        edit = for_warning(one, snapshot)[0]
        assert looked_at(folder, applied(snapshot.text, edit.changes))[1] == [], edit.title
    return [text.split("\n")[one.span.line - 1].strip() for one in found]


@pytest.mark.parametrize(
    "body", ["standardise(x)\nprint(x)", "for _ in range(2):\n    standardise(x, eps=1e-5)\n    net(x)"]
)
def test_a_function_that_only_gives(body: str, tmp_path: Path) -> None:
    assert wrong(tmp_path, body=body) == [next(one.strip() for one in body.split("\n") if "standardise" in one)]


def test_a_method_that_only_gives(tmp_path: Path) -> None:
    assert wrong(tmp_path, called="self.halves(h)") == ["self.halves(h)"]


@pytest.mark.parametrize(
    ("defined", "body"),
    [
        ("def centre(x):\n    x -= x.mean()\n    return x", "centre(x)\nprint(x)"),
        ("def centre(x):\n    x.sub_(x.mean())\n    return x * 2", "centre(x)\nprint(x)"),
        ("def kept(x):\n    seen.append(x.mean())\n    return x * 2", "kept(x)\nprint(x)"),
        ("def told(x):\n    print(x.mean())\n    return x * 2", "told(x)\nprint(x)"),
        ("def first(x):\n    x[0] = x.mean()\n    return x * 2", "first(x)\nprint(x)"),
        ("def run(x):\n    return net(x)", "run(x)\nprint(x)"),
        ("def check(x):\n    assert x.mean() < 9", "check(x)\nprint(x)"),
        ("def many(x):\n    yield x.mean()", "many(x)"),
        ("", "standardise = seen.append\nstandardise(x)\nprint(x)"),
        ("", "net.noted(x)\nprint(x)"),
        ("", "standardise(x)"),
        ("def finite(x):\n    assert torch.isfinite(x).all()\n    return x", "finite(x)\nprint(x)"),
        ("def each(standardise, x):\n    standardise(x)\n    return x", "each(seen.append, x)"),
        ("", "import time\nbefore = time.perf_counter()\nstandardise(x)\nprint(x, time.perf_counter() - before)"),
        ("", "try:\n    standardise(x)\n    print(x)\nexcept RuntimeError:\n    pass"),
    ],
)
def test_what_does_something_too(defined: str, body: str, tmp_path: Path) -> None:
    assert wrong(tmp_path, defined, body=body) == []


def test_a_method_that_another_class_has_too(tmp_path: Path) -> None:
    own = "class Own(Net):\n    def halves(self, x):\n        self.last = x\n        return x\nOwn()(x)"
    assert wrong(tmp_path, called="self.halves(h)", body=own) == []


def test_a_method_that_keeps_something(tmp_path: Path) -> None:
    assert wrong(tmp_path, called="self.noted(h)") == []
