"""Cells as the client says that they change, and the text that the engine gets."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from fx_lsp.model.span import Span
from fx_lsp.server.convert import Border
from fx_lsp.server.notebooks import Notebook
from fx_lsp.server.view import lifted

PATH, URI = "/w/book.ipynb", "file:///w/book.ipynb"
CODE, MARKUP = types.NotebookCellKind.Code, types.NotebookCellKind.Markup


def cell(name: str, kind: types.NotebookCellKind = CODE) -> types.NotebookCell:
    return types.NotebookCell(kind, f"cell:{name}")


def document(name: str, text: str, language: str = "python") -> types.TextDocumentItem:
    return types.TextDocumentItem(f"cell:{name}", language, 1, text)


def opened(*texts: str) -> Notebook:
    cells = [cell(str(number)) for number in range(len(texts))]
    documents = [document(str(number), text) for number, text in enumerate(texts)]
    book = types.NotebookDocument(URI, "jupyter-notebook", 1, cells)
    return Notebook.opened(PATH, types.DidOpenNotebookDocumentParams(book, documents))


def change(notebook: Notebook, **changes: object) -> None:
    event = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(**changes))  # type: ignore[arg-type]
    identity = types.VersionedNotebookDocumentIdentifier(notebook.version + 1, URI)
    notebook.change(types.DidChangeNotebookDocumentParams(identity, event), Border().edited)


def structure(
    start: int, gone: int, cells: Sequence[types.NotebookCell], documents: Sequence[types.TextDocumentItem] = ()
) -> types.NotebookDocumentCellChangeStructure:
    return types.NotebookDocumentCellChangeStructure(types.NotebookCellArrayChange(start, gone, cells), documents)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)), max_size=6))
def test_cells_come_and_go(changes: list[tuple[int, int, int]]) -> None:
    notebook, expected = opened("a = 0\nb = 0"), ["a = 0\nb = 0"]
    for number, (start, gone, come) in enumerate(changes, 1):
        start = min(start, len(expected))
        gone = min(gone, len(expected) - start)
        texts = [f"x{number} = {index}" for index in range(come)]
        names = [f"{number}.{index}" for index in range(come)]
        documents = [document(name, text) for name, text in zip(names, texts, strict=True)]
        change(notebook, structure=structure(start, gone, [cell(name) for name in names], documents))
        expected[start : start + gone] = texts
    assert notebook.whole.text == "".join(f"{text}\n" for text in expected)
    assert notebook.version == len(changes) + 1
    for mine, text in zip(notebook.cells, expected, strict=True):
        lines = notebook.lines(mine)
        assert notebook.whole.text.split("\n")[lines.start - 1 : lines.stop - 1] == text.split("\n")
        assert notebook.cell(lines.start) is mine


def test_a_cell_is_edited_in_its_own_lines() -> None:
    notebook = opened("a = 1", "é = '😀'\r\nb = 2")
    where = types.Range(types.Position(1, 4), types.Position(1, 5))
    edit = types.TextDocumentContentChangePartial(where, "33")
    identity = types.VersionedTextDocumentIdentifier(2, "cell:1")
    change(notebook, text_content=[types.NotebookDocumentCellContentChanges(identity, [edit])])
    assert notebook.whole.text == "a = 1\né = '😀'\nb = 33\n"
    assert notebook.cells[1].text == "é = '😀'\r\nb = 33"
    assert notebook.cells[1].version == 2
    assert lifted(Span(PATH, 3, 0, 3, 1), notebook.lines(notebook.cells[1]).start - 1) == Span(PATH, 2, 0, 2, 1)


def test_what_is_no_python_is_no_text() -> None:
    notebook = opened("a = 1", "b = 2")
    change(notebook, structure=structure(1, 0, [cell("sql"), cell("unknown")], [document("sql", "select 1\n", "sql")]))
    assert notebook.whole.text == "a = 1\n\n\nb = 2\n"
    change(notebook, data=[cell("0", MARKUP)])
    assert notebook.whole.text == "\n\n\nb = 2\n"
    change(notebook, data=[cell("0"), cell("none")])
    assert notebook.whole.text == "a = 1\n\n\nb = 2\n"


def test_a_change_of_nothing() -> None:
    notebook = opened("a = 1")
    identity = types.VersionedNotebookDocumentIdentifier(9, URI)
    event = types.NotebookDocumentChangeEvent()
    notebook.change(types.DidChangeNotebookDocumentParams(identity, event), Border().edited)
    assert (notebook.version, notebook.whole.text) == (9, "a = 1\n")


def test_a_notebook_without_cells() -> None:
    notebook = opened()
    assert (notebook.whole.text, notebook.cell(1), list(notebook.problems())) == ("", None, [])
