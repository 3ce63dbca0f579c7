"""What a session takes from an earlier one: the same question about the same files under the same circumstances."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model import wire
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import Invented, TraceReply
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Binding, ModuleUse, Variant
from fx_lsp.model.value import TensorType
from fx_lsp.server.cache import NAME, Cache
from fx_lsp.server.circumstances import Circumstances
from fx_lsp.server.settings import Settings
from fx_lsp.server.trust import Trust
from fx_lsp.server.user_config import UserConfig, UserFile
from tests.server.workers import MODEL, TICK, Bench

pytestmark = pytest.mark.asyncio

CALL = "Net()(f32[2, 3])"


def environment(folder: Path) -> str:
    """The interpreter of an environment that nobody else installs anything in; its packages are in `site`."""
    (folder / "site").mkdir()
    python = folder / "venv" / "bin" / "python"
    library = folder / "venv" / "lib" / "python3.11"
    for place in (python.parent, library):
        place.mkdir(parents=True)
    real = os.path.realpath(sys.executable)
    (folder / "venv" / "pyvenv.cfg").write_text(f"home = {os.path.dirname(real)}\n")
    (library / "site-packages").symlink_to(folder / "site")
    python.symlink_to(real)
    return str(python)


class Sessions:
    """One after the other, over one root."""

    def __init__(self, folder: Path) -> None:
        self.root, self.place = folder / "root", folder / "cache"
        self.root.mkdir()
        self.settings = Settings(interpreter=environment(folder))
        self.log: list[str] = []
        self.environment: dict[str, str] = {}
        self._open: list[Bench] = []

    def start(self, settings: Settings | None = None, trust: Trust | None = None) -> Bench:
        cache = Cache(self.log.append, str(self.place))
        bench = Bench(self.root, settings or self.settings, trust, cache, self.environment)
        self._open.append(bench)
        return bench

    async def run(self, script: Callable[[Bench], None] = lambda bench: None, **given: Any) -> tuple[list[str], Any]:
        """Open `a.py`, wait, stop: what was run, and what was shown."""
        bench = self.start(**given)
        script(bench)
        path = bench.path("a.py")
        bench.engine.update(path, Path(path).read_text())
        await bench.idle()
        snapshot = bench.engine.snapshot(path)
        await bench.engine.stop()
        return bench.worker.calls, snapshot

    async def stop(self) -> None:
        for bench in self._open:
            await bench.engine.stop()

    @property
    def file(self) -> Path:
        return self.place / NAME


@pytest_asyncio.fixture
async def sessions(tmp_path: Path) -> AsyncIterator[Sessions]:
    sessions = Sessions(tmp_path)
    (sessions.root / "a.py").write_text(MODEL)
    yield sessions
    await sessions.stop()


def labels(snapshot: Snapshot | None) -> list[tuple[str, tuple[int, ...]]]:
    assert snapshot is not None
    assert not snapshot.pending
    assert not snapshot.stale
    found: list[tuple[str, tuple[int, ...]]] = []
    for trace in snapshot.traces:
        for binding in trace.reply.bindings:
            (variant,) = binding.variants
            assert isinstance(variant.value, TensorType)
            found.append((os.path.basename(binding.span.path), variant.value.shape))
    return found


async def test_a_second_session_runs_nothing(sessions: Sessions) -> None:
    calls, first = await sessions.run()
    assert calls == [CALL]
    calls, second = await sessions.run()
    assert calls == []
    assert labels(second) == labels(first) == [("a.py", (16,))]
    assert sessions.log == []


async def test_hints_do_not_wait_for_a_worker(sessions: Sessions) -> None:
    """One that never answers."""
    await sessions.run()

    def never(bench: Bench) -> None:
        bench.worker.gate = asyncio.Event()

    calls, shown = await sessions.run(never)
    assert (calls, labels(shown)) == ([], [("a.py", (16,))])


async def test_a_killed_session_leaves_what_it_found(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fx_lsp.server.answers.LATER", 0.01)
    bench = sessions.start()
    bench.engine.update(bench.path("a.py"), MODEL)
    await bench.idle()
    async with asyncio.timeout(10):
        while not rows(sessions.file):
            await asyncio.sleep(0.01)
    assert (await sessions.run())[0] == []


def rows(file: Path) -> int:
    if not file.exists():
        return 0
    with sqlite3.connect(file) as connection:
        found = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'by_use'").fetchone()[0]
        count = connection.execute("SELECT count(*) FROM answers").fetchone()[0] if found else 0
    connection.close()
    return count


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.py", MODEL, MODEL + "y = 1\n"),
        ("helper.py", "x = 1\n", "x = 2\n"),
        ("config.json", "{}", "[]"),
        ("missing.json", None, "{}"),
        ("large.bin", b"\xff" * 10, b"\xff" * 11),
        ("data/one.txt", "1", None),
        ("optional.py", None, ""),
        ("optional/__init__.py", None, ""),
    ],
)
async def test_what_it_looked_at_has_changed(
    sessions: Sessions, name: str, before: str | bytes | None, after: str | bytes | None
) -> None:
    def write(content: str | bytes | None) -> None:
        file = sessions.root / name
        file.parent.mkdir(exist_ok=True)
        if content is None:
            file.unlink(missing_ok=True)
        else:
            file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def script(bench: Bench) -> None:
        scope = bench.path("a.py")
        bench.worker.reads = {scope: [bench.path("helper.py")]}
        looked_at = ["config.json", "missing.json", "large.bin", "data/"]
        bench.worker.looks_at = {scope: [bench.path(one) + "/" * one.endswith("/") for one in looked_at]}
        bench.worker.absent = {scope: [bench.path("optional")]}

    (sessions.root / "helper.py").write_text("x = 1\n")
    (sessions.root / "data").mkdir()
    write(before)
    assert (await sessions.run(script))[0] == [CALL]
    assert (await sessions.run(script))[0] == []
    (sessions.root / "apart.py").write_text("")
    assert (await sessions.run(script))[0] == []
    write(after)
    assert (await sessions.run(script))[0] == [CALL]
    if not name.startswith("optional"):
        assert (await sessions.run(script))[0] == []


async def test_branches_are_changed_back_and_forth(sessions: Sessions) -> None:
    texts = [MODEL + f"y = {number}\n" for number in range(3)]
    for text in texts:
        (sessions.root / "a.py").write_text(text)
        assert (await sessions.run())[0] == [CALL]
    for text in texts:
        (sessions.root / "a.py").write_text(text)
        assert (await sessions.run())[0] == []


async def test_an_unsaved_text_is_what_counts(sessions: Sessions) -> None:
    bench = sessions.start()
    path = bench.path("a.py")
    bench.engine.update(path, MODEL + "y = 1\n")
    await bench.idle()
    await bench.engine.stop()
    assert (await sessions.run())[0] == [CALL]
    Path(path).write_text(MODEL + "y = 1\n")
    assert (await sessions.run())[0] == []


@pytest.mark.parametrize(
    ("failure", "kept"),
    [
        (Failure("trace", "shapes do not fit"), True),
        (Failure("import", "ModuleNotFoundError: no module named x"), True),
        (Failure("timeout", "did not finish within 20 s", proven=False), False),
        (Failure("crash", "the process of the run was ended by SIGSEGV", proven=False), False),
        (Failure("construct", "MemoryError", error="MemoryError", proven=False), False),
        (Failure("protocol", "the result is too large", proven=False), False),
        (Failure("start", "there is no torch", proven=False), False),
    ],
    ids=lambda value: value.error or value.stage if isinstance(value, Failure) else "",
)
async def test_failures_of_one_moment_are_not_kept(sessions: Sessions, failure: Failure, kept: bool) -> None:
    def fails(bench: Bench) -> None:
        bench.worker.failures = {CALL: failure}

    await sessions.run(fails)
    calls, shown = await sessions.run(fails)
    assert (calls == []) is kept
    assert failure.stage == "start" or shown.traces[0].reply.failure == failure


def config(text: str) -> Callable[[Sessions], dict[str, Any]]:
    def change(sessions: Sessions) -> dict[str, Any]:
        (sessions.root / "pyproject.toml").write_text(f"[tool.fx-lsp]\n{text}")
        return {}

    return change


def user(sessions: Sessions) -> dict[str, Any]:
    file = sessions.place.parent / "config.toml"
    file.write_text('[sandbox]\noff = ["seccomp-child"]\n')
    return {"trust": Trust(UserFile(str(file)), word=True)}


def package(sessions: Sessions) -> dict[str, Any]:
    (sessions.root.parent / "site" / "einops-0.9.dist-info").mkdir(parents=True)
    return {}


CHANGES: dict[str, Callable[[Sessions], dict[str, Any]]] = {
    "time": config("timeout = 7\n"),
    "memory": config('memory = "1GiB"\n'),
    "read": config('read = ["/usr/share/dict"]\n'),
    "interpreter": lambda sessions: {"settings": Settings(interpreter="/usr/bin/python3")},
    "layers": user,
    "package": package,
    "language": lambda sessions: sessions.environment.update(LANG="C") or {},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_other_circumstances(sessions: Sessions, change: Callable[[Sessions], dict[str, Any]]) -> None:
    await sessions.run()
    assert (await sessions.run())[0] == []
    given = change(sessions)
    assert (await sessions.run(**given))[0] == [CALL]
    assert (await sessions.run(**given))[0] == []


async def test_packages_that_are_replaced_meanwhile(sessions: Sessions) -> None:
    """Nobody knows which of them the answers come from, so these are not kept."""
    bench = sessions.start()
    bench.engine.update(bench.path("a.py"), MODEL)
    await bench.idle()
    package(sessions)
    await bench.engine.stop()
    assert (await sessions.run())[0] == [CALL]


async def test_a_file_that_changed_while_it_was_run(sessions: Sessions) -> None:
    """Nobody told of it: the answer that is kept is that of another run."""
    data = sessions.root / "size.json"
    data.write_text("1")

    def script(bench: Bench) -> None:
        bench.worker.looks_at = {bench.path("a.py"): [str(data)]}

    bench = sessions.start()
    script(bench)
    bench.worker.gate = asyncio.Event()
    bench.engine.update(bench.path("a.py"), MODEL)
    await bench.running()
    await asyncio.sleep(TICK)
    data.write_text("12")
    bench.worker.gate.set()
    await bench.idle()
    await bench.engine.stop()
    assert bench.worker.calls == [CALL, CALL]
    assert (await sessions.run(script))[0] == []


async def test_another_code_of_ours(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    await sessions.run()
    monkeypatch.setattr("fx_lsp.server.circumstances.ourselves", lambda: b"another version")
    assert (await sessions.run())[0] == [CALL]


async def test_a_folder_that_is_not_trusted_any_more(sessions: Sessions) -> None:
    await sessions.run()
    _, shown = await sessions.run(trust=Trust(word=False))
    assert [trace.reply.bindings for trace in shown.traces] == [()]
    assert (await sessions.run())[0] == []


async def test_a_restart_runs_everything_again(sessions: Sessions) -> None:
    """That is what it is for; what is kept is written anew."""
    await sessions.run()
    bench = sessions.start()
    path = bench.path("a.py")
    bench.engine.update(path, MODEL)
    await bench.idle()
    assert bench.worker.calls == []
    bench.engine.restart()
    await bench.idle()
    assert bench.worker.calls == [CALL]
    await bench.engine.stop()
    assert (await sessions.run())[0] == []


async def test_without_a_place_everything_works(sessions: Sessions) -> None:
    sessions.place = Path("/dev/null/cache")
    for _ in range(2):
        calls, shown = await sessions.run()
        assert (calls, labels(shown)) == ([CALL], [("a.py", (16,))])


@pytest.mark.parametrize("full", [False, True], ids=["empty", "filled"])
async def test_a_disk_that_is_full(sessions: Sessions, monkeypatch: pytest.MonkeyPatch, full: bool) -> None:
    """What was kept is of use, and what is new is not kept until there is room; that is said."""
    if full:
        await sessions.run()
    connect = sqlite3.connect

    def without_room(path: str, **options: Any) -> sqlite3.Connection:
        connection = connect(path, **options)
        connection.execute("PRAGMA max_page_count = 1")  # or as many as there are
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", without_room)
        for size in range(2, 42):
            call = CALL.replace("2,", f"{size},")
            (sessions.root / "a.py").write_text(MODEL.replace(CALL, call))
            assert (await sessions.run())[0] == ([] if full and call == CALL else [call])
    assert {entry.rpartition(": ")[2] for entry in sessions.log} == {"database or disk is full"}
    await sessions.run()
    assert (await sessions.run())[0] == []


async def test_a_place_that_cannot_be_written(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    await sessions.run()
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **more: connect(f"file:{path}?mode=ro", uri=True, **more))
    for text, calls in ((MODEL, []), (MODEL + "y = 1\n", [CALL]), (MODEL + "y = 1\n", [CALL])):
        (sessions.root / "a.py").write_text(text)
        assert (await sessions.run())[0] == calls
    assert {entry.rpartition(": ")[2] for entry in sessions.log} == {"attempt to write a readonly database"}


@pytest.mark.parametrize("years", [-30, 30])
async def test_the_clock_jumps(sessions: Sessions, monkeypatch: pytest.MonkeyPatch, years: int) -> None:
    """Between sessions, and in the middle of one."""
    clock = time.time
    await sessions.run()
    monkeypatch.setattr(time, "time", lambda: clock() + years * 3e7)
    assert (await sessions.run())[0] == []
    bench = sessions.start()
    path = bench.path("a.py")
    for text, calls in ((MODEL, []), (MODEL + "y = 1\n", [CALL]), (MODEL, []), (MODEL + "y = 1\n", [])):
        bench.engine.update(path, text)
        await bench.idle()
        assert bench.worker.calls == calls
        years = -years
    (sessions.root / "a.py").write_text(MODEL + "y = 1\n")
    await bench.engine.stop()
    assert (await sessions.run())[0] == []


# -- what searches found ---------------------------------------------------------------------------------------------

UNCALLED = """from torch import nn

class Net(nn.Module):
    def __init__(self, width):
        self.width = width
    def forward(self, x):
        return x
"""


async def searched(sessions: Sessions, *found: Invented) -> tuple[list[str], Snapshot]:
    def script(bench: Bench) -> None:
        bench.worker.invented = {bench.path("a.py"): found}

    return await sessions.run(script)


async def test_what_was_invented_is_known_again(sessions: Sessions) -> None:
    """Even of a text that was edited after the search."""
    (sessions.root / "a.py").write_text(UNCALLED)
    found = Invented("Net", "import math", "Net(4)(f32[2, 4])", 3)
    assert (await searched(sessions, found))[0] == ["", found.call]
    calls, shown = await searched(sessions)
    assert (calls, labels(shown)) == ([], [("a.py", (17,))])
    (sessions.root / "a.py").write_text(UNCALLED.replace("return x", "return x + 1"))
    assert (await searched(sessions))[0] == [found.call]
    (sessions.root / "a.py").write_text(UNCALLED.replace("width", "size"))
    assert (await searched(sessions))[0] == [""]


GONE_ON_FROM = """import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x
    def sample(self, y):
        return y + 1

def test_net():
    x = torch.zeros(2, 4)
    x[0] = 1
    assert Net()(x) is x
"""
SETUP = "x = torch.zeros(2, 4)\nx[0] = 1"


async def test_a_method_that_was_gone_on_to_is_known_again(sessions: Sessions) -> None:
    (sessions.root / "a.py").write_text(GONE_ON_FROM)
    found = Invented("Net::sample", f"{SETUP}\nimport math", "Net().sample(f32[2, 4])", 3)
    use = ModuleUse(str(sessions.root / "a.py"), "Net", (), TensorType("f32", (2, 4)), 0)

    def script(bench: Bench) -> None:
        bench.worker.uses, bench.worker.invented = {"Net()(x)": (use,)}, {use.path: (found,)}

    assert (await sessions.run(script))[0] == ["Net()(x)", "", found.call]
    assert (await sessions.run(script))[0] == []
    evil = replace(found, setup="import os; os.system('x')")
    rewrite(sessions.file, lambda reply: replace(reply, invented=(evil,)) if reply.invented else reply)
    calls, shown = await sessions.run(script)
    assert "os.system" not in repr(shown)
    assert calls == [""]


async def test_what_was_not_found_is_known_again(sessions: Sessions) -> None:
    (sessions.root / "a.py").write_text(UNCALLED)
    missing = Invented("Net", why="its constructor needs width")
    assert (await searched(sessions, missing))[0] == [""]
    calls, shown = await searched(sessions)
    assert (calls, shown.unfound) == ([], (("Net", missing.why),))


# -- a file that somebody wrote into ---------------------------------------------------------------------------------


def rewrite(file: Path, change: Callable[[TraceReply], TraceReply | bytes], reads: Any = None) -> None:
    with sqlite3.connect(file) as connection:
        for number, body in connection.execute("SELECT id, body FROM answers").fetchall():
            new = change(wire.decode(zlib.decompress(body)))
            packed = new if isinstance(new, bytes) else zlib.compress(wire.encode(new))
            connection.execute("UPDATE answers SET body = ? WHERE id = ?", (packed, number))
            if reads is not None:
                connection.execute("UPDATE answers SET reads = ? WHERE id = ?", (json.dumps(reads), number))
    connection.close()


async def test_what_is_kept_is_vetted_like_an_answer_of_a_worker(sessions: Sessions) -> None:
    def poison(reply: TraceReply) -> TraceReply:
        value = TensorType("f32", (7,))
        places = [
            Span("/etc/passwd", 1, 0, 1, 1),
            Span(str(sessions.root / "a.py"), -5, 0, 1, 1),
            reply.bindings[0].span,
        ]
        bindings = tuple(Binding(place, "na\x1bme", "assign", (Variant(value),)) for place in places)
        failure = Failure("worker", "line\nand \u202e line", span=places[0])
        return replace(reply, bindings=bindings, log="\x1b[31mred", engine="quantum", failure=failure)

    await sessions.run()
    rewrite(sessions.file, poison)
    calls, shown = await sessions.run()
    (trace,) = shown.traces
    assert calls == []
    assert labels(shown) == [("a.py", (7,))]
    assert (trace.reply.engine, "\x1b" in trace.reply.log, "\x1b" in trace.reply.bindings[0].name) == ("fake",) + (
        False,
    ) * 2
    assert (trace.reply.failure.stage, trace.reply.failure.span) == ("trace", None)
    assert "\n" not in trace.reply.failure.message


BAD: dict[str, Callable[[TraceReply], TraceReply | bytes]] = {
    "garbage": lambda reply: b"garbage",
    "cut": lambda reply: zlib.compress(wire.encode(reply))[:-5],
    "bomb": lambda reply: zlib.compress(b" " * (64 << 20)),
    "no message": lambda reply: zlib.compress(b'{"kind": "pong", "id": 1}'),
    "deep": lambda reply: zlib.compress(b"[" * 1_000_000),
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
async def test_what_cannot_be_read_is_run_again(sessions: Sessions, change: Callable[[TraceReply], bytes]) -> None:
    await sessions.run()
    rewrite(sessions.file, change)
    calls, shown = await sessions.run()
    assert (calls, labels(shown)) == ([CALL], [("a.py", (16,))])
    assert (await sessions.run())[0] == []


async def test_a_module_that_is_only_open_is_there(sessions: Sessions) -> None:
    def script(bench: Bench) -> None:
        bench.worker.absent = {bench.path("a.py"): [bench.path("optional")]}

    def opened(bench: Bench) -> None:
        bench.engine.update(bench.path("optional.py"), "x = 1\n")

    assert (await sessions.run(script))[0] == [CALL]
    assert (await sessions.run(script))[0] == []
    assert (await sessions.run(opened))[0] == [CALL]


@pytest.mark.parametrize(
    "reads",
    [
        7,
        [],
        {"files": 1, "absent": []},
        {"files": [["a"]], "absent": []},
        {"files": [], "absent": []},
        {"files": [[1, 2]]},
    ],
    ids=repr,
)
async def test_what_does_not_say_what_it_depends_on_is_run_again(sessions: Sessions, reads: Any) -> None:
    await sessions.run()
    rewrite(sessions.file, lambda reply: reply, reads)
    assert (await sessions.run())[0] == [CALL]


async def test_an_invented_example_that_is_none(sessions: Sessions) -> None:
    (sessions.root / "a.py").write_text(UNCALLED)
    await searched(sessions, Invented("Net", "import math", "Net(4)(f32[2, 4])", 3))
    evil = Invented("Net", "import os; os.system('x')", "Net(4)(f32[2, 4])", 3)
    rewrite(sessions.file, lambda reply: replace(reply, invented=(evil,)) if reply.invented else b"")
    calls, shown = await searched(sessions)
    assert "os.system" not in repr(shown)
    assert calls == [""]


# -- circumstances ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("site/pkg-2.dist-info/METADATA", True),
        ("site/new.py", True),
        ("site/__pycache__/new.pyc", False),
        ("site/pkg/__pycache__/new.pyc", False),
        ("edited/lib.py", True),
        ("edited/notes.md", False),
        ("root/a.py", False),
    ],
)
async def test_what_counts_as_another_environment(tmp_path: Path, name: str, changes: bool) -> None:
    python = environment(tmp_path)
    for folder in ("site/pkg", "edited", "root"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "edited" / "lib.py").write_text("1")
    (tmp_path / "root" / "a.py").write_text("1")
    (tmp_path / "site" / "_edited.pth").write_text(f"{tmp_path / 'edited'}\n{tmp_path / 'root'}\n")
    here = Circumstances(str(tmp_path / "root"), python, {"HOME": str(tmp_path)}, "trusted", (), UserConfig())
    before = here.digest()
    assert here.digest() == before
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("22")
    assert (here.digest() != before) is changes
