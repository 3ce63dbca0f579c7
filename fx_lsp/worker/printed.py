"""What a run printed."""

from __future__ import annotations

from fx_lsp.model.messages import MAX_LOG, MAX_PRINTED


class Printed:
    """Keeps the end of it; the rest is forgotten, but counted."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._count = 0

    def add(self, data: bytes) -> bool:
        """Append, and drop from the start what exceeds the limit; False when more was printed than a run may."""
        self._count += len(data)
        self._data += data
        del self._data[:-MAX_LOG]
        return self._count <= MAX_PRINTED

    def text(self) -> str:
        """What is kept; what is no UTF-8 is replaced."""
        return self._data.decode("utf-8", "replace")
