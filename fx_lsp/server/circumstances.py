"""What an answer depends on besides the question and the files of the workspace: us, the machine, the packages, the
policy.  Found by looking at names and times of files, in some milliseconds; two that differ share no answers."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice

import fx_lsp
from fx_lsp.model.messages import PROTOCOL
from fx_lsp.model.sandbox import VARIABLES
from fx_lsp.server import files, policy
from fx_lsp.server.pythons import look_at
from fx_lsp.server.user_config import UserConfig

MOST = 20_000
"""Entries of folders that are looked at."""
PACKAGES, MODELS = 1, 3
"""Levels of folders: of installed packages, which say their version in a name, and of what was downloaded or named."""

_OTHERS = ("HOME", "XDG_CACHE_HOME", "TORCH_HOME", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
"""Variables that decide where models and configurations come from."""


@dataclass(frozen=True)
class Circumstances:
    """Of one root."""

    root: str
    interpreter: str
    environment: Mapping[str, str]
    standing: str
    read: tuple[str, ...]
    """What runs may read besides the workspace, by its configuration."""
    user: UserConfig

    def digest(self) -> bytes:
        """The same as long as the same question has the same answer."""
        python = look_at(self.interpreter, self.environment)
        wished = [os.path.join(self.root, os.path.expanduser(path)) for path in (*self.read, *self.user.read)]
        parts: list[object] = [ourselves(), self.root, self.interpreter, os.path.realpath(self.interpreter)]
        parts += [self.standing, wished, self.user.off, self.user.bubblewrap, python, python.version_of("torch")]
        variables = (VARIABLES, _OTHERS)
        parts += sorted((n, v) for n, v in self.environment.items() if any(n in names for names in variables))
        budget = iter(range(MOST))
        for place in (*python.execute, *_configurations(self.interpreter)):
            parts.append((place, files.mark(place)))
        for levels, places in ((PACKAGES, python.sites), (MODELS, (*wished, *policy.caches(self.environment)))):
            for place in places:
                parts += _entries(place, levels, budget)
        parts += [(path, files.mark(path)) for path in islice(self._sources(python.paths), MOST)]
        return hashed(parts)

    def torch(self) -> str:
        """The version that is installed; empty when none is."""
        return look_at(self.interpreter, self.environment).version_of("torch") or ""

    def _sources(self, folders: Iterable[str]) -> Iterator[str]:
        """What is installed as a folder of somebody's, who edits it; what is in the root is known by its text."""
        inside = self.root.rstrip(os.sep) + os.sep
        for folder in folders:
            if not (folder + os.sep).startswith(inside):
                yield from (path for path in files.python_files(folder) if not path.startswith(inside))


def hashed(parts: Iterable[object]) -> bytes:
    """A hash of texts, numbers and what consists of them."""
    found = hashlib.blake2b(digest_size=20)
    for part in parts:
        found.update(repr(part).encode("utf-8", "surrogatepass") + b"\0")
    return found.digest()


@cache
def ourselves() -> bytes:
    """This very code, in this Python on this machine."""
    parts: list[object] = [fx_lsp.__version__, PROTOCOL, sys.version, platform.platform()]
    for path in sorted(files.python_files(policy.PACKAGE)):
        parts += [os.path.relpath(path, policy.PACKAGE), files.read(path, files.MAX_LISTED)[0]]
    return hashed(parts)


def _configurations(interpreter: str) -> Iterator[str]:
    folder = os.path.dirname(interpreter)
    yield from (os.path.join(place, "pyvenv.cfg") for place in (folder, os.path.dirname(folder)))


def _entries(folder: str, levels: int, budget: Iterator[int]) -> Iterator[tuple[str, int, int]]:
    """Names, times and sizes, some levels deep, in order."""
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        if next(budget, None) is None:
            return
        try:
            status = entry.stat(follow_symlinks=False)
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError:
            continue
        if entry.name == "__pycache__":
            continue
        # To import a package changes the time of its folder; to install it changes that of its metadata.
        timeless = is_folder and not entry.name.endswith("-info")
        yield entry.path, 0 if timeless else status.st_mtime_ns, 0 if is_folder else status.st_size
        if is_folder and levels > 1:
            yield from _entries(entry.path, levels - 1, budget)
