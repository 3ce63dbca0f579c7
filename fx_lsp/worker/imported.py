"""Installed packages that runs imported: the zygote imports them too, so that later children have them already.

Never a file of the workspace.  The names come from a run, which may be hostile: what they name must be installed where
this interpreter has its packages, and it is imported inside the sandbox of the zygote.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import time
from collections import deque
from itertools import islice
from typing import Deque, Iterable, List, Set

from fx_lsp.model.messages import MAX_IMPORTED
from fx_lsp.worker import processes
from fx_lsp.worker.background import in_the_background

INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Folders that installed packages lie in."""
TORCH = "torch."
"""What its modules import was not chosen by a run: some are left out at the start only to start early."""
LONG = 0.5
"""Seconds of an import that is worth a line in the log."""


def installed(path: str) -> bool:
    """Whether the file belongs to an installed package."""
    return not INSTALLED.isdisjoint(path.split(os.sep))


def installed_since(before: int) -> str:
    """Those imported since there were so many modules.

    Looks at no others: to touch thousands in a forked process copies the pages that they are in.
    """
    return _installed(list(islice(reversed(sys.modules), max(len(sys.modules) - before, 0)))[::-1])


def _installed(modules: Iterable[str]) -> str:
    """Those of installed packages, one a line, in order, as many as may be sent."""
    names: List[str] = []
    size = 0
    for name in modules:
        module = sys.modules.get(name)
        spec = getattr(module, "__spec__", None)
        origin = getattr(spec, "origin", None)
        if isinstance(origin, str) and installed(origin) and getattr(spec, "name", "") == name:
            size += len(name) + 1
            if size > MAX_IMPORTED:
                break
            names.append(name)
    return "\n".join(names)


class Imported:
    """What the zygote imports when it has time."""

    def __init__(self) -> None:
        self.made = 0
        """Grows with each import; who was forked before lacks it."""
        self._asked: Set[str] = {""}
        self._before: Set[str] = set()
        self._waiting: Deque[str] = deque()

    def want(self, text: str) -> None:
        """Queue the names that are new."""
        names = _plain(text.split("\n")) if len(text) <= MAX_IMPORTED else ()
        for name in names:
            if name not in self._asked and name not in sys.modules:
                self._asked.add(name)
                self._waiting.append(name)

    @property
    def waits(self) -> bool:
        """Whether modules are queued."""
        return bool(self._waiting)

    def step(self) -> bool:
        """Import one module; False when none is waiting."""
        if not self._waiting:
            return False
        self._before = self._before or set(sys.modules)
        name = self._waiting.popleft()
        started = time.monotonic()
        try:
            if name not in sys.modules and _is_installed(name):
                with in_the_background():
                    importlib.import_module(name)
                self.made += 1
                if name.startswith(TORCH):
                    self._before |= sys.modules.keys()
        except BaseException as error:  # a package may raise anything; a run that needs it will say so
            print(f"fx-lsp: not imported ahead: {name}: {type(error).__name__}: {error}", file=sys.stderr)
        seconds = time.monotonic() - started
        if seconds > LONG:
            print(f"fx-lsp: importing {name} takes {seconds:.1f} s; done ahead from now on", file=sys.stderr)
        return bool(self._waiting)

    def spoiled(self) -> str:
        """Why this process must not be forked any more; empty when it may.

        A package that no run imported may stand in the place of one of the workspace that has its name.
        """
        if processes.threads() > 1:
            return "a package started a thread when it was imported ahead"
        new = [name for name in list(sys.modules) if name not in self._before]
        strayed = [name for name in _installed(new).split("\n") if name not in self._asked]
        self._before |= sys.modules.keys()
        return f"{strayed[0]} was imported ahead, which no run had imported" if strayed else ""


IMPORTED = Imported()
"""Of this process."""


def _plain(names: Iterable[str]) -> List[str]:
    return [name for name in names if all(part.isidentifier() for part in name.split("."))]


def _is_installed(name: str) -> bool:
    """Whether the name means a module of an installed package; those it lies in were found to be before."""
    parent = name.rpartition(".")[0]
    if parent and parent not in sys.modules:
        return False
    spec = importlib.util.find_spec(name)
    return spec is not None and isinstance(spec.origin, str) and installed(spec.origin)
