"""Examples for classes whose settings have defaults that stand for nothing yet: -1 for a size, None for a part."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

SETTINGS = """
    from dataclasses import dataclass, field
    from typing import Literal, Optional

    @dataclass
    class CellConfig:
        hidden_size: int = -1
        num_heads: int = 4
        pad_idx: int = -1
        context_length: int = -1
        backend: Literal["cuda", "torch"] = "cuda"

        @property
        def head_dim(self):
            return self.hidden_size // self.num_heads

    class Cell(nn.Module):
        def __init__(self, config: CellConfig):
            super().__init__()
            self.config = config
            if config.backend == "cuda":
                raise KeyError("CUDA_LIB")
            assert config.pad_idx == -1
            self.register_buffer("mask", torch.ones(config.context_length, config.context_length).tril())
            self.weight = nn.Parameter(torch.empty(config.num_heads, config.head_dim, config.head_dim))
        def forward(self, x):
            y = x.unflatten(-1, (self.config.num_heads, self.config.head_dim))
            return torch.einsum("...hd,hde->...he", y, self.weight).flatten(-2)

    @dataclass
    class LayerConfig(CellConfig):
        width: int = -1
        factor: float = 2.0

        def __post_init__(self):
            self.hidden_size = self.width
            self.inner = int(self.width * self.factor)

    class Layer(nn.Module):
        def __init__(self, config: LayerConfig):
            super().__init__()
            self.up = nn.Linear(config.width, config.inner)
            self.down = nn.Linear(config.inner, config.width)
            self.cell = Cell(config)
        def forward(self, x):
            return self.cell(self.down(self.up(x)))

    @dataclass
    class GateConfig:
        width: int = -1

    class Gate(nn.Module):
        def __init__(self, config: GateConfig):
            super().__init__()
            self.lin = nn.Linear(config.width, config.width)
        def forward(self, x):
            return x * self.lin(x).sigmoid()

    @dataclass
    class BlockConfig:
        layer: Optional[LayerConfig] = None
        gate: Optional[GateConfig] = None
        after: Optional[GateConfig] = None

        def __post_init__(self):
            assert self.layer is not None or self.gate is not None, "Either layer or gate must be given"
            assert self.layer is None or self.gate is None, "Only one of layer or gate can be given"
            width = self.layer.width if self.layer is not None else self.gate.width
            if self.after:
                self.after.width = width

    class Block(nn.Module):
        def __init__(self, config: BlockConfig):
            super().__init__()
            self.inner = Layer(config.layer) if config.layer is not None else Gate(config.gate)
            self.after = Gate(config.after) if config.after is not None else nn.Identity()
        def forward(self, x):
            return self.after(self.inner(x))

    @dataclass
    class StackConfig:
        layer_block: Optional[BlockConfig] = None
        num_blocks: int = 1
        width: int = 128

        def __post_init__(self):
            if self.layer_block is not None and self.layer_block.layer is not None:
                self.layer_block.layer.width = self.width
                self.layer_block.layer.__post_init__()

    class Stack(nn.Module):
        def __init__(self, config: StackConfig):
            super().__init__()
            self.config = config
            self.blocks = nn.ModuleList(self._made(number) for number in range(config.num_blocks))
            self.norm = nn.LayerNorm(config.width)

        def _made(self, number):
            config = self.config.layer_block
            return Block(config=config) if config.layer is not None else Gate(config.gate)

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return self.norm(x)
"""


@pytest.mark.parametrize("name", ["Cell", "Layer", "Gate", "Block", "Stack"])
def test_what_has_to_be_given_all_the_same(tmp_path: Path, name: str) -> None:
    one = found(tmp_path, SETTINGS, name)[name]
    works(tmp_path, SETTINGS, one)
    assert f"{name}Config(" in one.call


def test_two_fields_that_are_nothing_and_meet(tmp_path: Path) -> None:
    source = """
    from dataclasses import dataclass

    @dataclass
    class NetConfig:
        input_len: int = None
        output_len: int = None

    class Net(nn.Module):
        def __init__(self, config: NetConfig):
            super().__init__()
            self.fc = nn.Linear(12, 8)
            self.input_len, self.output_len = config.input_len, config.output_len
        def forward(self, x):
            total = self.input_len + self.output_len
            y = self.fc(x).new_zeros(total, 3)
            return y
    """
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)
