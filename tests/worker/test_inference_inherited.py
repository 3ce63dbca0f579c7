"""What a class leaves to the one above it to say."""

from __future__ import annotations

from pathlib import Path

from tests.worker.test_inference import found, works

BASE = """
    from typing import Iterable, Tuple
    from torch import Tensor
    class Base(nn.Module):
        def __init__(self, extents: Iterable[Tuple[int]], conditions: Iterable[Tuple[int]] = None):
            super().__init__()
            self.extents, self.conditions = list(extents), list(conditions or [])
        def forward(self, parts: Iterable[Tensor], extra: Iterable[Tensor] = None, rev: bool = False):
            raise NotImplementedError
"""


def test_annotations_of_the_constructor_and_the_method_above(tmp_path: Path) -> None:
    source = f"""{BASE}
    class Permute(Base):
        def __init__(self, extents, conditions=None):
            super().__init__(extents, conditions)
            if len(extents) != 1:
                raise ValueError("can have only one input")
            self.register_buffer("order", torch.arange(extents[0][0]).flip(0))
        def forward(self, x, extra=None, rev=False):
            y = x[0][:, self.order]
            return (y,), 0.0
    """
    one = found(tmp_path, source, "Permute")["Permute"]
    works(tmp_path, source, one)
    assert one.call == "Permute(extents=[(64,)])([f32[2, 64]])"


def test_through_one_that_says_nothing(tmp_path: Path) -> None:
    source = f"""{BASE}
    class Down(Base):
        def __init__(self, extents, conditions=None):
            super().__init__(extents, conditions)
            channels, height, width = extents[0]
            self.conv = nn.Conv2d(channels, channels, 2, 2)
        def forward(self, x, extra=None, rev=False):
            y = self.conv(x[0])
            return (y,)
    class Up(Down):
        def __init__(self, extents, conditions=None):
            super().__init__(self.reversed(extents), conditions)
        def reversed(self, extents):
            if len(extents) != 1:
                raise ValueError("exactly one input")
            channels, height, width = extents[0]
            return [(channels // 2, height * 2, width * 2)]
    """
    one = found(tmp_path, source, "Up")["Up"]
    works(tmp_path, source, one)
    assert one.call.endswith("([f32[2, 32, 32, 32]])")


def test_a_matrix_that_has_an_inverse(tmp_path: Path) -> None:
    source = """
    class Fixed(nn.Module):
        def __init__(self, matrix: torch.Tensor = None):
            super().__init__()
            if matrix is None:
                raise ValueError("matrix has to be specified")
            self.register_buffer("inverse", matrix.t().inverse())
        def forward(self, x):
            y = x.mm(self.inverse)
            return y
    """
    one = found(tmp_path, source, "Fixed")["Fixed"]
    works(tmp_path, source, one)
    assert one.call == "Fixed(matrix=torch.eye(64))(f32[2, 64])"


def test_attributes_of_what_takes_the_rest(tmp_path: Path) -> None:
    source = """
    class Settings(dict):
        def __getattr__(self, name):
            if name in self:
                return self[name]
            raise AttributeError(f"'Settings' object has no attribute '{name}'")
    class Stem(nn.Module):
        def __init__(self, in_channels: int, **config):
            super().__init__()
            self.config = Settings(dict(config))
            self.conv = nn.Conv1d(in_channels, self.config.num_filters, self.config.kernel_size)
        def forward(self, x):
            y = self.conv(x)
            return y
    """
    one = found(tmp_path, source, "Stem")["Stem"]
    works(tmp_path, source, one)
    assert "num_filters=" in one.call
    assert "kernel_size=" in one.call


def test_a_table_that_a_message_asks_for(tmp_path: Path) -> None:
    source = """
    def build(options):
        if not isinstance(options, dict):
            raise TypeError(f"options must be a dict, but got {type(options)}")
        return nn.Linear(options["width"], 8)
    class Head(nn.Module):
        def __init__(self, lower_args):
            super().__init__()
            self.lower = build(lower_args)
        def forward(self, x):
            y = self.lower(x)
            return y
    """
    works(tmp_path, source, found(tmp_path, source, "Head")["Head"])
