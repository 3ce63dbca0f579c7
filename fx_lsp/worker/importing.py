"""The import of a file, which may run models: once more where one fails, for the call of torch at which it does."""

from __future__ import annotations

from types import ModuleType

from fx_lsp.worker.background import in_the_background
from fx_lsp.worker.capture.devices import Devices, OnProcessor, lacks_accelerator
from fx_lsp.worker.capture.record import Record
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.failures import sentence
from fx_lsp.worker.overlay import Workspace


def loaded(workspace: Workspace, path: str, recorder: Recorder, devices: Devices) -> ModuleType:
    """The module of the file; while it is imported nothing looks at what torch does, unless it failed before.

    Where torch finds no accelerator it is imported again, on the processor, and without what even then asks for one.

    Raises:
        BaseException: that of the import.
    """
    try:
        with in_the_background():
            return workspace.load(path)
    except Exception as error:
        first = error
    current = recorder.current
    if lacks_accelerator(first):
        current.record, workspace.moved = Record(), True
        try:
            with OnProcessor(devices), in_the_background():
                return workspace.load(path)
        except Exception as error:
            first = error
    if not current.record.failed_inside:
        raise first
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
