"""One module in its place: planted, opened, watched while it runs."""

from __future__ import annotations

import os
import re
import threading
import time
from pathlib import Path
from typing import Any

from tests.hostile import catalog, processes, world
from tests.hostile.catalog import Hostile
from tests.hostile.client import Silence
from tests.hostile.session import Document, Session

LONGEST = 120.0
"""Seconds until nothing may be pending any more."""


class Trial:
    """One module in its place."""

    def __init__(self, hostile: Hostile, user: int, mine: Document) -> None:
        self.hostile = hostile
        self.user = user
        self.mine = mine
        self.root = world.HOST / "own" / hostile.name if hostile.own else world.STRANGE
        self.folder = self.root if hostile.own else world.MODELS
        self.path = self.folder / f"{hostile.name[3:]}.py"
        self.document = Document(self.path, "")
        self.good: Document | None = None
        self.answers: list[Any] = []
        self.said: list[str] = []
        self.got: set[str] = set()
        """The attacks that worked, as it says itself."""
        self.slowest = 0.0
        """Seconds of the slowest answer while it ran."""
        self.resident = 0
        """Bytes of the largest process."""
        self.still = threading.Event()
        self.mover: threading.Thread | None = None
        self.moving = self.folder / hostile.moving if hostile.moving else None

    def plant(self) -> None:
        """Write its files."""
        if self.hostile.linked:
            self.root.parent.mkdir(exist_ok=True)
            self.root.symlink_to(world.HOST / self.hostile.linked)
        files: dict[str, Any] = {self.path.name: self.hostile.text, "kit.py": catalog.KIT.read_text("utf-8")}
        if self.hostile.own:
            files["good.py"] = world.MODEL.format(name="Good", size=2)
            files["pyproject.toml"] = world.FILES["strange/pyproject.toml"]
        for name, what in {**files, **self.hostile.plant}.items():
            catalog.put(self.folder / name, filled(what))
        for path in world.walk(self.folder):
            if not os.path.islink(path):
                os.chown(path, self.user, self.user)
        if self.moving is not None:
            self.mover = threading.Thread(target=self.move, args=(self.moving, self.moving.read_bytes()), daemon=True)
            self.mover.start()

    def move(self, path: Path, text: bytes) -> None:
        """Change the file all the time, in size and in content."""
        while not self.still.wait(0.0005):
            for content in (text, b"", text[: len(text) // 2], b"(" * 50, text * 2):
                path.write_bytes(content)

    def hold_still(self) -> None:
        """Nothing of it moves any more."""
        self.still.set()
        if self.mover is not None:
            self.mover.join()

    def attack(self, session: Session) -> None:
        """Open it, and wait until nothing is pending; meanwhile the server answers others."""
        start = len(session.client.messages)
        self.document = session.open(self.path, filled(self.hostile.text))
        if self.hostile.own and self.hostile.trusted:
            self.good = session.open(self.folder / "good.py", world.MODEL.format(name="Good", size=2))
        pinged = self.document if self.hostile.own else self.mine
        limit = time.monotonic() + LONGEST
        while not session.is_idle(self.document, start):
            self.watch(session, pinged)
            if time.monotonic() > limit:
                raise Silence(f"no fx/idle within {LONGEST:g} s")
        studied = time.monotonic() + self.hostile.studied
        while time.monotonic() < studied:
            self.watch(session, pinged)
        self.answers = session.everything(self.document, self.hostile.graph)
        self.said = session.diagnostics(self.document)
        self.got = {name for message in self.said for name in re.findall(r"GOT\[(.*?)\]", message)}
        session.close(self.document)

    def watch(self, session: Session, pinged: Document) -> None:
        """Note how fast it answers, and what its processes take."""
        self.slowest = max(self.slowest, session.latency(pinged))
        alive = processes.processes()
        below = processes.below(session.pid, alive)
        self.resident = max([self.resident, *(process.resident for process in below)])
        time.sleep(0.05)


def filled(what: Any) -> Any:
    """With the place of the canaries in it."""
    if isinstance(what, str):
        return what.replace("@HOST@", str(world.HOST))
    return tuple(map(filled, what)) if isinstance(what, (tuple, list)) else what
