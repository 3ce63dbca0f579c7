"""What a worker sees to before it imports torch."""

from __future__ import annotations

import ctypes.util

import pytest

from fx_lsp.worker import main


def test_a_library_that_cannot_be_looked_for_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def asks_a_compiler(name: str) -> str:
        if name == "there":
            return "libthere.so.1"
        raise PermissionError(13, "Permission denied", "tmpfile")

    monkeypatch.setattr(ctypes.util, "find_library", asks_a_compiler)
    main.find_libraries_alone()
    assert ctypes.util.find_library("there") == "libthere.so.1"
    assert ctypes.util.find_library("dl") is None
