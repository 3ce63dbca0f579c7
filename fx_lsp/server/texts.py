"""Texts of files: unsaved buffers laid over the disk."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from fx_lsp.analysis.executed import executed
from fx_lsp.analysis.notebook import SUFFIX
from fx_lsp.analysis.source import SourceError, decode, parsed
from fx_lsp.model.comparison import Overlay
from fx_lsp.server import files
from fx_lsp.server.files import Stamp

MAX_BYTES = 4 << 20
"""A larger file is not source that somebody wrote."""

MAX_KEPT = 256 << 20
"""Characters of texts from the disk that are kept; those used longest ago are read again."""


@dataclass(frozen=True)
class Moment:
    """A point in time, by both clocks: the one that files are dated by may jump."""

    steady: float = field(default_factory=time.monotonic)
    dated: float = field(default_factory=time.time)


@dataclass(frozen=True)
class _Read:
    """What was found on the disk."""

    version: Stamp
    text: str | Unreadable
    since: float = field(default_factory=time.monotonic)
    """When it was there already."""


class Unreadable(Exception):
    """The file has no text to show; the message says why in one sentence.  `code` names the problem."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Texts:
    """What a file says right now.  Used from the event loop and from other threads."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._imported: dict[str, str] = {}
        """Of a notebook what runs when it is imported: not everything does."""
        self._parsed: dict[str, str] = {}
        """The last text of each buffer that was seen to parse."""
        self._disk: OrderedDict[str, _Read] = OrderedDict()
        self._kept = 0
        self._lock = threading.Lock()
        self._digests: dict[str, tuple[object, str]] = {}

    def open(self, path: str, text: str) -> None:
        """The editor's buffer holds from now on, not the disk."""
        self._open[path] = text
        if path.endswith(SUFFIX):
            self._imported[path] = executed(path, text)

    def close(self, path: str) -> None:
        """The disk holds again."""
        self._open.pop(path, None)
        self._imported.pop(path, None)
        self._parsed.pop(path, None)
        self._digests.pop(path, None)

    def exists(self, path: str) -> bool:
        """Whether there is a buffer or anything on disk at `path`."""
        return path in self._open or os.path.exists(path)

    def read(self, path: str) -> str | None:
        """The text, or None when the file is missing, unreadable or not text."""
        try:
            return self.load(path)
        except Unreadable:
            return None

    def load(self, path: str) -> str:
        """The text.

        Raises:
            Unreadable: there is none.
        """
        text = self._open.get(path)
        return text if text is not None else self._from_disk(path)[1]

    def parses(self, path: str) -> bool:
        """Whether the text is Python, as far as syntax goes; nothing is not wrong."""
        text = self.read(path)
        fine = text is None or parsed(path, text).error is None
        if fine and text is not None and path in self._open:
            self._parsed[path] = text
        return fine

    def understood(self, path: str) -> str | None:
        """The text to look for classes and calls in: in the middle of something, what it was before."""
        text = self.read(path)
        known = path not in self._open or not path.endswith((".py", SUFFIX)) or self._parsed.get(path) == text
        return text if known or self.parses(path) else self._parsed.get(path) or text

    def digest(self, path: str) -> str:
        """Hash of the text; of what has none, what tells its versions apart; empty where nothing is."""
        version: object
        text = version = self._open.get(path)
        if text is None:
            try:
                version, text = self._from_disk(path)
            except Unreadable:
                return files.mark(path)
        kept = self._digests.get(path)
        if kept is None or kept[0] is not version:
            kept = version, hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            self._digests[path] = kept
        return kept[1]

    def settled(self, path: str, moment: Moment) -> bool:
        """Whether what the disk holds is certain to have been there at the moment: nobody may have told yet."""
        known = self._disk.get(path)
        try:
            if known is not None and known.version == files.stamp(path) and known.since < moment.steady:
                return True
            return os.stat(path).st_mtime < self._earliest(moment)
        except (OSError, ValueError):
            return _dated(os.path.dirname(path)) < self._earliest(moment)

    @staticmethod
    def _earliest(moment: Moment) -> float:
        """The time that a file may have that was written after the moment, if the clock was put back meanwhile."""
        return min(moment.dated, time.time() - (time.monotonic() - moment.steady))

    def overlays(self, program: str = "") -> tuple[Overlay, ...]:
        """The buffers that differ from the disk, by path; of a notebook what runs of it when its models are imported,
        or all of it where that is the `program`."""
        texts = {**self._open, **{path: text for path, text in self._imported.items() if path != program}}
        return tuple(Overlay(path, texts[path]) for path in sorted(texts) if not self._saved(path, self._open[path]))

    def _saved(self, path: str, text: str) -> bool:
        try:
            return self._from_disk(path)[1] == text
        except Unreadable:
            return False

    def _from_disk(self, path: str) -> tuple[Stamp, str]:
        """The version of the file and its text.

        Raises:
            Unreadable: there is none.
        """
        try:
            stamp = files.stamp(path)
            with self._lock:
                kept = self._disk.get(path)
                if kept is not None and kept.version == stamp:
                    self._disk.move_to_end(path)
            if kept is None or kept.version != stamp:
                kept = _load(path)
                self._keep(path, kept)
        except files.TooLarge:
            message = f"This file is larger than {MAX_BYTES >> 20} MiB and is not analysed."
            raise Unreadable("unreadable", message) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Unreadable("unreadable", f"This file cannot be read: {reason}.") from None
        if isinstance(kept.text, Unreadable):
            raise Unreadable(kept.text.code, str(kept.text))
        return kept.version, kept.text

    def _keep(self, path: str, read: _Read) -> None:
        with self._lock:
            known = self._disk.pop(path, None)
            self._disk[path] = read
            self._kept += _length(read.text) - (_length(known.text) if known is not None else 0)
            while self._kept > MAX_KEPT and len(self._disk) > 1:
                _, oldest = self._disk.popitem(last=False)
                self._kept -= _length(oldest.text)


def _load(path: str) -> _Read:
    data, version = files.read(path, MAX_BYTES)
    try:
        return _Read(version, decode(data))
    except SourceError as error:
        return _Read(version, Unreadable("not-utf-8", str(error)))


def _dated(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except (OSError, ValueError):
        return 0.0


def _length(text: str | Unreadable) -> int:
    return 0 if isinstance(text, Unreadable) else len(text)
