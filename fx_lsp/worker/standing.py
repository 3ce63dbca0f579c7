"""A process that has imported a file before it is asked to run anything of it.

It runs only what a process that imports the file then would run: all that the import read is as it was, but for bodies
of functions that the import did not call, and those it has anew.
"""

from __future__ import annotations

import gc
import linecache
import os
import time
from builtins import open as open_unseen
from importlib.util import decode_source
from typing import Dict, List, Optional, Tuple

from fx_lsp.model.messages import MODULE_FILES, Ahead, TraceReply, TraceRequest
from fx_lsp.worker import processes
from fx_lsp.worker.capture.parts import Part, Parts
from fx_lsp.worker.capture.probes import NOTEBOOK
from fx_lsp.worker.prepared import PREPARED, Prepared
from fx_lsp.worker.revised import Codes, revise, revised
from fx_lsp.worker.run import Run

_stat = os.stat
"""Both are replaced while user code is imported, by what notes the paths that it asks for."""

Stamp = Optional[Tuple[int, int]]
"""Time of change in nanoseconds and size; None for what is not there."""


class Unfit(Exception):
    """It can run nothing."""


class Standing:
    """A file that is imported."""

    def __init__(self, wanted: Ahead, prepared: Prepared = PREPARED) -> None:
        """Import it.

        Raises:
            Unfit: what it read cannot be told from what will be there.
            BaseException: whatever user code raises.
        """
        began, self.wanted, self._prepared = time.time_ns(), wanted, prepared
        self._hidden = False
        freeze = gc.freeze
        gc.freeze = lambda: setattr(self, "_hidden", True) or freeze()
        request = TraceRequest(0, wanted.root, wanted.scope, "", overlays=wanted.overlays, seconds=wanted.seconds)
        self.run = Run(request, prepared)
        self.run.stand()
        workspace, self._texts = self.run.workspace, dict(prepared.sites.sources)
        self._data = workspace.looked_at.besides(tuple(self._texts))
        self._absent = tuple(path + end for path in workspace.looked_at.absent for end in MODULE_FILES)
        self._stamps = {path: _stamp(path) for path in (*self._texts, *self._data)}
        if workspace.survived is not None or workspace.missing or wanted.scope.endswith(NOTEBOOK):
            raise Unfit("it was not imported as it is")
        if processes.threads() > 1 or max((one[0] for one in self._stamps.values() if one), default=0) >= began:
            raise Unfit("a thread runs, or a file has just been changed")

    def reply(self, request: TraceRequest) -> TraceReply:
        """What comes of a request that fits."""
        return self.run.go_on(request)

    def fits(self, request: TraceRequest) -> bool:
        """Whether it is as if the files were imported for the request; it has the new bodies then."""
        same = (request.root, request.scope) == (self.wanted.root, self.wanted.scope)
        if not same or not request.is_ordinary:
            return False
        overlays = {os.path.realpath(one.path): one.text for one in request.overlays}
        files: List[Tuple[Parts, Codes]] = []
        for path, text in self._edited(overlays).items():
            before = self._prepared.known(path)
            if before is None or before.source != self._texts[path] or text is None:
                return False
            try:
                after = self._prepared.file(path, text)
            except SyntaxError:  # whoever imports it says so
                return False
            codes = revised(before, after, self._ran)
            if codes is None:
                return False
            files.append((before, codes))
            self._prepared.sites.sources[path] = text
        if not self._unchanged(overlays) or not revise(files):
            return False
        self._show(overlays)
        return True

    def _edited(self, overlays: Dict[str, str]) -> Dict[str, Optional[str]]:
        """Imported files that are others now, with their text; None for one that cannot be read."""
        found: Dict[str, Optional[str]] = {}
        for path, text in self._texts.items():
            if path in overlays:
                now: Optional[str] = overlays[path]
            elif path not in self.run.workspace.overlays and _stamp(path) == self._stamps[path]:
                continue
            else:
                now = _read(path)
            if now != text:
                found[path] = now
        return found

    def _ran(self, part: Part) -> bool:
        record = self.run.current.record
        ran = any(number in record.blocks for number in part.blocks)
        return ran or any(number in record.values for number in part.bindings)

    def _unchanged(self, overlays: Dict[str, str]) -> bool:
        """Whether all else is as the import found it."""
        if any(path in overlays or _stamp(path) != self._stamps[path] for path in self._data):
            return False
        unsaved = {*overlays, *self.run.workspace.overlays}.difference(self._texts)
        appeared = [path for path in (*unsaved, *self._absent) if (path in unsaved) != (_stamp(path) is not None)]
        return not appeared and not self._hidden

    def _show(self, overlays: Dict[str, str]) -> None:
        """The new texts to whoever reads code."""
        for path in {*overlays, *self.run.workspace.overlays}:
            linecache.cache.pop(path, None)
        self.run.workspace.show(overlays)


def _stamp(path: str) -> Stamp:
    try:
        found = _stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def _read(path: str) -> Optional[str]:
    try:
        with open_unseen(path, "rb") as file:
            return decode_source(file.read())
    except (OSError, SyntaxError, ValueError):
        return None
