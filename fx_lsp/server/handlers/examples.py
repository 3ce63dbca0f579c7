"""The custom request `fx/examples`: what was run for a file, where it comes from and what came of it;
and which calls of a line there are to choose from."""

from __future__ import annotations

from typing import Any

from fx_lsp.analysis.calls import Call
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.variants import MAX_PATHS, ranked
from fx_lsp.model.value import label
from fx_lsp.server.app import App
from fx_lsp.server.chosen import Chosen, calls
from fx_lsp.server.handlers._graph import place, plain
from fx_lsp.server.protocol_examples import ExampleRun, ExamplesReply, LineCall


def register(app: App) -> None:
    """Answer for one open document, see `ExamplesParams`."""

    @app.server.feature("fx/examples")
    def examples(params: Any) -> dict[str, Any] | None:
        document = getattr(params, "textDocument", None)
        uri = getattr(document, "uri", None)
        view = app.view(uri) if isinstance(uri, str) else None
        if view is None:
            return None
        snapshot, line = view.snapshot, getattr(params, "line", None)
        at = calls(snapshot, view.line(line)) if type(line) is int else []
        return plain(
            ExamplesReply(
                pending=snapshot.pending,
                stale=snapshot.stale,
                examples=tuple(_run(app, snapshot, number) for number in range(len(snapshot.traces))),
                calls=tuple(map(_call, at)),
                chosen=app.engine.chosen.get(snapshot.path, Chosen()).written(),
            )
        )


def _run(app: App, snapshot: Snapshot, number: int) -> ExampleRun:
    trace = snapshot.traces[number]
    example, reply = trace.example, trace.reply
    failed = reply.failure
    return ExampleRun(
        scope=app.uri(example.scope),
        setup=example.setup,
        written=example.call,
        call=trace.call,
        dims=dict(trace.dims),
        origin=example.origin,
        target=example.target,
        location=place(app, example.span),
        engine=reply.engine,
        ms=reply.ms,
        status=trace.status,
        shown=number == next(ranked(snapshot))[0],
        reason=failed.message if failed is not None else None,
    )


def _call(call: Call) -> LineCall:
    output = label(call.output) if call.output is not None else ""
    inputs = ", ".join(map(label, call.inputs))
    return LineCall(
        of=call.choice.name or call.choice.place,
        label=f"{inputs} → {output}" if inputs and output else inputs or output,
        modules=call.modules[:MAX_PATHS],
        shown=call.shown,
    )
