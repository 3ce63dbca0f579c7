"""Notebooks that are opened, edited, saved and closed: each is one text to the engine."""

from __future__ import annotations

from lsprotocol import types

from fx_lsp.analysis.notebook import SUFFIX
from fx_lsp.server import convert
from fx_lsp.server.app import App
from fx_lsp.server.notebooks import Notebook


def register(app: App) -> None:
    """Keep the engine's text of a notebook as its cells are."""

    @app.server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        path = convert.to_path(params.notebook_document.uri)
        if path is not None and path.endswith(SUFFIX):
            app.notebooks[path] = Notebook.opened(path, params)
            _update(app, app.notebooks[path])

    @app.server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        notebook = app.notebooks.get(convert.to_path(params.notebook_document.uri) or "")
        if notebook is not None:
            notebook.change(params, app.border.edited)
            _update(app, notebook)

    @app.server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveNotebookDocumentParams) -> None:
        path = convert.to_path(params.notebook_document.uri)
        if path in app.notebooks:
            app.engine.save(path)

    @app.server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        path = convert.to_path(params.notebook_document.uri)
        if path in app.notebooks:
            del app.notebooks[path], app.documents[path]
            app.engine.close(path)


def _update(app: App, notebook: Notebook) -> None:
    app.documents[notebook.path] = types.VersionedTextDocumentIdentifier(notebook.version, notebook.uri)
    app.engine.update(notebook.path, notebook.whole.text)
