"""What one root knows from earlier sessions: answers to requests, and examples that searches found.

A file of the cache is input like any other: what it holds goes through what a worker's answers go through.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.inventions import MAX_NAMES, Invention, search_for
from fx_lsp.analysis.modules import modules
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model import wire
from fx_lsp.model.example import WAY, Maker, Search
from fx_lsp.model.messages import MAX_REPLY, MODULE_FILES, TraceReply, TraceRequest
from fx_lsp.server.circumstances import Circumstances, hashed
from fx_lsp.server.ran import Key, Ran, reach
from fx_lsp.server.texts import Texts
from fx_lsp.server.vetted import vetted
from fx_lsp.server.vetted_examples import only_imports

if TYPE_CHECKING:
    from fx_lsp.server.cache import Cache

T = TypeVar("T")

LATER = 2.0
"""Seconds after which what was found is written: of what is typed over meanwhile, only the last."""
PATIENCE = 10.0
"""Seconds to wait for a disk."""
HURRIED = 0.5
"""Part of its time after which a search has to hurry."""
FRESH = 2.0
"""Seconds that the circumstances are taken to be what they were."""

_PASSING = frozenset({"start", "cancelled", "worker", "crash", "protocol", "timeout"})
"""Stages of failures that say something about one moment."""


def own_cache(log: Callable[[str], None]) -> Cache | None:
    """The user's cache; None in a Python that was built without SQLite."""
    try:
        from fx_lsp.server.cache import Cache
    except ImportError as error:
        log(f"nothing is kept for the next session: {error}")
        return None
    return Cache(log)


def described(cache: Cache) -> str:
    """What is in it, in some words."""
    found = cache.describe()
    if found is None:
        return "nothing is kept"
    number, size = found
    return f"{number} answer{'s' if number != 1 else ''}, {size / 2**20:.1f} MiB"


class Answers:
    """Of one root.  Used from the event loop; the work is done in the thread of the cache."""

    def __init__(
        self, cache: Cache | None, texts: Texts, circumstances: Callable[[], Circumstances], log: Callable[[str], None]
    ) -> None:
        self.recalled = 0
        """Runs that were not needed."""
        self._cache, self._texts, self._circumstances, self._log = cache, texts, circumstances, log
        self._afresh = False
        self._looked_for: set[str] = set()
        self._known: _Known | None = None
        self._waiting: dict[bytes, _Waiting] = {}
        self._timer: asyncio.TimerHandle | None = None

    @property
    def path(self) -> str:
        """The file that they are kept in; empty when there is none."""
        return self._cache.path if self._cache is not None else ""

    @property
    def torch(self) -> str:
        """Version of the torch that these are answers of."""
        return self._circumstances().torch()

    def renew(self, *, afresh: bool = False) -> None:
        """The circumstances may be others; `afresh`: nothing from before is wanted, only written anew."""
        self._known = None
        self._looked_for.clear()
        self._afresh = self._afresh or afresh

    async def recall(self, request: TraceRequest) -> Ran | None:
        """The answer to the request for the files as they are, if an earlier session got it."""
        ran = await self._ask(lambda cache, here: self._found(cache, here, request))
        self.recalled += ran is not None
        return ran

    def keep(self, request: TraceRequest, ran: Ran) -> None:
        """Have it written, if it holds for longer than this moment."""
        failure = ran.reply.failure
        if ran.digests and (failure is None or (failure.stage not in _PASSING and failure.error != "MemoryError")):
            self._write(
                _question(request), lambda key: None if self._are_there(ran.reply.absent) else _row_of(key, ran)
            )

    async def inventions(self, path: str) -> tuple[Invention, ...]:
        """What searches found for the file, the first time that this is asked; to be `vetted_inventions`."""
        if path in self._looked_for:
            return ()
        self._looked_for.add(path)
        return await self._ask(lambda cache, here: _inventions(cache, hashed([here, _searched(path)]))) or ()

    def keep_inventions(self, path: str, found: Iterable[Invention], seconds: float, reply: TraceReply) -> None:
        """Have them written in place of those before, after a search with so much time.

        What a search did not find that ran out of time may be found another time.
        """
        hurried = reply.failure is not None or reply.ms > seconds * 1000 * HURRIED
        inventions = tuple(one for one in found if one.found.call or not hurried)
        reads = [[one.signature, one.text] for one in inventions]
        kept = TraceReply(0, invented=tuple(one.found for one in inventions))
        self._write(_searched(path), lambda key: (key, b"", reads, kept))

    def flush(self) -> None:
        """Write what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting = self._waiting, {}
        if self._cache is not None and waiting:
            cache = self._cache
            cache.writing(lambda: _put(cache, waiting))

    # -- inside ----------------------------------------------------------------------------------------------------

    async def _ask(self, work: Callable[[Cache, bytes], T | None]) -> T | None:
        cache = self._cache
        if cache is None or self._afresh:
            return None
        now = self._circumstances()

        def asked() -> T | None:
            known, moment = self._known, time.monotonic()
            if known is None or known.now != now or moment - known.moment > FRESH:
                known = self._known = _Known(now, now.digest(), moment)
            return work(cache, known.digest)

        try:
            return await asyncio.wait_for(cache.reading(asked), PATIENCE)
        except Exception as error:  # whatever is wrong with what is kept, it can be found out anew
            self._log(f"what was kept cannot be used: {type(error).__name__}: {error}")
            return None

    def _found(self, cache: Cache, here: bytes, request: TraceRequest) -> Ran | None:
        for entry in cache.find(hashed([here, _question(request)])):
            try:
                digests, absent = _reads(json.loads(entry.reads))
                if any(self._texts.digest(path) != digest for path, digest in digests) or self._are_there(absent):
                    continue
                reply = vetted(_unpacked(entry.body), request)
            except (ValueError, RecursionError, zlib.error) as error:
                cache.tell(f"an answer that was kept cannot be read: {error}")
                continue
            reached = reach(Key(request.scope, request.setup, request.call), reply)
            if {*reached, *reply.files, *reply.data} <= {path for path, _ in digests}:
                cache.use(entry)
                return Ran(reply, reached, digests)
        return None

    def _are_there(self, absent: Iterable[str]) -> bool:
        """Whether a module has come since that a run would import."""
        return any(self._texts.exists(path + suffix) for path in absent for suffix in MODULE_FILES)

    def _write(self, question: bytes, row: Callable[[bytes], _Row | None]) -> None:
        if self._cache is None:
            return
        known = self._known
        now = self._circumstances()
        self._waiting[question] = row, now, known.digest if known is not None and known.now == now else None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LATER, self.flush)


@dataclass(frozen=True)
class _Known:
    """The circumstances as they were found, and when."""

    now: Circumstances
    digest: bytes
    moment: float


_Row = tuple[bytes, bytes, object, TraceReply]
"""Key, state, what it depends on, answer."""
_Waiting = tuple[Callable[[bytes], "_Row | None"], Circumstances, "bytes | None"]
"""What to write, if the circumstances still have this digest."""


def vetted_inventions(
    workspace: Workspace, config: Config, path: str, found: Sequence[Invention]
) -> tuple[Invention, ...]:
    """Those that may be believed: as after a search that the server asked for now."""
    names = [one.found.name for one in found]
    makers = [Maker(one.found.name, _stated(one), "") for one in found if WAY in one.found.name]
    if any(not only_imports(one.found.setup) for one in found):
        there = [module for module in modules(workspace, path) if module.name in names]
        for start in range(0, len(there), MAX_NAMES):
            search = search_for(workspace, config, path, there[start : start + MAX_NAMES], {}).search
            makers += search.makers if search is not None else ()
    request = TraceRequest(0, workspace.root, path, "", search=Search(tuple(names), tuple(makers)))
    reply = vetted(TraceReply(0, invented=tuple(one.found for one in found)), request)
    kept = {one.found.name: one for one in found}
    return tuple(replace(kept[one.name], found=one) for one in reply.invented)


def _stated(way: Invention) -> str:
    """The lines before it that are of the call which its signature says it goes on from: it is not believed for another
    one."""
    lines = way.found.setup.split("\n")
    texts = ("\n".join(lines[:end]) for end in range(len(lines), 0, -1))
    return next((text for text in texts if f"{text}\n" in way.signature), "")


def _put(cache: Cache, waiting: dict[bytes, _Waiting]) -> None:
    known: list[tuple[Circumstances, bytes]] = []
    for question, (make, now, before) in waiting.items():
        here = next((digest for one, digest in known if one == now), None)
        if here is None:
            here = now.digest()
            known.append((now, here))
        if before is not None and before != here:
            continue  # packages were replaced since: nobody knows which of them the answer comes from
        row = make(hashed([here, question]))
        if row is not None:
            key, state, reads, reply = row
            cache.put(key, state, json.dumps(reads), zlib.compress(wire.encode(reply)))


def _inventions(cache: Cache, key: bytes) -> tuple[Invention, ...]:
    for entry in cache.find(key):
        reads: Any = json.loads(entry.reads)
        pairs = [one for one in reads if isinstance(one, list)] if isinstance(reads, list) else []
        found = _unpacked(entry.body).invented
        if len(pairs) == len(found) and all(len(pair) == 2 for pair in pairs):
            cache.use(entry)
            return tuple(Invention(str(one), two, str(text)) for (one, text), two in zip(pairs, found, strict=True))
    return ()


def _question(request: TraceRequest) -> bytes:
    return wire.encode(replace(request, id=0, overlays=()))


def _searched(path: str) -> bytes:
    return json.dumps(["inventions", path]).encode()


def _row_of(key: bytes, ran: Ran) -> _Row:
    reads = {"files": ran.digests, "absent": ran.reply.absent}
    return key, hashed(ran.digests), reads, replace(ran.reply, id=0)


def _reads(data: Any) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Files with their hashes, and modules that must not be there.

    Raises:
        ValueError: the data are none of ours.
    """
    try:
        digests = tuple((str(path), str(digest)) for path, digest in data["files"])
        return digests, tuple(map(str, data["absent"]))
    except (TypeError, KeyError) as error:
        raise ValueError(f"no list of files: {error}") from None


def _unpacked(body: bytes) -> TraceReply:
    """The answer in a body; no more of it is unpacked than a worker may send.

    Raises:
        ValueError: there is none.
        zlib.error: it is damaged.
    """
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(body, MAX_REPLY)
    if not unpacker.eof:
        raise ValueError("it is too large, or only a part")
    reply = wire.decode(data)
    if not isinstance(reply, TraceReply):
        raise ValueError(f"a {reply.kind}")
    return reply
