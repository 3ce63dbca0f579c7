"""What a status item is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.e2e.conftest import Start
from tests.e2e.sources import NET, NET_HINTS, configure, workspace

pytestmark = pytest.mark.asyncio


async def test_from_the_start_of_the_worker_to_idle(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    await editor.settled()
    await editor.until(lambda: editor.statuses[-1].state == "idle")
    states = list(dict.fromkeys(status.state for status in editor.statuses))
    assert [state for state in states if state != "tracing"] == ["starting", "idle"] or states[0] == "idle"
    tracing = [status for status in editor.statuses if status.state in ("starting", "tracing") and status.total]
    assert {(status.done, status.total) for status in tracing} == {(0, 1)}
    assert (editor.statuses[-1].done, editor.statuses[-1].total) == (0, 0)
    assert editor.statuses[0].layers == []


async def test_what_holds_of_the_sandbox(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    await editor.until(lambda: bool(editor.statuses[-1].layers))
    now = editor.statuses[-1]
    layers = {layer.name: layer.status for layer in now.layers}
    assert {"environment", "limits"} <= set(layers)
    assert (now.sandbox == "") == (set(layers.values()) == {"active"})
    assert "sandbox: environment" in editor.log()


async def test_a_layer_that_was_left_out_is_said(start: Start, tmp_path: Path) -> None:
    configure(tmp_path / "config", '[sandbox]\noff = ["seccomp-child"]\n')
    editor = await start(root=workspace(tmp_path), environment={"XDG_CONFIG_HOME": str(tmp_path / "config")})
    await editor.open("net.py", NET)
    await editor.until(lambda: bool(editor.statuses[-1].layers))
    now = editor.statuses[-1]
    assert {layer.name: layer.status for layer in now.layers}["seccomp-child"] == "off"
    assert "seccomp-child" in now.sandbox
    assert await editor.hints("net.py") == NET_HINTS


async def test_there_is_a_status_before_any_file_is_open(start: Start) -> None:
    editor = await start()
    await editor.until(lambda: bool(editor.statuses))
    assert editor.statuses[0].state == "idle"


async def test_running_switched_off(start: Start) -> None:
    editor = await start(options={"run": False})
    await editor.open("net.py", NET)
    await editor.settled()
    assert editor.statuses[-1].state == "off"


async def test_no_interpreter_is_an_error_with_what_to_do(start: Start) -> None:
    editor = await start(options={"interpreter": "/nowhere/python"})
    await editor.open("net.py", NET)
    await editor.until(lambda: bool(editor.statuses) and editor.statuses[-1].state == "error")
    assert "choose another interpreter" in editor.statuses[-1].message
    await editor.after(
        lambda: editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"fx-lsp": {}}))
    )
    assert editor.statuses[-1].state == "idle"
