"""The file that servers share: what is in it, what must not harm it, and that nobody needs it."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from fx_lsp.server.cache import ASIDE, NAME, STATES, Cache

REPOSITORY = Path(__file__).parents[2]
PATIENCE = 60.0

WRITER = """
import hashlib, itertools, os, sys
from fx_lsp.server.cache import Cache
place, name, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
said = []
cache = Cache(said.append, place, busy=30.0)
for number in range(most):
    key = f"{name}-{number % 50}".encode()
    cache.put(key, number.to_bytes(4, "big"), "[]", hashlib.sha256(key).digest() * (number % 40 * 50 + 1))
    print(number, flush=True)
print(said, flush=True)
"""


class Log(list[str]):
    """What was said."""


@pytest.fixture
def log() -> Log:
    return Log()


def cache_at(place: Path, log: Log, limit: int = 1 << 20) -> Cache:
    return Cache(log.append, str(place), limit)


def bodies(cache: Cache, key: bytes) -> list[bytes]:
    return [entry.body for entry in cache.find(key)]


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """A process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_what_is_put_is_found_by_the_next(tmp_path: Path, log: Log) -> None:
    first = cache_at(tmp_path / "new", log)
    first.put(b"key", b"old", "[1]", b"one")
    first.put(b"key", b"new", "[2]", b"two")
    first.put(b"key", b"old", "[3]", b"three")
    second = cache_at(tmp_path / "new", log)
    assert [(entry.reads, entry.body) for entry in second.find(b"key")] == [("[3]", b"three"), ("[2]", b"two")]
    assert second.find(b"other") == []
    assert second.describe() == (2, (tmp_path / "new" / NAME).stat().st_size)
    assert log == []


def test_only_the_user_may_read_it(tmp_path: Path, log: Log) -> None:
    cache_at(tmp_path / "new", log).put(b"key", b"", "[]", b"body")
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    assert (tmp_path / "new" / NAME).stat().st_mode & 0o077 == 0


def test_few_states_of_one_key_are_kept(tmp_path: Path, log: Log) -> None:
    cache = cache_at(tmp_path, log)
    for number in range(2 * STATES):
        cache.put(b"key", bytes([number]), "[]", bytes([number]))
    assert bodies(cache, b"key") == [bytes([number]) for number in range(2 * STATES - 1, STATES - 1, -1)]


@pytest.mark.parametrize("clock", [lambda: next(backwards), lambda: 0.0], ids=["back", "stopped"])
def test_what_was_not_used_for_longest_goes_first(
    tmp_path: Path, log: Log, monkeypatch: pytest.MonkeyPatch, clock: Callable[[], float]
) -> None:
    """Whatever the clock says meanwhile."""
    monkeypatch.setattr(time, "time", clock)
    cache = cache_at(tmp_path, log)
    for number in range(8):
        cache.put(bytes([number]), b"", "[]", os.urandom(100_000))
    for entry in cache.find(b"\0"):
        cache.use(entry)
    for number in range(8, 14):
        cache.put(bytes([number]), b"", "[]", os.urandom(100_000))
    kept = [number for number in range(14) if cache.find(bytes([number]))]
    assert kept[0] == 0
    assert kept[1:] == list(range(15 - len(kept), 14))
    assert (tmp_path / NAME).stat().st_size < 1.25 * (1 << 20)
    cache.put(b"large", b"", "[]", os.urandom(1 << 19))
    assert cache.find(b"large") == []
    assert log == []


backwards = count(2_000_000_000, -3600)


def test_two_servers_at_once(tmp_path: Path, log: Log) -> None:
    writers = [python(WRITER, tmp_path, name, 100) for name in ("one", "two")]
    for writer in writers:
        out, _ = writer.communicate(timeout=PATIENCE)
        assert out.split("\n")[-2] == "[]"
    cache = cache_at(tmp_path, log)
    for name in ("one", "two"):
        for number in range(50):
            assert len(bodies(cache, f"{name}-{number}".encode())) == 2
    assert log == []


def test_killed_at_any_moment(tmp_path: Path, log: Log) -> None:
    """What is there afterwards is whole, and nothing is to be said of it."""
    import hashlib

    chance = random.Random(0)
    for kill in range(8):
        writer = python(WRITER, tmp_path, "one", 10_000)
        assert writer.stdout is not None
        assert writer.stdout.readline() == "0\n"
        time.sleep(chance.random() * 0.2)
        writer.send_signal(signal.SIGKILL)
        writer.communicate(timeout=PATIENCE)
        cache = cache_at(tmp_path, log)
        found = 0
        for number in range(50):
            key = f"one-{number}".encode()
            for body in bodies(cache, key):
                found += 1
                assert body == hashlib.sha256(key).digest() * (len(body) // 32), kill
        assert found
        with sqlite3.connect(tmp_path / NAME) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
    assert log == []


def filled(place: Path) -> Path:
    """A file with something in it."""
    cache = cache_at(place, Log())
    for number in range(40):
        cache.put(bytes([number]), b"", "[]", os.urandom(9000))
    return place / NAME


def garbage(file: Path) -> None:
    file.write_bytes(b"this is no database" * 1000)


def holes(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for start in range(4096, len(data), 8192):
        data[start : start + 4096] = os.urandom(4096)
    file.write_bytes(data)


def cut(file: Path) -> None:
    os.truncate(file, 30_000)


@pytest.mark.parametrize("harm", [garbage, holes, cut], ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
def test_a_broken_file_is_set_aside(tmp_path: Path, log: Log, harm: Callable[[Path], None], is_open: bool) -> None:
    file = filled(tmp_path)
    cache = cache_at(tmp_path, log)
    if is_open:
        cache.find(b"\0")
    harm(file)
    for number in range(40):
        cache.find(bytes([number]))
    cache.put(b"new", b"", "[]", b"body")
    cache.put(b"new", b"", "[]", b"body")
    assert bodies(cache, b"new") == [b"body"]
    assert [entry.split(" is broken")[0] for entry in log] == [str(file)]
    assert (tmp_path / f"{NAME}.broken").exists()


def test_a_disk_that_breaks_everything_is_left_alone(tmp_path: Path, log: Log) -> None:
    cache = cache_at(tmp_path, log)
    for _ in range(10):
        garbage(tmp_path / NAME)
        assert cache.find(b"key") == []
        cache.put(b"key", b"", "[]", b"body")
    assert len(log) == ASIDE + 1


def test_a_file_that_another_server_replaced(tmp_path: Path, log: Log) -> None:
    file = filled(tmp_path / "old")
    mine = cache_at(tmp_path / "old", log)
    assert len(mine.find(b"\0")) == 1
    os.replace(filled(tmp_path / "new"), file)
    other = cache_at(tmp_path / "old", log)
    other.put(b"theirs", b"", "[]", b"body")
    assert bodies(mine, b"theirs") == [b"body"]
    mine.put(b"mine", b"", "[]", b"body")
    assert bodies(other, b"mine") == [b"body"]
    assert log == []


@pytest.mark.parametrize("place", ["/proc/self/fdinfo/no", "/dev/null/cache", "~/no/home"])
def test_no_place_for_it(log: Log, place: str) -> None:
    cache = Cache(log.append, place)
    for _ in range(3):
        assert cache.find(b"key") == []
        cache.put(b"key", b"", "[]", b"body")
    assert cache.describe() is None
    assert len(log) == 1
    assert not Path("~").exists()


def test_a_file_that_cannot_be_written(tmp_path: Path, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in it is of use."""
    filled(tmp_path)
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **more: connect(f"file:{path}?mode=ro", uri=True, **more))
    cache = cache_at(tmp_path, log)
    for _ in range(3):
        (entry,) = cache.find(b"\0")
        cache.use(entry)
        cache.put(b"key", b"", "[]", b"body")
    assert [entry.rpartition(": ")[2] for entry in log] == ["attempt to write a readonly database"]


def test_somebody_holds_it_for_long(tmp_path: Path, log: Log) -> None:
    filled(tmp_path)
    cache = Cache(log.append, str(tmp_path), busy=0.05)
    holder = sqlite3.connect(tmp_path / NAME, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    for _ in range(2):
        assert cache.find(b"\0") == []
        cache.put(b"key", b"", "[]", b"body")
    holder.execute("ROLLBACK")
    holder.close()
    assert [entry.rpartition(": ")[2] for entry in log] == ["database is locked"]
    cache.put(b"key", b"", "[]", b"body")
    assert bodies(cache, b"key") == [b"body"]


FULL = """
import os, resource, signal, sys
from fx_lsp.server.cache import Cache
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
said = []
cache = Cache(said.append, sys.argv[1])
cache.put(b"before", b"", "[]", b"body")
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
for number in range(20):
    cache.put(bytes([number]), b"", "[]", os.urandom(50_000))
print(len(said), [bool(cache.find(key)) for key in (b"before", b"\\0", b"\\x13")])
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
cache.put(b"after", b"", "[]", b"body")
print(len(said), len(cache.find(b"after")))
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """Files cannot grow any more; what is kept stays, and it goes on when there is room again."""
    out, _ = python(FULL, tmp_path).communicate(timeout=PATIENCE)
    assert out == "1 [True, True, False]\n1 1\n"


def test_to_clear_it_while_it_is_used(tmp_path: Path, log: Log) -> None:
    filled(tmp_path)
    server = cache_at(tmp_path, log)
    assert server.find(b"\0")
    assert cache_at(tmp_path, log).clear()
    assert server.find(b"\0") == []
    assert (tmp_path / NAME).stat().st_size < 30_000
    server.put(b"new", b"", "[]", b"body")
    assert bodies(server, b"new") == [b"body"]
    assert log == []


def test_columns_with_anything_in_them(tmp_path: Path, log: Log) -> None:
    file = filled(tmp_path)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE answers SET body = 'text', reads = 7")
        connection.execute("UPDATE answers SET body = zeroblob(200000000) WHERE id = 1")
    connection.close()
    cache = cache_at(tmp_path, log)
    assert [cache.find(bytes([number])) for number in range(40)] == [[]] * 40
    assert log == []


@pytest.mark.asyncio
async def test_it_may_be_closed_twice_at_once(tmp_path: Path) -> None:
    cache = Cache(lambda text: None, str(tmp_path))
    for number in range(20):
        cache.writing(lambda number=number: cache.put(bytes([number]), b"state", "reads", b"body"))
    await asyncio.gather(cache.close(), cache.close())
    assert cache.describe() is not None
