"""What earlier sessions found out, in one SQLite file of the user's: shared by all servers, bounded, and never needed.

Every call may fail to do what it is for, and then says so once in the log; none raises.  All but `clear` and `describe`
run in the one thread of the cache, so that the event loop never waits for a disk.

The file has a rollback journal, not a write-ahead log: that needs memory shared through a mapped file, which two
machines with one home folder do not have, and which ends the process when it is written to on a full disk.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from platformdirs import user_cache_dir

from fx_lsp.server.secrets import ANSWERS

T = TypeVar("T")

NAME = "answers-1.sqlite"
"""With the version of its tables: another version has a file of its own."""
MAX_BYTES = 256 << 20
"""Of what is kept; what was not asked for longest goes first."""
ROOM = 0.9
"""Part of it that stays when something has to go."""
LARGEST = 8
"""Part of it that one answer may take is one in so many."""
STATES = 4
"""Kept of one key."""
BUSY_SECONDS = 2.0
"""Until another process is done with the file."""
LAST_WRITES = 5.0
"""Seconds that the end of a session may take to write what is left."""
ASIDE = 2
"""Times that a broken file is replaced; after that it is left alone."""

_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_PAGE = 4096
_TABLES = """
CREATE TABLE IF NOT EXISTS answers (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL, state BLOB NOT NULL, used INTEGER NOT NULL, size INTEGER NOT NULL,
    reads TEXT NOT NULL, body BLOB NOT NULL, UNIQUE (key, state)
);
CREATE INDEX IF NOT EXISTS by_use ON answers (used, size);
"""
_NEXT = "(SELECT ifnull(max(used), 0) + 1 FROM answers)"
"""Time is counted in uses: clocks jump."""
_INSERT = f"""
INSERT OR REPLACE INTO answers (key, state, used, size, reads, body) VALUES (?, ?, {_NEXT}, ?, ?, ?)
"""
_EVICT = """
DELETE FROM answers WHERE id IN (
    SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY used DESC, id DESC) AS kept FROM answers) WHERE kept > ?
)
"""
_OLD_STATES = """
DELETE FROM answers WHERE key = ? AND id NOT IN (SELECT id FROM answers WHERE key = ? ORDER BY used DESC LIMIT ?)
"""


def folder() -> str:
    """Where the file is, or would be; nothing that is run may read there."""
    return os.path.join(user_cache_dir("fx-lsp", appauthor=False), ANSWERS)


@dataclass(frozen=True)
class Entry:
    """One of the answers to a question; there is one for each state of the files."""

    number: int
    reads: str
    """What it depends on."""
    body: bytes


class Cache:
    """The file."""

    def __init__(
        self, log: Callable[[str], None], place: str | None = None, limit: int = MAX_BYTES, busy: float = BUSY_SECONDS
    ) -> None:
        self.path = os.path.join(place or folder(), NAME)
        self._log, self._limit, self._busy = log, limit, busy
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="cache")
        self._lock = threading.RLock()
        self._closing = asyncio.Lock()
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._used: set[int] = set()
        self._said: set[str] = set()
        self._aside = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        """Whose thread the log belongs to."""

    # -- from the event loop ---------------------------------------------------------------------------------------

    async def reading(self, work: Callable[[], T]) -> T:
        """Do it in the thread of the cache."""
        self._loop = asyncio.get_running_loop()
        return await self._loop.run_in_executor(self._thread, work)

    def writing(self, work: Callable[[], None]) -> None:
        """Do it there some time."""
        self._loop = asyncio.get_running_loop()
        with suppress(RuntimeError):  # the session is over
            self._thread.submit(self._guarded, lambda connection: work(), None)

    async def close(self) -> None:
        """Write what is left, within bounds; nothing is kept any more after that."""
        async with self._closing:
            with suppress(TimeoutError, RuntimeError):  # the second time there is no thread any more
                await asyncio.wait_for(asyncio.wrap_future(self._thread.submit(self._close)), LAST_WRITES)
            self._thread.shutdown(wait=False, cancel_futures=True)

    # -- from its thread -------------------------------------------------------------------------------------------

    def find(self, key: bytes) -> Sequence[Entry]:
        """The answers, the one used last first; whether one fits is for the caller to say, with `use`."""

        def select(connection: sqlite3.Connection) -> list[Entry]:
            query = (
                "SELECT id, reads, body FROM answers WHERE key = ? AND length(reads) + length(body) <= ? "
                "ORDER BY used DESC LIMIT ?"
            )
            rows = connection.execute(query, (key, self._limit // LARGEST, STATES)).fetchall()
            # Columns of SQLite hold anything.
            return [Entry(*row) for row in rows if isinstance(row[1], str) and isinstance(row[2], bytes)]

        return self._guarded(select, [])

    def use(self, entry: Entry) -> None:
        """It was of use: it goes last."""
        self._used.add(entry.number)

    def put(self, key: bytes, state: bytes, reads: str, body: bytes) -> None:
        """Keep an answer, in place of an older one for the same `state` of the files."""
        size = -(-(len(reads) + len(body)) // _PAGE) * _PAGE
        if size > self._limit // LARGEST:
            return

        def insert(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                self._write_uses(connection)
                connection.execute(_INSERT, (key, state, size, reads, body))
                connection.execute(_OLD_STATES, (key, key, STATES))
                if connection.execute("SELECT total(size) FROM answers").fetchone()[0] > self._limit:
                    connection.execute(_EVICT, (int(self._limit * ROOM),))

        self._guarded(insert, None)

    # -- from anywhere ---------------------------------------------------------------------------------------------

    def describe(self) -> tuple[int, int] | None:
        """How many answers there are, and bytes of the file; None when there is none, or none that can be read."""
        if not os.path.exists(self.path):
            return None

        def count(connection: sqlite3.Connection) -> tuple[int, int]:
            return connection.execute("SELECT count(*) FROM answers").fetchone()[0], os.path.getsize(self.path)

        return self._guarded(count, None)

    def clear(self) -> bool:
        """Forget everything; False when that is not possible.  Servers that run may go on."""
        if not os.path.exists(self.path):
            return True

        def delete(connection: sqlite3.Connection) -> bool:
            connection.execute("DELETE FROM answers")
            connection.execute("VACUUM")
            return True

        return self._guarded(delete, False)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _guarded(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """What `work` says; `otherwise` when it cannot be done."""
        with self._lock:
            try:
                connection = self._open()
                return otherwise if connection is None else work(connection)
            except sqlite3.Error as error:
                self._failed(error)
            except Exception as error:  # a folder that cannot be made; an answer of ours that cannot be written
                self._say(f"{type(error).__name__}: {error}")
        return otherwise

    def _open(self) -> sqlite3.Connection | None:
        if self._aside > ASIDE:
            return None
        if self._connection is not None:
            if _inode(self.path) == self._inode:
                return self._connection
            self._drop()  # another process replaced the file
        place = os.path.dirname(self.path)
        if not os.path.isabs(place):
            raise OSError(f"there is no home folder: {place}")
        with suppress(PermissionError):  # read-only, perhaps with a file in it
            os.makedirs(place, mode=0o700, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=self._busy, isolation_level=None, check_same_thread=False)
        self._connection, self._inode = connection, _inode(self.path)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA trusted_schema = OFF")
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'by_use'").fetchone():
            with suppress(OSError):
                os.chmod(self.path, 0o600)
            with _transaction(connection):
                for statement in _TABLES.split(";"):
                    connection.execute(statement)
        return connection

    def _failed(self, error: sqlite3.Error) -> None:
        broken = getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN
        inode = self._inode
        self._drop()
        if not broken:
            self._say(str(error))
            return
        self._aside += 1
        try:
            if _inode(self.path) == inode:  # else another process was faster
                # With its journal, which belongs to no other file.
                for suffix in ("-journal", ""):
                    with suppress(FileNotFoundError):
                        os.replace(self.path + suffix, f"{self.path}.broken{suffix}")
        except OSError as unmoved:
            self._aside = ASIDE + 1
            self._say(f"{error}; and it cannot be set aside: {unmoved}")
            return
        self.tell(f"{self.path} is broken ({error}): it was set aside as {NAME}.broken, and a new one is begun")

    def _say(self, why: str) -> None:
        if why not in self._said:
            self._said.add(why)
            self.tell(f"what is found is not kept for the next session, or only in part: {self.path}: {why}")

    def tell(self, text: str) -> None:
        """An entry of the log, from whatever thread."""
        if self._loop is None:
            self._log(text)
            return
        with suppress(RuntimeError):  # the session is over
            self._loop.call_soon_threadsafe(self._log, text)

    def _write_uses(self, connection: sqlite3.Connection) -> None:
        used, self._used = sorted(self._used), set()
        connection.executemany(f"UPDATE answers SET used = {_NEXT} WHERE id = ?", [(number,) for number in used])

    def _close(self) -> None:
        def write(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                self._write_uses(connection)

        if self._used:
            self._guarded(write, None)
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        connection, self._connection, self._inode = self._connection, None, 0
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


class _transaction:
    """All or nothing; holds the file from its start on, so that no two writers wait for each other."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: Any, *rest: Any) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
        elif self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
