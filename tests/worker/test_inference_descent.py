"""Arguments that come down to where another constructor failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

CASES = {
    "lists of a loop, gone through side by side": (
        """
        class Block(nn.Module):
            def __init__(self, channels, kernel, spread, style):
                super().__init__()
                self.convs = nn.ModuleList([
                    nn.Conv1d(channels, channels, kernel, padding=(kernel - 1) * spread[at] // 2, dilation=spread[at])
                    for at in range(3)
                ])
                self.style = nn.Linear(style, channels)
            def forward(self, x, s):
                for conv in self.convs:
                    x = conv(x) + self.style(s).unsqueeze(-1)
                return x

        class Net(nn.Module):
            def __init__(self, style_dim, block_kernels, hidden_channels, block_spreads):
                super().__init__()
                self.blocks = nn.ModuleList()
                for i in range(2):
                    width = hidden_channels
                    for j, (k, d) in enumerate(zip(block_kernels, block_spreads)):
                        self.blocks.append(Block(width, k, d, style_dim))
            def forward(self, x, s):
                for block in self.blocks:
                    x = block(x, s)
                return x
        """,
        "block_spreads=((",
    ),
    "a number within a function": (
        """
        def activation_of(kind):
            table = {"soft": nn.Softplus, "hard": nn.Hardtanh}
            return table[kind]()

        class Block(nn.Module):
            def __init__(self, width, *, flavour):
                super().__init__()
                self.fc = nn.Linear(width, width)
                self.act = activation_of(flavour)
            def forward(self, x):
                y = self.act(self.fc(x))
                return y

        class Net(nn.Module):
            def __init__(self, width, depth, taste):
                super().__init__()
                chosen = taste
                self.blocks = nn.Sequential(*[Block(width, flavour=chosen) for _ in range(depth)])
            def forward(self, x):
                return self.blocks(x)
        """,
        "taste='soft'",
    ),
}


@pytest.mark.parametrize("case", CASES, ids=CASES)
def test_it_is_found(case: str, tmp_path: Path) -> None:
    source, expected = CASES[case]
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)
    assert expected in one.call, one.call
