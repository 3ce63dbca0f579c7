"""Texts of files: the disk, the buffers over it, and files without a text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fx_lsp.model.comparison import Overlay
from fx_lsp.server import files
from fx_lsp.server.files import listed_files, python_files
from fx_lsp.server.texts import Texts, Unreadable


def test_a_buffer_lies_over_the_disk_until_it_is_closed(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("disk")
    texts, path = Texts(), str(file)
    before = texts.digest(path)
    assert texts.read(path) == "disk"
    texts.open(path, "buffer")
    assert texts.read(path) == "buffer"
    assert texts.digest(path) != before
    assert texts.overlays() == (Overlay(path, "buffer"),)
    texts.open(path, "disk")
    assert texts.overlays() == ()
    texts.open(path, "buffer")
    texts.close(path)
    assert texts.read(path) == "disk"
    assert texts.digest(path) == before


def test_a_file_written_anew_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    texts = Texts()
    assert texts.read(str(file)) is None
    assert texts.digest(str(file)) == ""
    file.write_text("one")
    assert texts.read(str(file)) == "one"
    file.write_text("other")
    assert texts.read(str(file)) == "other"


def test_files_without_text_say_why(tmp_path: Path) -> None:
    latin = tmp_path / "latin.py"
    latin.write_bytes("é = 1\n".encode("latin-1"))
    texts = Texts()
    with pytest.raises(Unreadable, match="UTF-8") as error:
        texts.load(str(latin))
    assert error.value.code == "not-utf-8"
    with pytest.raises(Unreadable, match="cannot be read") as error:
        texts.load(str(tmp_path))
    assert error.value.code == "unreadable"


def test_a_coding_cookie_is_honoured(tmp_path: Path) -> None:
    latin = tmp_path / "latin.py"
    latin.write_bytes("# coding: latin-1\né = 1\n".encode("latin-1"))
    assert Texts().read(str(latin)) == "# coding: latin-1\né = 1\n"


def test_environments_caches_and_hidden_folders_are_not_searched(tmp_path: Path) -> None:
    for name in ("a.py", "pkg/b.py", ".git/c.py", "env/pyvenv.cfg", "env/d.py", "node_modules/e.py", "pkg/f.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = [os.path.relpath(path, tmp_path) for path in python_files(str(tmp_path))]
    assert found == ["a.py", os.path.join("pkg", "b.py")]


def test_documents_are_listed_besides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "demo.ipynb", "README.md", "docs/usage.rst", "notes.txt", ".hidden/b.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# text")
    found = [os.path.relpath(path, tmp_path) for path in listed_files(str(tmp_path))]
    assert found == ["README.md", "a.py", "demo.ipynb", os.path.join("docs", "usage.rst")]
    monkeypatch.setattr(files, "MAX_DOCUMENTS", 1)
    assert len(list(listed_files(str(tmp_path)))) == 2
