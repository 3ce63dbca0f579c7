"""Settings and interpreters, right and wrong."""

from __future__ import annotations

import sys
import venv
from pathlib import Path

import pytest
from lsprotocol import types

from tests.e2e.conftest import Start
from tests.e2e.editor import Editor
from tests.e2e.processes import children
from tests.e2e.sources import NET, NET_HINTS

pytestmark = pytest.mark.asyncio

ASKS = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        configuration=True,
        did_change_configuration=types.DidChangeConfigurationClientCapabilities(dynamic_registration=True),
    )
)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter without torch."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    return str(folder / "bin" / "python")


def messages(editor: Editor) -> list[str]:
    """What popped up."""
    return [message.message for message in editor.client.messages]


async def test_settings_come_with_the_first_message(start: Start) -> None:
    editor = await start(options={"hints": {"result": False, "parameter": False}, "codeLens": False})
    await editor.open("net.py", NET)
    assert await editor.hints("net.py") == [NET_HINTS[1]]
    assert await editor.lenses("net.py") == []
    assert messages(editor) == []


async def test_settings_are_asked_for_and_asked_for_again(start: Start) -> None:
    editor = await start(capabilities=ASKS, settings={"hints": {"result": False}})
    await editor.until(lambda: editor.registered == [types.WORKSPACE_DID_CHANGE_CONFIGURATION])
    await editor.open("net.py", NET)
    assert await editor.hints("net.py") == NET_HINTS[:2]
    editor.client.set_configuration({"hints": {"assignment": False}}, section="fx-lsp")
    changed = types.DidChangeConfigurationParams(None)
    await editor.after(lambda: editor.client.workspace_did_change_configuration(changed))
    assert await editor.hints("net.py") == [NET_HINTS[0], NET_HINTS[2]]


async def test_settings_that_are_sent(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    changed = types.DidChangeConfigurationParams({"fx-lsp": {"hints": {"assignment": False}}})
    await editor.after(lambda: editor.client.workspace_did_change_configuration(changed))
    assert await editor.hints("net.py") == [NET_HINTS[0], NET_HINTS[2]]


async def test_wrong_settings_are_said_once_and_the_rest_applies(start: Start) -> None:
    editor = await start(options={"hints": {"result": False, "parameter": "no"}, "interpreter": 3})
    await editor.open("net.py", NET)
    assert await editor.hints("net.py") == NET_HINTS[:2]
    (message,) = messages(editor)
    assert "interpreter must be a text, not 3" in message
    assert "hints.parameter must be true or false, not 'no'" in message


async def test_nothing_runs_when_running_is_off(start: Start) -> None:
    editor = await start(options={"run": False})
    await editor.open("net.py", NET)
    assert await editor.hints("net.py") == []
    assert children(editor.pid) == []
    assert messages(editor) == []
    changed = types.DidChangeConfigurationParams({"fx-lsp": {"run": True}})
    await editor.after(lambda: editor.client.workspace_did_change_configuration(changed))
    assert await editor.hints("net.py") == NET_HINTS


async def test_an_interpreter_without_torch_is_said_once_and_can_be_changed(start: Start, bare: str) -> None:
    editor = await start(options={"interpreter": bare})
    await editor.open("net.py", NET)
    await editor.edit("net.py", "8, 4", "8, 5")
    await editor.open("other.py", NET)
    (message,) = messages(editor)
    assert "torch" in message
    assert bare in message
    assert [hint.label for hint in await editor.raw_hints("net.py") if "f32" in str(hint.label)] == []
    assert editor.problems("net.py") == []
    changed = types.DidChangeConfigurationParams({"fx-lsp": {"interpreter": sys.executable}})
    await editor.after(lambda: editor.client.workspace_did_change_configuration(changed))
    assert await editor.hints("other.py") == NET_HINTS


async def test_an_interpreter_that_is_not_there(start: Start, tmp_path: Path) -> None:
    editor = await start(options={"interpreter": "nowhere/python"})
    await editor.open("net.py", NET)
    (message,) = messages(editor)
    assert str(tmp_path / "nowhere" / "python") in message


async def test_the_interpreter_of_the_project(start: Start, tmp_path: Path, bare: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.fx-lsp]\ninterpreter = "{bare}"\n')
    editor = await start()
    await editor.open("net.py", NET)
    (message,) = messages(editor)
    assert bare in message


async def test_each_folder_of_a_workspace_may_have_its_interpreter(start: Start, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "pyproject.toml").touch()
    wished = {one: {}, two: {"interpreter": "/nowhere/python"}}
    editor = await start(capabilities=ASKS, settings={}, folders=(one, two), of_folders=wished)
    await editor.open("one/net.py", NET)
    await editor.open("two/net.py", NET)
    await editor.settled()
    assert await editor.hints("one/net.py") == NET_HINTS
    assert await editor.hints("two/net.py") == []
    assert "/nowhere/python cannot be started" in messages(editor)[0]
