"""The import of a file, which may run models: once more where one fails, for the call of torch at which it does."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from types import ModuleType
from typing import Iterator

from fx_lsp.worker.capture.record import Record
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.failures import sentence
from fx_lsp.worker.overlay import Workspace


def loaded(workspace: Workspace, path: str, recorder: Recorder) -> ModuleType:
    """The module of the file; while it is imported nothing looks at what torch does, unless it failed before.

    Raises:
        BaseException: that of the import.
    """
    try:
        with in_the_background():
            return workspace.load(path)
    except Exception as error:
        first, current = error, recorder.current
        if not current.record.failed_inside:
            raise
    before, current.record = current.record, Record()
    try:
        with recorder, in_the_background():
            workspace.load(path)
    except Exception as error:
        if (type(error), sentence(error, 0)) == (type(first), sentence(first, 0)):
            before.failed = current.record.failed
            raise
    finally:
        current.record = before
    raise first


@contextmanager
def in_the_background() -> Iterator[None]:
    """Within the body a thread that cannot be had is left out: a package that looks for a newer version of itself while
    it is imported does not wait for the answer.  Who waits for the thread is told that it was never started."""
    start = threading.Thread.start

    def started(thread: threading.Thread) -> None:
        try:
            start(thread)
        except RuntimeError:
            if str(getattr(getattr(thread, "_target", None), "__module__", "")).startswith("concurrent."):
                raise  # who asked for a result waits for it, and not for the thread

    threading.Thread.start = started  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]
