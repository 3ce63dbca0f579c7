"""The import of a file, which may run models: once more where one fails, for the call of torch at which it does; and
past what fails for want of something that is not here, such as data, a network or arguments."""

from __future__ import annotations

from traceback import walk_tb
from types import ModuleType

from fx_lsp.worker.capture.record import Record
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.engines.known import TORCH
from fx_lsp.worker.failures import sentence
from fx_lsp.worker.imported import installed
from fx_lsp.worker.overlay import Workspace


def loaded(workspace: Workspace, path: str, recorder: Recorder) -> ModuleType:
    """The module of the file; while it is imported nothing looks at what torch does, unless it failed before.

    Raises:
        BaseException: that of the import.
    """
    try:
        return workspace.load(path)
    except SystemExit as error:
        return workspace.survive(path, error)
    except Exception as error:
        first, current = error, recorder.current
        if not current.record.failed_inside:
            if _lacks_something(error):
                return workspace.survive(path, error)
            raise
    before, current.record = current.record, Record()
    try:
        with recorder:
            workspace.load(path)
    except Exception as error:
        if (type(error), sentence(error, 0)) == (type(first), sentence(first, 0)):
            before.failed = current.record.failed
            raise
    finally:
        current.record = before
    raise first


def _lacks_something(error: Exception) -> bool:
    """Whether it is about what is around the code rather than about the code: a file, a network, a variable of the
    environment, or what a package other than torch makes of the lack of one."""
    if isinstance(error, (OSError, KeyError)):
        return True
    file = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)][-1]
    return type(error) is RuntimeError and installed(file) and not file.startswith(TORCH)
