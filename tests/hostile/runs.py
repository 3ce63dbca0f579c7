"""Runs modules in a world of their own, and reads what the judge says."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.hostile.namespaces import REPOSITORY, UNSHARE

STRANGER = 54321
"""An unprivileged user that nothing on this machine belongs to."""


@dataclass(frozen=True)
class Row:
    """What became of one module."""

    name: str
    harm: dict[str, list[str]]
    said: list[str]
    """The diagnostics of its file."""
    got: list[str]
    """The attacks that worked, as the module says itself."""
    slowest: float
    """Seconds of the slowest answer while it ran."""
    seconds: float


class Run:
    """A world that works through modules; rows are read as they come."""

    def __init__(self, user: int, off: Sequence[str], modules: Sequence[str], trust: bool = False) -> None:
        assert user != 0 or not off, "nothing hostile runs as root with a layer left out"
        job = json.dumps({"user": user, "off": list(off), "modules": list(modules), "trust": trust})
        command = [*UNSHARE, sys.executable, "-m", "tests.hostile.guest", job]
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._said, cwd=REPOSITORY
        )
        self.rows: dict[str, Row] = {}
        self.ready = self._next()
        """What there was at the start: `counts`."""

    def row(self, name: str) -> Row:
        """Of this module, which may take until those before it are done."""
        while name not in self.rows:
            self.next_row()
        return self.rows[name]

    def next_row(self) -> Row:
        """The next one."""
        found = Row(**self._next())
        self.rows[found.name] = found
        return found

    def end(self) -> dict[str, Any]:
        """What was left when the server had been killed, after all modules."""
        while (found := self._next())["name"]:
            pass
        self._process.wait()
        return found

    def close(self) -> None:
        """End it, wherever it is; its processes end with it."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._said.close()

    def _next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._last_words()
        return json.loads(line)

    def _last_words(self) -> str:
        status = self._process.wait()
        self._said.seek(0)
        return f"the guest ended with status {status}: {self._said.read()[-2000:].decode(errors='replace')}"
