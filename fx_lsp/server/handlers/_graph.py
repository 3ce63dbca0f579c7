"""What the requests for graphs have in common: reading the parameters, waiting for facts, one way to fail."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from pygls.exceptions import JsonRpcException

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.server.app import App, is_python
from fx_lsp.server.graphs import Found, Wanted
from fx_lsp.server.protocol import CONTENT_MODIFIED, Place, Position, Range
from fx_lsp.server.ran import Cancelled


class ContentModified(JsonRpcException):
    """The files were edited while the request ran."""

    CODE = CONTENT_MODIFIED
    MESSAGE = "The files were edited while the graph was made."


async def find(app: App, params: Any, rule: str | None = None) -> tuple[Snapshot | None, Found]:
    """The graph that `params` ask for, rewritten where there is a rule, once the facts about its file are there.

    Raises:
        ContentModified: a newer edit cancelled the run.
    """
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    path = app.path(uri) if isinstance(uri, str) else None
    if path is None:
        return None, Found("none", "This document is no file: save it first, then fx-lsp can run it.")
    if app.engine.snapshot(path) is None:
        what = "The file is not open." if is_python(path) else "This is no Python file."
        return None, Found("none", what)
    snapshot = await app.engine.settled(path)
    view = app.view(uri) if isinstance(uri, str) else None
    if snapshot is None or view is None:
        return None, Found("none", "The file is not open.")
    line = _get(params, "line", int)
    wanted = Wanted(
        _get(params, "name", str),
        view.line(line) if line is not None else None,
        _get(params, "level", str),
        _get(params, "example", int),
        rule,
    )
    try:
        return snapshot, await app.engine.graph(snapshot, wanted)
    except Cancelled:
        raise ContentModified from None


def place(app: App, span: Span | None) -> Place | None:
    """The span as the client counts."""
    if span is None:
        return None
    found = app.location(span)
    ends = (Position(end.line, end.character) for end in (found.range.start, found.range.end))
    return Place(found.uri, Range(*ends))


def plain(item: Any) -> Any:
    """Dataclasses as objects, tuples as arrays: what JSON can say.  `asdict` would copy every text of a large graph."""
    if is_dataclass(item):
        return {entry.name: plain(getattr(item, entry.name)) for entry in fields(item)}
    if isinstance(item, (tuple, list)):
        return [plain(part) for part in item]
    return item


def _get(params: Any, name: str, kind: type) -> Any:
    value = getattr(params, name, None)
    return value if type(value) is kind else None
