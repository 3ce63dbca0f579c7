"""Where the layer that failed may be made."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from fx_lsp.analysis.causes._call import calls
from fx_lsp.analysis.mends._classes import entry_of
from fx_lsp.analysis.mends._made import MAX_PLACES, Made
from fx_lsp.analysis.mends._makers import places
from fx_lsp.analysis.mends._parameters import PARAMETERS
from fx_lsp.analysis.mends._reached import Files, none
from fx_lsp.analysis.mends._statements import node_at
from fx_lsp.analysis.source import parsed
from fx_lsp.model.failure import Failure


def made_for(failure: Failure, read: Callable[[str], str | None], files: Files = none) -> Iterator[Made]:
    """The places where the layer that failed may be made."""
    layer = failure.layer
    if layer is None:
        return
    spans = [span for span in (layer.built, failure.span, *reversed(failure.calls)) if span is not None]
    texts = {path: read(path) for path in dict.fromkeys(span.path for span in spans)}
    sources = {path: parsed(path, text) for path, text in texts.items() if text is not None}
    after = spans[1:] if layer.built is not None else spans
    led = [(sources[span.path], node_at(sources[span.path], span)) for span in after if span.path in sources]
    callers = tuple((source, node) for source, node in led if isinstance(node, ast.expr))
    parameters, settings = PARAMETERS.get(layer.target, ()), next(calls(failure)).settings
    entry = entry_of(*callers[0], layer, files) if callers else None
    made = [entry] if entry is not None else places(list(sources.values()), layer, settings, callers)[:MAX_PLACES]
    for source, call in made:
        yield Made(source, call, parameters, settings, callers, files=files)
