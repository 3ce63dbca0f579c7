"""Documents that are opened, edited, saved and closed."""

from __future__ import annotations

from lsprotocol import types

from fx_lsp.server import convert
from fx_lsp.server.app import App, is_python


def register(app: App) -> None:
    """Keep the engine's texts as the editor's buffers are."""

    @app.server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        path = convert.to_path(params.text_document.uri)
        if path is not None and is_python(path):
            document = params.text_document
            app.documents[path] = types.VersionedTextDocumentIdentifier(document.version, document.uri)
            app.engine.update(path, params.text_document.text)

    @app.server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        path = convert.to_path(params.text_document.uri)
        snapshot = app.engine.snapshot(path) if path is not None and path not in app.notebooks else None
        if snapshot is not None:
            text = app.engine.text(snapshot.path)
            for change in params.content_changes:
                text = app.border.edited(text, change)
            app.documents[snapshot.path] = params.text_document
            app.engine.update(snapshot.path, text)

    @app.server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        path = convert.to_path(params.text_document.uri)
        if path in app.documents and path not in app.notebooks:
            app.engine.save(path)

    @app.server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        path = convert.to_path(params.text_document.uri)
        if path in app.documents and path not in app.notebooks:
            app.engine.close(path)
            del app.documents[path]
