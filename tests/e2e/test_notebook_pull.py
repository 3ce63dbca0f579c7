"""Notebooks in a client that asks for diagnostics and tooltips by itself."""

from __future__ import annotations

import attrs
import pytest
from lsprotocol import types

from tests.e2e.conftest import Start
from tests.e2e.editor import shown
from tests.e2e.notebook import CAPABILITIES, Book
from tests.e2e.test_notebook import CALLS, IMPORTS, NET

pytestmark = pytest.mark.asyncio


async def test_a_client_that_asks_for_everything(start: Start) -> None:
    assert CAPABILITIES.text_document is not None
    documents = attrs.evolve(
        CAPABILITIES.text_document,
        diagnostic=types.DiagnosticClientCapabilities(),
        inlay_hint=types.InlayHintClientCapabilities(resolve_support=types.ClientInlayHintResolveOptions(["tooltip"])),
    )
    refresh = types.WorkspaceClientCapabilities(
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    )
    editor = await start(capabilities=attrs.evolve(CAPABILITIES, text_document=documents, workspace=refresh))
    book = Book(editor, "book.ipynb")
    await book.open(IMPORTS, "x = (", NET, CALLS)
    full = await editor.resolved_hint(book.cells[2])
    assert isinstance(full.tooltip, types.MarkupContent)
    assert "f32[2, 8]" in full.tooltip.value
    reports = [
        await editor.ask(editor.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document)))
        for document in map(editor.document, book.cells)
    ]
    assert [[shown(one) for one in report.items] for report in reports] == [
        [],
        ["1:4-1:5 error syntax-error: '(' was never closed"],
        [],
        [],
    ]
    assert book.problems() == [[], [], [], []]
