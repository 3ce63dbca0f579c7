"""What an example computes as a function of its dims: true at sizes that nobody tried, in words that people use."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from fx_lsp.model.costs import CostRequest, Costs
from fx_lsp.model.messages import TraceRequest
from fx_lsp.model.naming import Naming
from tests.worker.tracing import in_child

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
"""
ATTENTION = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(64, 192)
        self.head = nn.Linear(64, 100)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        x = (q @ k.transpose(1, 2)).softmax(-1) @ v
        return self.head(x[:, -1])
"""
FUSED = """
class Net(nn.Module):
    def forward(self, x):
        x = x.unflatten(2, (4, 16)).transpose(1, 2)
        return F.scaled_dot_product_attention(x, x, x)
"""
CONVOLUTIONS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 7, 2, 3), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1))

    def forward(self, x):
        return self.stem(x)
"""
LOOP = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(8, 16)

    def forward(self, x):
        h = x.new_zeros(x.size(0), 16)
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
        return h
"""
BLOCKS = """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(64, 256)

    def forward(self, x):
        return self.up(x)[..., :64]

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(6))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""
BRANCH = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        x = self.fc(x)
        return x @ x.T if len(x) % 2 else x
"""


def asked(folder: Path, source: str, call: str, *, named: bool = True, engine: str = "fake") -> Costs:
    """The formulas, or what it costs in numbers."""
    path = folder / "model.py"
    path.write_text(HEAD + dedent(source))
    naming = Naming(call, engine=engine) if named else None
    request = TraceRequest(1, str(folder), str(path), call, engine=engine, costs=CostRequest(engine), naming=naming)
    reply = in_child(request)
    assert reply.failure is None, reply.failure
    assert reply.costs is not None
    return reply.costs


def written(costs: Costs) -> dict[str, str]:
    return {one.module: one.formula for one in costs.modules}


@pytest.mark.parametrize(
    ("source", "call", "formula", "other", "sizes"),
    [
        (ATTENTION, "Net()(f32[4, 16, 64])", "256*B*T**2 + 24576*B*T + 12800*B", "Net()(f32[3, 29, 64])", (3, 29)),
        (FUSED, "Net()(f32[4, 16, 64])", "4*B*T**2*4*16", "Net()(f32[5, 21, 64])", (5, 21)),
        (LOOP, "Net()(f32[4, 6, 8])", "2304*B*T", "Net()(f32[7, 9, 8])", (7, 9)),
        (BLOCKS, "Net()(f32[4, 6, 64])", "12*B*T*64*256", "Net()(f32[7, 9, 64])", (7, 9)),
    ],
)  # fmt: skip
def test_the_whole(tmp_path: Path, source: str, call: str, formula: str, other: str, sizes: tuple[int, int]) -> None:
    found = asked(tmp_path, source, call)
    assert found.formula == formula
    there = asked(tmp_path, source, other, named=False)
    assert eval(formula, {}, dict(zip("BT", sizes, strict=True))) == there.total.flops


def test_convolutions_round_as_they_do(tmp_path: Path) -> None:
    found = asked(tmp_path, CONVOLUTIONS, "Net()(f32[2, 3, 64, 64])")
    assert written(found)["stem.0"] == "2*B*((H+1)//2)*((W+1)//2)*3*7*7*16"
    for height, width in ((61, 90), (75, 33)):
        there = asked(tmp_path, CONVOLUTIONS, f"Net()(f32[3, 3, {height}, {width}])", named=False)
        assert eval(found.formula, {}, {"B": 3, "H": height, "W": width}) == there.total.flops


def test_modules_and_expressions(tmp_path: Path) -> None:
    found = asked(tmp_path, BLOCKS, "Net()(f32[4, 6, 64])")
    assert written(found) == {"": "12*B*T*64*256"} | {
        f"blocks.{number}{rest}": "2*B*T*64*256" for number in range(6) for rest in ("", ".up")
    }
    assert [one.formula for one in found.expressions] == ["12*B*T*64*256"] * 2
    assert [one.total.flops for one in found.expressions] == [12 * 4 * 6 * 64 * 256] * 2


def test_what_is_no_function_of_the_dims_has_no_formula(tmp_path: Path) -> None:
    found = asked(tmp_path, BRANCH, "Net()(f32[6, 8])")
    assert found.formula == ""
    assert written(found) == {"fc": "2*B*8*8"}
    assert found.total.flops == 2 * 6 * 8 * 8


def test_what_never_varies_has_none(tmp_path: Path) -> None:
    found = asked(tmp_path, BLOCKS, "Net()(torch.randn(*[4, 6, 64]))")
    assert (found.formula, found.expressions, found.modules) == ("", (), ())
    assert found.total.flops == 12 * 4 * 6 * 64 * 256


def test_on_real_tensors(tmp_path: Path) -> None:
    found = asked(tmp_path, ATTENTION, "Net()(f32[4, 16, 64])", engine="real")
    assert found.formula == "256*B*T**2 + 24576*B*T + 12800*B"
