"""Models that several tests open, and the places that they lie in."""

from __future__ import annotations

from pathlib import Path

NET = """import torch
from torch import nn


# fx: Net()(f32[2, 8])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        h = self.fc(x)
        return h.relu()
"""
"""A model with a hint on its parameter, its assignment and its return."""

NET_HINTS = [
    "def forward(self, x⟦: f32[2, 8]⟧):",
    "h⟦: f32[2, 4]⟧ = self.fc(x)",
    "return⟦: f32[2, 4]⟧ h.relu()",
]

FOLDED = """import torch
from torch import nn


# fx: Net()(f32[2, 3, 8, 8])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)

    def forward(self, x):
        return self.norm(self.conv(x)).relu()
"""
"""A batch norm after the convolution that can take it in."""


def model(body: str, *, inputs: str = "f32[2, 8]", name: str = "Net", head: str = "") -> str:
    """A module whose `forward(self, x)` has this body, with a directive."""
    lines = "\n".join(f"        {line}" if line else "" for line in body.strip("\n").split("\n"))
    return f"""import torch
from torch import nn
{head}

# fx: {name}()({inputs})
class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
{lines}
"""


def configure(home: Path, text: str) -> Path:
    """The user's own configuration of fx-lsp, below what is to be `XDG_CONFIG_HOME`."""
    file = home / "fx-lsp" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def workspace(folder: Path) -> Path:
    """An empty workspace in a folder that has other things in it."""
    root = folder / "workspace"
    root.mkdir()
    return root
