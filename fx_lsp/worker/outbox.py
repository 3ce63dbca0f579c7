"""What waits to be written to a pipe, so that nobody who does not read can hold up the zygote."""

from __future__ import annotations

import os
import selectors
from typing import Callable

_CHUNK = 1 << 18


class Outbox:
    """Writes what fits, and the rest when the selector says that there is room."""

    def __init__(self, fd: int, selector: selectors.BaseSelector, lost: Callable[[], None]) -> None:
        """`lost` is called when nobody reads the pipe any more."""
        os.set_blocking(fd, False)
        self.fd, self._selector, self._lost = fd, selector, lost
        self._waiting = bytearray()
        self._registered = False
        self._open = True

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, data: bytes) -> None:
        """Put it in the queue, and write what the pipe takes."""
        if self._open:
            self._waiting += data
            self.flush()

    def flush(self) -> None:
        """Write what the pipe takes."""
        try:
            while self._waiting:
                with memoryview(self._waiting) as view:
                    written = os.write(self.fd, view[:_CHUNK])
                del self._waiting[:written]
        except BlockingIOError:
            pass  # the selector tells when there is room again
        except BrokenPipeError:
            self.drop()
            self._lost()
        self._register(bool(self._waiting))

    def drop(self) -> None:
        """Write nothing any more."""
        self._open = False
        self._waiting.clear()
        self._register(False)

    def _register(self, wanted: bool) -> None:
        if wanted and not self._registered:
            self._selector.register(self.fd, selectors.EVENT_WRITE, self.flush)
        elif self._registered and not wanted:
            self._selector.unregister(self.fd)
        self._registered = wanted
