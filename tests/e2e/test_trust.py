"""Nothing of a folder is run that nobody trusts; how it can be trusted, and what it may say of itself before."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.e2e.conftest import Start
from tests.e2e.editor import PUSH, Editor
from tests.e2e.processes import children
from tests.e2e.sources import NET, NET_HINTS, configure, workspace

pytestmark = pytest.mark.asyncio

ASKS = types.ClientCapabilities(
    workspace=PUSH.workspace,
    window=types.WindowClientCapabilities(show_message=types.ShowMessageRequestClientCapabilities()),
)


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Any]:
    """A workspace, and a user whose configuration is a file of the test."""
    return {"root": workspace(tmp_path), "environment": {"XDG_CONFIG_HOME": str(tmp_path / "config")}}


def evil_interpreter(root: Path, proof: Path) -> Path:
    """An interpreter that a workspace brings along, and that leaves a trace."""
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\ntouch {proof}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return python


async def nothing_runs(editor: Editor) -> None:
    """The static features are there, and no process."""
    assert await editor.hints("net.py") == []
    assert children(editor.pid) == []
    assert editor.statuses[-1].state == "untrusted"
    assert "fx-lsp trust" in editor.statuses[-1].message
    reply = await editor.ask(editor.client.protocol.send_request_async("fx/graph", graph_params(editor)))
    assert (reply.state, reply.name) == ("off", "Net")
    assert "not trusted" in reply.message


def graph_params(editor: Editor) -> dict[str, Any]:
    return {"textDocument": {"uri": editor.uri("net.py")}, "name": "Net"}


@pytest.mark.parametrize("word", [False, None])
async def test_without_a_word_of_trust_nothing_runs(start: Start, places: dict[str, Any], word: bool | None) -> None:
    editor = await start(trusted=word, **places)
    await editor.open("net.py", NET)
    await nothing_runs(editor)
    said = [message.message for message in editor.client.messages]
    assert len(said) == (1 if word is None else 0)
    assert all("`fx-lsp trust`" in text and str(places["root"]) in text for text in said)
    await editor.edit("net.py", "8, 4", "8, 5")
    assert len(editor.client.messages) == len(said)


async def test_a_file_without_models_is_no_reason_to_ask(start: Start, places: dict[str, Any]) -> None:
    editor = await start(trusted=None, capabilities=ASKS, **places)
    await editor.open("plain.py", "x = 1\n")
    assert (editor.questions, list(editor.client.messages)) == ([], [])


async def test_trust_is_granted_and_taken_back(start: Start, places: dict[str, Any]) -> None:
    editor = await start(trusted=False, **places)
    await editor.open("net.py", NET)
    await editor.after(lambda: editor.client.protocol.notify("fx/trust", {"trusted": True}))
    assert await editor.hints("net.py") == NET_HINTS
    assert editor.statuses[-1].state == "idle"
    await editor.after(lambda: editor.client.protocol.notify("fx/trust", {"trusted": False}))
    await editor.edit("net.py", "8, 4", "8, 5")
    assert editor.statuses[-1].state == "untrusted"
    assert [line for line in await editor.hints("net.py") if "5" in line] == []


async def test_the_answer_to_the_question_is_remembered(start: Start, places: dict[str, Any]) -> None:
    editor = await start(trusted=None, capabilities=ASKS, **places)
    editor.answer_to_questions = "Trust this folder"
    await editor.open("net.py", NET)
    await editor.until(lambda: editor.statuses[-1].state == "idle")
    assert await editor.hints("net.py") == NET_HINTS
    (question,) = editor.questions
    assert question.message == f"Run the models of {places['root']}, in a sandbox?"
    assert [action.title for action in question.actions or ()] == ["Trust this folder", "Not now"]
    again = await start(trusted=None, capabilities=ASKS, **places)
    await again.open("net.py")
    assert await again.hints("net.py") == NET_HINTS
    assert again.questions == []


async def test_not_now_is_for_this_session(start: Start, places: dict[str, Any]) -> None:
    editor = await start(trusted=None, capabilities=ASKS, **places)
    await editor.open("net.py", NET)
    await editor.until(lambda: len(editor.questions) == 1)
    await nothing_runs(editor)
    await editor.edit("net.py", "8, 4", "8, 5")
    assert len(editor.questions) == 1
    again = await start(trusted=None, capabilities=ASKS, **places)
    await again.open("net.py")
    await again.until(lambda: len(again.questions) == 1)


async def test_the_users_own_configuration_trusts_a_folder(start: Start, places: dict[str, Any]) -> None:
    editor = await start(trusted=None, **places)
    await editor.open("net.py", NET)
    await nothing_runs(editor)
    configure(Path(places["environment"]["XDG_CONFIG_HOME"]), f"trust = [{str(places['root'].parent)!r}]\n")
    saved = types.DidSaveTextDocumentParams(editor.document("net.py"))
    await editor.after(lambda: editor.client.text_document_did_save(saved))
    assert await editor.hints("net.py") == NET_HINTS


async def test_the_word_of_the_editor_comes_first(start: Start, places: dict[str, Any]) -> None:
    configure(Path(places["environment"]["XDG_CONFIG_HOME"]), f"trust = [{str(places['root'])!r}]\n")
    editor = await start(trusted=False, **places)
    await editor.open("net.py", NET)
    await nothing_runs(editor)


async def test_settings_are_no_word_of_trust(start: Start, places: dict[str, Any]) -> None:
    answers = types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(configuration=True))
    editor = await start(trusted=None, capabilities=answers, settings={"trusted": True, "run": True}, **places)
    (places["root"] / "pyproject.toml").write_text("[tool.fx-lsp]\ntrusted = true\n")
    await editor.open("net.py", NET)
    await nothing_runs(editor)
    sent = await start(trusted=None, **places)
    await sent.open("net.py")
    changed = types.DidChangeConfigurationParams({"fx-lsp": {"trusted": True, "codeLens": False}, "trusted": True})
    await sent.after(lambda: sent.client.workspace_did_change_configuration(changed))
    await nothing_runs(sent)


async def test_what_a_workspace_may_not_choose(start: Start, places: dict[str, Any], tmp_path: Path) -> None:
    root, proof = places["root"], tmp_path / "proof"
    python = evil_interpreter(root, proof)
    text = f"[tool.fx-lsp]\ninterpreter = {str(python)!r}\ntimeout = 500\nmemory = '1GiB'\nread = ['/']\n"
    (root / "pyproject.toml").write_text(text)
    editor = await start(trusted=False, options={"interpreter": str(python)}, **places)
    await editor.open("net.py", NET)
    await nothing_runs(editor)
    assert [problem.split(": ")[0] for problem in editor.problems("pyproject.toml")] == [
        f"{line}:0-{line}:{length} information untrusted-config"
        for line, length in ((2, len(text.split("\n")[1])), (3, 13), (5, 12))
    ]
    assert not proof.exists()
    await editor.after(lambda: editor.client.protocol.notify("fx/trust", {"trusted": True}))
    assert proof.exists() is False  # it has no leave to write, but it is what runs now
    assert f"models run in {python} (setting)" in editor.log()
    assert editor.problems("pyproject.toml") == []


async def test_a_worker_is_started_before_it_is_known_what_to_run(start: Start, places: dict[str, Any]) -> None:
    editor = await start(**places)
    await editor.open("net.py", "import torch\n")
    await editor.until(lambda: editor.statuses[-1].layers != [])
    assert children(editor.pid) != []


async def test_a_home_folder_as_workspace_is_said(start: Start, places: dict[str, Any]) -> None:
    places["environment"]["HOME"] = str(places["root"])
    (places["root"] / ".ssh").mkdir()
    (places["root"] / ".ssh" / "id_rsa").write_text("SECRET")
    key = places["root"] / ".ssh" / "id_rsa"
    reads = NET.replace("        h = self", f"        raise ValueError(open({str(key)!r}).read())\n        h = self")
    editor = await start(**places)
    await editor.open("net.py", reads)
    (message,) = [message.message for message in editor.client.messages]
    assert "home folder" in message
    (problem,) = editor.problems("net.py")
    assert "SECRET" not in problem
    assert "Permission denied" in problem
