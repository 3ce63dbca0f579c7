"""A notebook in an editor: cells with URIs of their own, synchronised as VS Code does it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import attrs
from lsprotocol import types

from fx_lsp.server.convert import to_uri
from tests.e2e.editor import PUSH, Editor, shown

CAPABILITIES = attrs.evolve(
    PUSH,
    notebook_document=types.NotebookDocumentClientCapabilities(
        types.NotebookDocumentSyncClientCapabilities(dynamic_registration=True)
    ),
)


class Book:
    """Cells are files to the editor, named `book.ipynb#1`, `book.ipynb#2`, …"""

    def __init__(self, editor: Editor, name: str) -> None:
        self.editor, self.name = editor, name
        self.uri = to_uri(str(editor.root / name))
        self.cells: list[str] = []
        self.version = 0
        self._numbers = count(1)

    async def open(self, *texts: str) -> None:
        """Open a notebook with these cells, which is on disk as JSON."""
        self.editor.write(self.name, '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
        self.cells.clear()
        cells, documents = self._new(texts)
        document = types.NotebookDocument(self.uri, "jupyter-notebook", self._next(), cells)
        self.editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, documents))
        await self.editor.settled()

    async def insert(self, at: int, *texts: str, delete: int = 0, wait: bool = True) -> None:
        """Put cells in, and take some out."""
        gone = [types.TextDocumentIdentifier(self.editor.uri(name)) for name in self.cells[at : at + delete]]
        del self.cells[at : at + delete]
        cells, documents = self._new(texts, at)
        array = types.NotebookCellArrayChange(at, delete, cells)
        structure = types.NotebookDocumentCellChangeStructure(array, documents, gone)
        await self._change(types.NotebookDocumentCellChanges(structure=structure), wait)

    async def move(self, start: int, to: int) -> None:
        """Move a cell: it is taken out and put in again, and stays open all the time."""
        name = self.cells.pop(start)
        self.cells.insert(to, name)
        first, last = sorted((start, to))
        cells = [self._cell(name) for name in self.cells[first : last + 1]]
        structure = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(first, last - first + 1, cells)
        )
        await self._change(types.NotebookDocumentCellChanges(structure=structure), True)

    async def edit(self, cell: int, old: str, new: str, *, wait: bool = True) -> None:
        """Replace the first `old` in a cell by `new`."""
        name = self.cells[cell]
        text = self.editor.texts[name]
        start = text.index(old)
        where = types.Range(self.editor.position(text, start), self.editor.position(text, start + len(old)))
        self.editor.texts[name] = text[:start] + new + text[start + len(old) :]
        document = types.VersionedTextDocumentIdentifier(self.version + 1, self.editor.uri(name))
        content = types.NotebookDocumentCellContentChanges(
            document, [types.TextDocumentContentChangePartial(where, new)]
        )
        await self._change(types.NotebookDocumentCellChanges(text_content=[content]), wait)

    async def close(self) -> None:
        """Close the notebook."""
        del self.editor.versions[self.name]
        gone = [types.TextDocumentIdentifier(self.editor.uri(name)) for name in self.cells]
        params = types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(self.uri), gone)
        await self.editor.after(lambda: self.editor.client.notebook_document_did_close(params))

    async def hints(self) -> list[list[str]]:
        """Per cell, its lines that have hints."""
        return [await self.editor.hints(name) for name in self.cells]

    def problems(self) -> list[list[str]]:
        """Per cell what is wrong."""
        found = self.editor.client.diagnostics
        return [[shown(one) for one in found.get(self.editor.uri(name), [])] for name in self.cells]

    def _new(self, texts: Sequence[str], at: int = 0) -> tuple[list[types.NotebookCell], list[types.TextDocumentItem]]:
        names = [f"{self.name}#{next(self._numbers)}" for _ in texts]
        self.cells[at:at] = names
        self.editor.texts.update(zip(names, texts, strict=True))
        documents = [
            types.TextDocumentItem(self.editor.uri(name), types.LanguageKind.Python, 1, text)
            for name, text in zip(names, texts, strict=True)
        ]
        return [self._cell(name) for name in names], documents

    def _cell(self, name: str) -> types.NotebookCell:
        return types.NotebookCell(types.NotebookCellKind.Code, self.editor.uri(name))

    async def _change(self, cells: types.NotebookDocumentCellChanges, wait: bool) -> None:
        document = types.VersionedNotebookDocumentIdentifier(self._next(), self.uri)
        event = types.NotebookDocumentChangeEvent(cells=cells)
        self.editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(document, event))
        if wait:
            await self.editor.settled()

    def _next(self) -> int:
        self.version += 1
        self.editor.versions[self.name] = self.version
        return self.version
