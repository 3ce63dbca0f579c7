"""Names of classes that a constructor looks up in a table: `kind = REGISTRY.get(name)`, and then `kind(**settings)`."""

from __future__ import annotations

import re
from typing import Iterator

from fx_lsp.worker.inference.attempts import MAX_KEYS, MAX_TABLE, Attempt, reached
from fx_lsp.worker.inference.corrections import Arguments, Place
from fx_lsp.worker.inference.live import source_text
from fx_lsp.worker.inference.variables import variables

_NOTHING = re.compile(r"'NoneType' object is not callable|after \*\* must be a mapping, not NoneType")
_CALL = re.compile(r"\b(\w+)\(")
_REST = re.compile(r"\*\*(\w+)")


def registered(attempt: Attempt, given: Arguments, place: Place) -> Iterator[Arguments]:
    """With a name that is in the table where nothing was found under the one that was given, and with no settings where
    nothing was given for these."""
    if place is None or not _NOTHING.search(attempt.message):
        return
    frame, _, text = place
    held = variables(frame)
    settings = {name: "dict()" for name in _REST.findall(text) if name in held and held[name] is None}
    for called in _CALL.findall(text):
        got = re.search(rf"\b{called} = ([A-Za-z_][\w.]*)(?:\.get\(|\[)(\w+)[,)\]]", source_text(frame.f_code))
        table = reached(frame, got[1]) if got is not None else None
        if got is not None and isinstance(table, dict) and len(table) <= MAX_TABLE:
            for key in [one for one in table if isinstance(one, str)][:MAX_KEYS]:
                yield {**given, **settings, got[2]: repr(key)}
    if settings:
        yield {**given, **settings}
