"""The policy that a worker was started with, held against what is right now."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from fx_lsp.model.sandbox import Policy

Entries = Mapping[str, tuple[int, int]]
"""What lies in the split folders of a policy: a rule holds for the file that was there, not for its name."""


class Permit:
    """What a worker may do for as long as it runs: a sandbox cannot be widened, nor narrowed by what came later."""

    def __init__(self, policy: Policy, root: str) -> None:
        self.policy = policy
        self._watched = (root, *policy.names)
        self.sources: tuple[str, ...] = ()
        """Python files of split folders that are new, or were replaced: the worker cannot read them itself."""
        self._entries = _entries(policy)
        self._stamps = _stamps(self._watched)
        self._key: object = None

    def outgrown(self, policy: Callable[[], Policy], key: object) -> bool:
        """Whether another worker is needed.  `policy` makes the one of now; it is not called while `key`, which it
        follows from, the root and the split folders are as they were."""
        stamps = _stamps(self._watched)
        if self._key is not None and (key, stamps) == (self._key, self._stamps):
            return False
        self._key, self._stamps = key, stamps
        now = policy()
        entries = _entries(now)
        missing = [path for path, known in entries.items() if self._entries.get(path) != known]
        self.sources = tuple(path for path in missing if path.endswith(".py") and os.path.isfile(path))
        if len(self.sources) < len(missing):
            return True
        if now.memory > self.policy.memory or now.seconds > self.policy.seconds:
            return True
        return _rest(now, entries) != _rest(self.policy, self._entries)


def _rest(policy: Policy, entries: Entries) -> Policy:
    """What must be the same."""
    return replace(policy, read=tuple(path for path in policy.read if path not in entries), memory=0, seconds=0.0)


def _entries(policy: Policy) -> Entries:
    found: dict[str, tuple[int, int]] = {}
    split = frozenset(policy.names)
    for path in policy.read:
        if os.path.dirname(path) in split and (status := _status(path)) is not None:
            found[path] = status.st_dev, status.st_ino
    return found


def _stamps(folders: Iterable[str]) -> tuple[int, ...]:
    return tuple(status.st_mtime_ns if (status := _status(folder)) else 0 for folder in folders)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None
