"""Open notebooks: the client knows cells, the engine one text; this is where they meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lsprotocol import types

from fx_lsp.analysis.notebook import Whole, whole
from fx_lsp.analysis.snapshot import Problem
from fx_lsp.model.span import Span

PYTHON = types.LanguageKind.Python.value

SYNC = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithNotebook(
            types.NotebookDocumentFilterNotebookType("jupyter-notebook"), [types.NotebookCellLanguage(PYTHON)]
        )
    ],
    save=True,
)

Edited = Callable[[str, types.TextDocumentContentChangeEvent], str]
"""A text after one change."""


@dataclass(eq=False)
class Cell:
    """A cell as the client has it."""

    uri: str
    version: int
    language: str
    text: str
    code: bool = True

    @property
    def said(self) -> str:
        """Its Python; empty when it is in another language."""
        return self.text if self.code and self.language == PYTHON else ""


@dataclass
class Notebook:
    """A notebook.  The lines of the whole count from 1."""

    path: str
    uri: str
    version: int
    cells: list[Cell] = field(default_factory=list[Cell])
    whole: Whole = field(default_factory=lambda: whole(()))

    @classmethod
    def opened(cls, path: str, params: types.DidOpenNotebookDocumentParams) -> Notebook:
        """As the client opened it."""
        document = params.notebook_document
        notebook = cls(path, document.uri, document.version)
        notebook.cells = list(_cells(document.cells, params.cell_text_documents))
        notebook._assemble()
        return notebook

    def change(self, params: types.DidChangeNotebookDocumentParams, edited: Edited) -> None:
        """Cells came, went, or say something else."""
        self.version = params.notebook_document.version
        changes, typed = params.change.cells, ""
        if changes is None:
            return
        if changes.structure is not None:
            array = changes.structure.array
            known = [types.TextDocumentItem(cell.uri, cell.language, cell.version, cell.text) for cell in self.cells]
            documents = [*known, *(changes.structure.did_open or ())]
            new = list(_cells(array.cells or (), documents))
            self.cells[array.start : array.start + array.delete_count] = new
        for cell in changes.data or ():
            if (mine := self.named(cell.document)) is not None:
                mine.code = cell.kind == types.NotebookCellKind.Code
        for content in changes.text_content or ():
            typed = content.document.uri
            if (mine := self.named(typed)) is not None:
                mine.version = content.document.version
                for change in content.changes:
                    mine.text = edited(mine.text, change)
        self._assemble(typed)

    def named(self, uri: str) -> Cell | None:
        """The cell with this URI."""
        return next((cell for cell in self.cells if cell.uri == uri), None)

    def cell(self, line: int) -> Cell | None:
        """The cell of a line of the whole."""
        return self.cells[self.whole.cell(line)] if self.cells else None

    def lines(self, cell: Cell) -> range:
        """The lines of a cell in the whole."""
        return self.whole.lines(self.cells.index(cell))

    def problems(self) -> Iterator[Problem]:
        """Cells that do not parse."""
        for error in self.whole.errors:
            span = Span(self.path, error.line, error.column, error.line, error.column + 1)
            yield Problem(span, "error", "syntax-error", error.message)

    def _assemble(self, typed: str = "") -> None:
        number = next((number for number, cell in enumerate(self.cells) if cell.uri == typed), -1)
        self.whole = whole([cell.said for cell in self.cells], number)


def _cells(cells: Sequence[types.NotebookCell], documents: Iterable[types.TextDocumentItem]) -> Iterator[Cell]:
    texts = {document.uri: document for document in documents}
    for cell in cells:
        document = texts.get(cell.document)
        code = cell.kind == types.NotebookCellKind.Code
        if document is not None:
            language = getattr(document.language_id, "value", document.language_id)
            yield Cell(cell.document, document.version, language, document.text, code)
        else:  # it was not opened: there is nothing to say about it
            yield Cell(cell.document, 0, "", "", code)
