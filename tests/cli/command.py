"""Runs `fx-lsp` as a user does, with a limit on every wait."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

PATIENCE = 120.0
"""Seconds after which a wait has failed; a busy machine takes long to import torch."""

GOOD = """import torch
from torch import nn


# fx: Net()(f32[B:2, 8])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        é = self.fc(x); h = é.relu()
        return h
"""

BAD = GOOD.replace("nn.Linear(8, 4)", "nn.Linear(9, 4)")


def arguments(*given: str) -> list[str]:
    """The command line of a process."""
    return [sys.executable, "-m", "fx_lsp.cli", *given]


def environment(**extra: str) -> dict[str, str]:
    """Without what chooses an interpreter or a colour, and of a user who configured nothing: the same everywhere."""
    dropped = ("VIRTUAL_ENV", "CONDA_PREFIX", "NO_COLOR", "FORCE_COLOR")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PYTHONPATH": str(REPOSITORY), "PYTHONUTF8": "1", "XDG_CONFIG_HOME": os.devnull, **extra}


def fx_lsp(root: Path, *given: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder `root` to its end; `extra` is added to its environment."""
    return subprocess.run(
        arguments(*given),
        cwd=root,
        env=environment(**extra),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )


def workspace(root: Path, **files: str) -> Path:
    """A root with these Python files, by name without `.py`."""
    (root / "pyproject.toml").touch()
    for name, text in files.items():
        (root / f"{name}.py").write_text(text, "utf-8")
    return root


def configure(folder: Path, text: str) -> str:
    """The user's own configuration, below `folder`; what `XDG_CONFIG_HOME` has to be."""
    file = folder / "config" / "fx-lsp" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return str(folder / "config")
