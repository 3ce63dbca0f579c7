"""Blocks that are made of a class which the constructor is given, and the sizes of their kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.worker.inference.attempts import run
from fx_lsp.worker.inference.watch import Watch
from tests.worker.test_inference import found, works

BLOCKS = """
    from typing import Type, Union
    class Plain(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.fc = nn.Linear(width, width)
        def forward(self, x):
            return self.fc(x)
    class DenseBlock(nn.Module):
        def __init__(self, cin, cout, kernel, stride=1, padding=0, norm=True):
            super().__init__()
            self.model = nn.Sequential(nn.BatchNorm2d(cin), nn.Conv2d(cin, cout, kernel, stride, padding))
        def forward(self, x):
            y = torch.cat([x, self.model(x)], 1)
            return y
"""
NETS = {
    "by the arguments of the call": (
        """
    class Net(nn.Module):
        def __init__(self, depth, in_channels, growth_rate, block, kernel, padding=0):
            super().__init__()
            widths = [in_channels + i * growth_rate for i in range(depth)]
            self.model = nn.Sequential(*[block(one, growth_rate, kernel, 1, padding, norm=True) for one in widths])
        def forward(self, x):
            y = self.model(x)
            return y
        """,
        "block=DenseBlock",
    ),
    "one of two that are annotated": (
        """
    class Net(nn.Module):
        def __init__(self, block: Type[Union[Plain, DenseBlock]], layers: List[int]):
            super().__init__()
            self.width = 64
            self.model = self._make_layer(block, layers[0])
        def _make_layer(self, block, count):
            return nn.Sequential(*[block(self.width) for _ in range(count)])
        def forward(self, x):
            y = self.model(x)
            return y
        """,
        "block=Plain",
    ),
}


@pytest.mark.parametrize("name", NETS)
def test_a_class_of_the_workspace_that_can_be_made_so(tmp_path: Path, name: str) -> None:
    net, expected = NETS[name]
    one = found(tmp_path, BLOCKS + net)["Net"]
    works(tmp_path, BLOCKS + net, one)
    assert expected in one.call


def test_what_comes_out_is_as_large_as_what_went_in(tmp_path: Path) -> None:
    one = found(tmp_path, BLOCKS, "DenseBlock")["DenseBlock"]
    works(tmp_path, BLOCKS, one)
    assert "padding=1" in one.call


def test_what_is_left_of_a_division_is_no_value_that_is_wanted() -> None:
    def built(width: int, groups: int) -> None:
        if width % groups != 0:
            raise ValueError("width must be divisible by groups")

    assert run(lambda: built(3, 4), Watch(), 5).compared() == []
