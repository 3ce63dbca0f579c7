"""Diagnostics, published or asked for."""

from __future__ import annotations

import attrs
import pytest
from lsprotocol import types

from tests.e2e.conftest import Start
from tests.e2e.editor import PUSH, shown
from tests.e2e.sources import NET, model

pytestmark = pytest.mark.asyncio

WRONG = model("h = self.fc(x)\ny = h.view(3)\nreturn y")
PROBLEM = "13:12-13:21 error view-elements: "

PULL = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    ),
    text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()),
)


async def test_published_when_they_change(start: Start) -> None:
    editor = await start()
    await editor.open("wrong.py", WRONG)
    (problem,) = editor.problems("wrong.py")
    assert problem.startswith(PROBLEM)
    await editor.edit("wrong.py", "import torch\n", "import torch\nimport math\n")
    (problem,) = editor.problems("wrong.py")
    assert problem.startswith(PROBLEM.replace("13:", "14:"))
    await editor.edit("wrong.py", "h.view(3)", "h.view(8)")
    assert editor.problems("wrong.py") == []
    assert editor.answer is not None
    assert editor.answer.capabilities.diagnostic_provider is None


async def test_one_in_another_file_has_its_way_there_as_related_places(start: Start) -> None:
    editor = await start()
    await editor.open("helper.py", "def fold(x):\n    return x.view(3)\n")
    await editor.open("user.py", model("h = self.fc(x)\nreturn fold(h)", head="from helper import fold"))
    (problem,) = editor.client.diagnostics[editor.uri("helper.py")]
    assert shown(problem).startswith("2:11-2:20 error view-elements: ")
    places = [
        (related.location.uri, related.location.range.start.line + 1, related.location.range.start.character)
        for related in problem.related_information or []
    ]
    assert (editor.uri("user.py"), 13, 15) in places


async def test_asked_for(start: Start) -> None:
    editor = await start(capabilities=PULL)
    await editor.open("wrong.py", WRONG)
    await editor.until(lambda: editor.refreshes["diagnostics"] > 0)
    params = types.DocumentDiagnosticParams(editor.document("wrong.py"))
    report = await editor.ask(editor.client.text_document_diagnostic_async(params))
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    (problem,) = report.items
    assert shown(problem).startswith(PROBLEM)
    again = attrs.evolve(params, previous_result_id=report.result_id)
    same = await editor.ask(editor.client.text_document_diagnostic_async(again))
    assert isinstance(same, types.RelatedUnchangedDocumentDiagnosticReport)
    await editor.edit("wrong.py", "h.view(3)", "h.view(8)")
    other = await editor.ask(editor.client.text_document_diagnostic_async(again))
    assert isinstance(other, types.RelatedFullDocumentDiagnosticReport)
    assert list(other.items) == []
    assert editor.client.diagnostics == {}


async def test_a_client_that_would_not_ask_again_is_told(start: Start) -> None:
    assert PUSH.text_document is not None
    both = attrs.evolve(PUSH.text_document, diagnostic=types.DiagnosticClientCapabilities())
    editor = await start(capabilities=attrs.evolve(PUSH, text_document=both))
    assert editor.answer is not None
    assert editor.answer.capabilities.diagnostic_provider is None
    await editor.open("wrong.py", WRONG)
    assert len(editor.problems("wrong.py")) == 1


async def test_nothing_is_wrong_with_a_model_that_runs(start: Start) -> None:
    editor = await start()
    await editor.open("net.py", NET)
    assert editor.problems("net.py") == []
