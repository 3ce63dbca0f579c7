"""A notebook as a client has it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import count
from typing import Any

from lsprotocol import types

from fx_lsp.server.convert import Border
from fx_lsp.server.notebooks import PYTHON, Notebook

CODE, MARKUP = types.NotebookCellKind.Code, types.NotebookCellKind.Markup


class Book:
    """What is done to it is told to the server's notebook, in the client's words."""

    def __init__(self, path: str, texts: Iterable[str]) -> None:
        self._numbers, self._path, self._uri = count(), path, f"file://{path}"
        self._cells: list[types.NotebookCell] = []
        self._documents: dict[str, types.TextDocumentItem] = {}
        self._cells += self._new(texts)
        self.reopen()

    @property
    def texts(self) -> list[str]:
        """Of all cells."""
        return [self._documents[cell.document].text for cell in self._cells]

    @property
    def whole(self) -> str:
        """The text that the engine has."""
        return self._notebook.whole.text

    def line(self, cell: int) -> int:
        """The first line of a cell in the whole."""
        return self._notebook.whole.starts[cell]

    def is_code(self, cell: int) -> bool:
        """Or text."""
        return self._cells[cell].kind is CODE

    def reopen(self) -> None:
        """As a server hears of it that starts now."""
        book = types.NotebookDocument(self._uri, "jupyter-notebook", 1, self._cells)
        opened = types.DidOpenNotebookDocumentParams(book, [*self._documents.values()])
        self._notebook = Notebook.opened(self._path, opened)

    def put(self, at: int, *texts: str, delete: int = 0) -> None:
        """Cells come, and others go."""
        cells = self._new(texts)
        self._structure(at, delete, cells, [self._documents[cell.document] for cell in cells])

    def move(self, start: int, to: int) -> None:
        """A cell, which stays open."""
        order = [*self._cells]
        order.insert(to, order.pop(start))
        first, last = sorted((start, to))
        self._structure(first, last - first + 1, order[first : last + 1], [])

    def turn(self, at: int) -> None:
        """Code into text, or back."""
        cell = self._cells[at]
        cell = self._cells[at] = types.NotebookCell(MARKUP if cell.kind is CODE else CODE, cell.document)
        self._tell(data=[cell])

    def type(self, at: int, text: str) -> None:
        """What a cell says from now on."""
        document = self._documents[self._cells[at].document]
        document.version, document.text = document.version + 1, text
        identity = types.VersionedTextDocumentIdentifier(document.version, document.uri)
        edit = types.TextDocumentContentChangeWholeDocument(text)
        self._tell(text_content=[types.NotebookDocumentCellContentChanges(identity, [edit])])

    def on_disk(self) -> str:
        """What is written when it is saved."""
        kinds = {CODE: "code", MARKUP: "markdown"}
        cells = [
            {"cell_type": kinds[cell.kind], "source": self._documents[cell.document].text.splitlines(keepends=True)}
            for cell in self._cells
        ]
        return json.dumps({"cells": cells, "nbformat": 4}, indent=1)

    def _new(self, texts: Iterable[str]) -> list[types.NotebookCell]:
        made = [types.TextDocumentItem(f"cell:{next(self._numbers)}", PYTHON, 1, text) for text in texts]
        self._documents.update({document.uri: document for document in made})
        return [types.NotebookCell(CODE, document.uri) for document in made]

    def _structure(self, at: int, delete: int, cells: list[types.NotebookCell], documents: Any) -> None:
        self._cells[at : at + delete] = cells
        array = types.NotebookCellArrayChange(at, delete, cells)
        self._tell(structure=types.NotebookDocumentCellChangeStructure(array, documents))

    def _tell(self, **changes: Any) -> None:
        event = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(**changes))
        identity = types.VersionedNotebookDocumentIdentifier(self._notebook.version + 1, self._uri)
        self._notebook.change(types.DidChangeNotebookDocumentParams(identity, event), Border().edited)
