"""The product as its users run it: `fx-lsp check … --format json`, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]


def python_path() -> str:
    """Where this repository is, then what was there already."""
    return os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")]))


def check(root: str, paths: Sequence[str], python: str = "", *, kept: bool = False) -> dict[str, Any]:
    """The report on `paths` (relative to `root`), with models run by `python` where one is given; `kept` for what
    is run after it.

    Raises:
        RuntimeError: it ended with an error of its own (status 2) or died.
    """
    command = [sys.executable, "-m", "fx_lsp.cli", "check", "--trust", *paths, "--format", "json"]
    command += [] if kept else ["--no-cache"]
    command += ["--interpreter", python] if python else []
    environment = {**os.environ, "PYTHONPATH": python_path()}
    answer = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if answer.returncode not in (0, 1):
        raise RuntimeError(f"fx-lsp check: status {answer.returncode}\n{answer.stderr[-2000:]}")
    return json.loads(answer.stdout)
