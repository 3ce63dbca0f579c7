"""The hostile modules: one file each in `modules/`, read and never imported.

A module states, as literals: `HARM`, what it does where nothing holds it; `PLANT`, further files of its workspace;
and the options of `Hostile` that differ from the usual.
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "modules"
KIT = Path(__file__).parent / "workspace" / "kit.py"


@dataclass(frozen=True)
class Hostile:
    """One attack."""

    name: str
    text: str
    harm: tuple[str, ...] = ()
    """Kinds of harm it does to an unprivileged user without any layer, see `judge.py`; empty: the design alone holds
    it, or it is harmless and only has to be survived."""
    plant: dict[str, Any] = field(default_factory=dict)
    """Further files, by path below its folder: a text, or what `put` knows."""
    own: bool = False
    """It is a workspace of its own, with a session of its own, and its planted files lie in the root."""
    trusted: bool = True
    """Whether that session is told to trust it; harm without layers is then looked for with trust."""
    runs: bool = True
    """Whether its trace can end; without: there is nothing to wait for but `fx/idle`."""
    moving: str = ""
    """A planted file that changes all the time while the module runs."""
    linked: str = ""
    """What its workspace is a link to, a folder of the host; nothing is planted there but its own file."""
    brief: bool = False
    """Whether it ends by itself, soon and with the server as it was: fit for a thousand traces."""
    graph: bool = False
    """Its graph is asked for as well, rewritten too; its calls are chosen and its shapes written down."""
    studied: float = 0.0
    """Seconds that are left for further runs about its example, which begin when nothing else is to be done."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What its `.vscode/settings.json` says: the client sends it as the settings of that folder."""


def catalog() -> dict[str, Hostile]:
    """All of them, by name."""
    return {file.stem: read(file) for file in sorted(FOLDER.glob("*.py"))}


def read(file: Path) -> Hostile:
    """One of them, from its text."""
    text = file.read_text("utf-8")
    known = {entry.name for entry in fields(Hostile)} - {"name", "text"}
    options: dict[str, Any] = {}
    for node in ast.parse(text).body:
        name = node.targets[0].id if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else ""
        if isinstance(node, ast.Assign) and name.isupper() and name.lower() in known:
            options[name.lower()] = ast.literal_eval(node.value)
    return Hostile(file.stem, text, **options)


def put(path: Path, what: Any) -> None:
    """Make a planted file.

    `what` is a text, or a tuple of a kind and its arguments: `("link", target)`, `("fifo",)`, `("sparse", size)`,
    `("program", text)`, `("repeated", before, part, count, after)`, `("binary", hexadecimal)`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    kind: str
    rest: list[Any]
    kind, *rest = ("text", what) if isinstance(what, str) else what
    if kind == "link":
        os.symlink(rest[0], path)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "sparse":
        with path.open("wb") as file:
            file.truncate(rest[0])
    elif kind == "repeated":
        before, part, count, after = rest
        path.write_text(before + part * count + after)
    elif kind == "binary":
        path.write_bytes(bytes.fromhex(rest[0]))
    else:
        path.write_text(rest[0])
        path.chmod(0o755 if kind == "program" else 0o644)
