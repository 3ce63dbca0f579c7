"""What a process may not do, tried under layers that forbid it in different ways."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def append(path: Path) -> Any:
    with (path / "file").open("a") as file:
        file.write("more")


def remove(path: Path) -> Any:
    (path / "file").unlink()


def rename(path: Path) -> Any:
    (path / "file").rename(path / "other")


def make_folder(path: Path) -> Any:
    (path / "new").mkdir()


def truncate(path: Path) -> Any:
    os.truncate(path / "file", 0)


def truncate_by_reading(path: Path) -> Any:
    os.close(os.open(path / "file", os.O_RDONLY | os.O_TRUNC))


def state(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") if path.is_file() else "" for path in folder.iterdir()}


def signal_parent() -> str:
    os.kill(os.getppid(), 0)
    return "done"


def print_to_nowhere() -> str:
    with open(os.devnull, "w", encoding="utf-8") as null:
        print("text", file=null)
    return "done"
