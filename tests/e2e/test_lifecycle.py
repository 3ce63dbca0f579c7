"""How a session starts, changes and ends; no process is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path

import pytest
from lsprotocol import types

from fx_lsp.server.cache import NAME
from tests.e2e.conftest import Start
from tests.e2e.editor import COMMAND, PATIENCE, REPOSITORY, Editor, clean_environment
from tests.e2e.processes import children, gone, started_by
from tests.e2e.sources import NET, NET_HINTS, model

pytestmark = pytest.mark.asyncio


async def test_shutdown_and_exit_leave_no_process(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    processes = children(editor.pid)
    assert processes
    assert await editor.stop() == 0
    await gone([editor.pid, *processes])


async def test_exit_without_shutdown_is_an_error_and_leaves_no_process(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    processes = children(editor.pid)
    editor.client.exit(None)
    server = editor.client._server
    assert server is not None
    assert await asyncio.wait_for(server.wait(), PATIENCE) == 1
    await gone(processes)


@pytest.mark.parametrize("busy", [False, True])
async def test_a_client_that_goes_away_ends_everything(start: Start, busy: bool) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    processes = children(editor.pid)
    if busy:
        await editor.edit("net.py", "h.relu()", "h.relu() if all(iter(int, 1)) else h", wait=False)
    server = editor.client._server
    assert server is not None
    assert server.stdin is not None
    server.stdin.close()
    await asyncio.wait_for(server.wait(), PATIENCE)
    await gone(processes)


@pytest.mark.parametrize("stopped", [False, True], ids=["", "stopped"])
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
async def test_a_server_that_is_killed_leaves_nothing(start: Start, tmp_path: Path, busy: bool, stopped: bool) -> None:
    """Not even processes that were stopped before, and no file but the one that is for the next session."""
    root, cache, temporary = (tmp_path / name for name in ("root", "cache", "temporary"))
    for folder in (root, cache, temporary):
        folder.mkdir()
    environment = {"XDG_CACHE_HOME": str(cache), "TMPDIR": str(temporary)}
    editor = await start(root=root, environment=environment)
    await editor.open("net.py", NET)
    if busy:
        await editor.edit("net.py", "h.relu()", "h.relu() if all(iter(int, 1)) else h", wait=False)
    await editor.until(lambda: len(children(editor.pid)) > 1)  # between two runs there is the worker alone
    if stopped:
        stop([editor.pid, *started_by(editor.pid)])  # the server would replace a worker that stopped
        await asyncio.sleep(0.2)  # who was forked just now ties itself to its parent first of all
    processes = children(editor.pid)
    if stopped:
        stop(processes)
    os.kill(editor.pid, signal.SIGKILL)
    server = editor.client._server
    assert server is not None
    assert await asyncio.wait_for(server.wait(), PATIENCE) == -signal.SIGKILL  # or its client asks it to end
    await gone(processes)
    left = {
        path.relative_to(tmp_path).as_posix() for path in (*cache.rglob("*"), *temporary.rglob("*")) if path.is_file()
    }
    own = f"cache/fx-lsp/answers/{NAME}"
    assert left <= {own, f"{own}-journal"}


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_worker_that_ends_is_started_again_and_hints_stay(start: Start, end: signal.Signals) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    before = children(editor.pid)
    os.kill(before[0], end)
    await gone(before)
    assert await editor.hints("net.py") == NET_HINTS
    await editor.edit("net.py", "f32[2, 8]", "f32[3, 8]")
    assert "h⟦: f32[3, 4]⟧ = self.fc(x)" in await editor.hints("net.py")


async def test_tcp(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    server = await asyncio.create_subprocess_exec(
        *COMMAND,
        "--tcp",
        "127.0.0.1:0",
        cwd=REPOSITORY,
        env=clean_environment(),
        stderr=asyncio.subprocess.PIPE,
        stdin=asyncio.subprocess.DEVNULL,
    )
    assert server.stderr is not None
    address = await asyncio.wait_for(server.stderr.readline(), PATIENCE)
    host, port = address.decode().split()[-1].split(":")
    editor = await Editor.connect(tmp_path, host, int(port))
    await editor.open("net.py", NET)
    assert await editor.hints("net.py") == NET_HINTS
    await asyncio.wait_for(editor.client.shutdown_async(None), PATIENCE)
    editor.client.exit(None)
    assert await asyncio.wait_for(server.wait(), PATIENCE) == 0


async def test_the_start_of_the_worker_is_shown(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    reports = editor.client.progress_reports
    await editor.until(lambda: any(len(values) == 2 for values in reports.values()))
    (values,) = reports.values()
    assert [type(value).__name__ for value in values] == ["WorkDoneProgressBegin", "WorkDoneProgressEnd"]


async def test_nothing_is_sent_that_the_client_did_not_ask_for(start: Start) -> None:
    editor = await start(capabilities=types.ClientCapabilities())
    await editor.open("net.py", NET)
    assert await editor.hints("net.py") == NET_HINTS
    assert editor.refreshes == {"hints": 0, "lenses": 0, "diagnostics": 0}
    assert editor.client.progress_reports == {}
    assert editor.registered == []


async def test_a_workspace_of_several_folders(start: Start, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "pyproject.toml").touch()
        (folder / "size.py").write_text(f"SIZE = {8 if folder is one else 16}\n")
    editor = await start(folders=(one, two))
    text = NET.replace("from torch import nn", "from torch import nn\nfrom size import SIZE").replace("8, 4", "8, SIZE")
    await editor.open("one/net.py", text)
    await editor.open("two/net.py", text)
    assert "h⟦: f32[2, 8]⟧ = self.fc(x)" in await editor.hints("one/net.py")
    assert "h⟦: f32[2, 16]⟧ = self.fc(x)" in await editor.hints("two/net.py")
    workers = set(started_by(editor.pid))
    await editor.close("one/net.py")
    removed = types.WorkspaceFolder(editor.uri("one"), "one")
    event = types.WorkspaceFoldersChangeEvent([], [removed])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    await editor.edit("two/net.py", "f32[2, 8]", "f32[3, 8]")
    assert "h⟦: f32[3, 16]⟧ = self.fc(x)" in await editor.hints("two/net.py")
    async with asyncio.timeout(PATIENCE):  # it ends in the background
        while not set(started_by(editor.pid)) < workers:
            await asyncio.sleep(0.05)


async def test_files_that_change_on_disk(start: Start) -> None:
    capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
        )
    )
    editor = await start(capabilities=capabilities)
    await editor.until(lambda: editor.registered == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES])
    await editor.open("net.py", NET.replace("8, 4", "8, SIZE").replace("import nn", "import nn\nfrom size import SIZE"))
    assert await editor.hints("net.py") == []
    for size, kind in ((4, types.FileChangeType.Created), (5, types.FileChangeType.Changed)):
        editor.write("size.py", f"SIZE = {size}\n")
        changed = types.DidChangeWatchedFilesParams([types.FileEvent(editor.uri("size.py"), kind)])
        await editor.after(lambda changed=changed: editor.client.workspace_did_change_watched_files(changed))
        assert f"h⟦: f32[2, {size}]⟧ = self.fc(x)" in await editor.hints("net.py")


async def test_data_that_change_on_disk(start: Start) -> None:
    """A model that reads them runs again; files that nobody reads start nothing."""
    editor = await start()
    body = "import json\nwith open('size.json') as file:\n    y = x.repeat(1, json.load(file))\nreturn y"
    editor.write("size.json", "2")
    await editor.open("net.py", model(body))
    for name, size in (("size.json", 3), ("size.json", 4)):
        editor.write(name, str(size))
        changed = types.DidChangeWatchedFilesParams([types.FileEvent(editor.uri(name), types.FileChangeType.Changed)])
        await editor.after(lambda changed=changed: editor.client.workspace_did_change_watched_files(changed))
        assert f"y⟦: f32[2, {8 * size}]⟧ = x.repeat(1, json.load(file))" in await editor.hints("net.py")


async def test_a_file_that_is_closed_is_read_from_the_disk(start: Start) -> None:
    editor = await start()
    await editor.open("size.py", "SIZE = 4\n")
    await editor.open("net.py", NET.replace("8, 4", "8, SIZE").replace("import nn", "import nn\nfrom size import SIZE"))
    await editor.edit("size.py", "4", "16")
    assert "h⟦: f32[2, 16]⟧ = self.fc(x)" in await editor.hints("net.py")
    await editor.close("size.py")
    assert "h⟦: f32[2, 4]⟧ = self.fc(x)" in await editor.hints("net.py")


async def test_restart_is_a_command(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    before = children(editor.pid)
    restart = types.ExecuteCommandParams("fx.restart")
    await editor.after(lambda: editor.client.workspace_execute_command_async(restart))
    assert await editor.hints("net.py") == NET_HINTS
    assert not set(before) & set(children(editor.pid))


async def test_messages_that_are_no_messages_are_survived(start: Start) -> None:
    editor = await start()
    server = editor.client._server
    assert server is not None
    assert server.stdin is not None
    server.stdin.write(b"Content-Length: 9\r\n\r\n{no json}")
    with pytest.raises(Exception, match="Method Not Found"):
        await editor.ask(editor.client.protocol.send_request_async("fx/unknown", {}))
    await editor.open("net.py", NET)
    assert await editor.hints("net.py") == NET_HINTS


def stop(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # a spare that was replaced just now
            os.kill(pid, signal.SIGSTOP)
