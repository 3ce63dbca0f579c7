"""Diagnostics for clients that ask for them (`textDocument/diagnostic`)."""

from __future__ import annotations

import hashlib

from lsprotocol import types

from fx_lsp.server.app import App
from fx_lsp.server.publish import diagnostics

OPTIONS = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="fx-lsp")


def register(app: App) -> None:
    """Offer it only to a client that asks again when told to: the others would keep the first, empty answer."""

    def diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        snapshot = app.snapshot(params.text_document.uri)
        if snapshot is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        uri = params.text_document.uri if snapshot.path in app.notebooks else app.uri(snapshot.path)
        items = diagnostics(snapshot, app).get(uri, [])
        result = hashlib.blake2b(repr(items).encode("utf-8", "replace"), digest_size=8).hexdigest()
        if params.previous_result_id == result:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result)

    def offer() -> None:
        if app.client.pulls_diagnostics:
            app.server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, OPTIONS)(diagnostic)

    app.on_begin.append(offer)
