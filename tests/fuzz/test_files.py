"""Files that a stranger may put into a folder: nothing blocks, nothing is read that is no regular file."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.analysis.source import SourceError, decode, parse
from fx_lsp.server import files
from fx_lsp.server.convert import to_path, to_uri
from fx_lsp.server.files import python_files
from fx_lsp.server.texts import MAX_BYTES, MAX_KEPT, Texts, Unreadable


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _loop(path: Path) -> None:
    path.symlink_to(path)


UNREADABLE: dict[str, Callable[[Path], None]] = {
    "folder": Path.mkdir,
    "pipe": _fifo,
    "socket": _socket,
    "sparse": _sparse,
    "loop": _loop,
    "zero": lambda path: path.symlink_to("/dev/zero"),
    "stdin": lambda path: path.symlink_to("/dev/stdin"),
    "tty": lambda path: path.symlink_to("/dev/tty"),
    "missing": lambda path: path.symlink_to("/no/such"),
    "memory": lambda path: path.symlink_to("/proc/self/mem"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_is_no_file_is_not_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.py"
    UNREADABLE[kind](path)
    texts = Texts()
    started = time.monotonic()
    if kind == "memory":  # it says that it holds nothing
        assert texts.load(str(path)) == ""
    else:
        with pytest.raises(Unreadable, match=r"cannot be read|larger than"):
            texts.load(str(path))
        assert len(texts.digest(str(path))) < 100  # whether it is another one now, not what it holds
        assert list(python_files(str(tmp_path))) == []
    assert time.monotonic() - started < 5


def test_the_environment_of_the_server_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to("/proc/self/environ")
    assert Texts().load(str(tmp_path / "a.py")) == ""


def test_a_file_that_grows_is_read_as_far_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    read = os.read

    def growing(descriptor: int, size: int) -> bytes:
        with path.open("a") as file:
            file.write("y = 2\n" * 10)
        return read(descriptor, size)

    monkeypatch.setattr(files.os, "read", growing)
    texts = Texts()
    assert texts.load(str(path)) == "x = 1\n"
    monkeypatch.undo()
    assert texts.load(str(path)) == "x = 1\n" + "y = 2\n" * 10


def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    stamp = files.stamp

    def swapped(name: str) -> files.Stamp:
        found = stamp(name)
        path.unlink()
        os.mkfifo(path)
        return found

    monkeypatch.setattr(files, "stamp", swapped)
    with pytest.raises(files.NotAFile):
        files.read(str(path), 100)


@pytest.mark.parametrize("name", ["\0", "\ud800.py", "x" * 300 + ".py", "a/" * 3000 + "b.py"])
def test_names_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    path = f"{tmp_path}/{name}"
    assert Texts().read(path) is None
    assert Texts().digest(path) == ""
    assert not Texts().exists(path)


def test_texts_are_forgotten_before_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fx_lsp.server.texts.MAX_KEPT", 250)
    texts = Texts()
    for number in range(10):
        (tmp_path / f"{number}.py").write_text("#" * 100)
        texts.read(str(tmp_path / f"{number}.py"))
    assert len(texts._disk) == 2
    assert MAX_BYTES <= MAX_KEPT


def test_folders_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Deeper than Python may call, in a circle, with more entries than there may be, with names to fool terminals."""
    request.addfinalizer(lambda: subprocess.run(["rm", "-rf", str(tmp_path)], check=True))  # `rmtree` calls itself
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    (tmp_path / "circle").symlink_to(tmp_path)
    for name in (b"a\nb.py", b"\x1b[31m.py", b"\xff\xfe.py", "\u202ea.py".encode(), b"ok.py"):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb"):
            pass
    assert [os.path.basename(path) for path in python_files(str(tmp_path))] == ["ok.py"]
    many = tmp_path / "many"
    many.mkdir()
    for number in range(60):
        (many / f"{number:02}.py").touch()
    monkeypatch.setattr(files, "MAX_ENTRIES", 30)
    assert len(list(python_files(str(many)))) == 30
    monkeypatch.setattr(files, "MAX_FILES", 7)
    assert len(list(python_files(str(many)))) == 7


def test_large_files_are_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("a.py", 10), ("b.py", 100), ("c.py", 10), ("d.py", 10)):
        (tmp_path / name).write_text("#" * size)
    monkeypatch.setattr(files, "MAX_LISTED", 50)
    assert [Path(path).name for path in python_files(str(tmp_path))] == ["a.py", "c.py", "d.py"]
    monkeypatch.setattr(files, "MAX_TOTAL", 20)
    assert len(list(python_files(str(tmp_path)))) == 2


CODECS = (
    *("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf-7", "utf-16", "rot13", "hex"),
    *("zlib", "bz2", "mbcs", "cp037", "utf-8-sig", "../x", "euc_jis_2004", "hz", "iso2022_kr"),
)


@given(st.sampled_from(CODECS), st.binary(max_size=60))
def test_any_encoding_gives_a_text_or_a_sentence(codec: str, data: bytes) -> None:
    try:
        text = decode(f"# coding: {codec}\n".encode() + data)
    except SourceError:
        return
    parse("/w/a.py", text)


@pytest.mark.parametrize("codec", CODECS)
def test_no_encoding_takes_long(codec: str) -> None:
    data = f"# coding: {codec}\n".encode() + b"xn--" + b"a-" * 200_000
    started = time.monotonic()
    with suppress(SourceError):
        decode(data)
    assert time.monotonic() - started < 5


@given(st.one_of(st.text(), st.sampled_from(["//host", "//", "\ud800", "\udcff", "/a\nb", "/%", "/c:/x", "C:\\x"])))
def test_paths_and_uris(text: str) -> None:
    to_path(text)
    path = to_path(f"file://{text}")
    assert path is None or (os.path.isabs(path) and "\0" not in path)
    uri = to_uri(text)
    assert uri.isascii()
    to_path(uri)


@given(st.text("abc/ é\n\udcff%#?[]", min_size=1).map(lambda name: "/w/" + name))
def test_a_path_comes_back(path: str) -> None:
    if "\udcff" not in path:
        assert to_path(to_uri(path)) == path
