"""Runs a trace in a child of its own, and writes its bindings into the source as `x⟦f32[2, 3]⟧`."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

from fx_lsp.model import wire
from fx_lsp.model.comparison import Overlay
from fx_lsp.model.example import fill
from fx_lsp.model.messages import Further, TraceReply, TraceRequest
from fx_lsp.model.value import label
from fx_lsp.worker.run import run


def trace(
    folder: Path,
    source: str,
    call: str,
    *,
    setup: str = "",
    engine: str = "fake",
    files: Mapping[str, str] = {},
    overlays: Mapping[str, str] = {},
    scope: str = "model.py",
    seconds: float = 60,
    further: tuple[Further, ...] = (),
) -> TraceReply:
    """Write `source` as `scope` and the other files below `folder`, and run the call there."""
    for name, text in {scope: dedent(source), **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dedent(text).encode())
    request = TraceRequest(
        id=1,
        root=str(folder),
        scope=str(folder / scope),
        call=fill(call, {})[0],
        setup=dedent(setup),
        engine=engine,
        overlays=tuple(Overlay(str(folder / name), dedent(text)) for name, text in overlays.items()),
        seconds=seconds,
        further=further,
    )
    return in_child(request)


def in_child(request: TraceRequest, run: Callable[[TraceRequest], TraceReply] = run) -> TraceReply:
    """`run` patches its process for good: it gets one of its own."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            line = wire.encode(run(request))
            with open(writer, "wb") as pipe:
                pipe.write(line)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        line = pipe.read()
    _, status = os.waitpid(pid, 0)
    assert line, f"the child ended with status {status}"
    reply = wire.decode(line)
    assert isinstance(reply, TraceReply)
    return reply


def annotated(reply: TraceReply, path: Path, first: int = 1, last: int = 10_000) -> str:
    """Lines of the file with every binding's variants after its name."""
    lines = [line.encode() for line in path.read_text().split("\n")]
    for binding in sorted(reply.bindings, key=lambda b: (b.span.end_line, b.span.end_column), reverse=True):
        if binding.span.path != str(path):
            continue
        labels = dict.fromkeys(label(variant.value) for variant in binding.variants)
        row, column = binding.span.end_line - 1, binding.span.end_column
        text = f"⟦{' | '.join(labels)}⟧".encode()
        lines[row] = lines[row][:column] + text + lines[row][column:]
    return "\n".join(line.decode() for line in lines[first - 1 : last]).strip("\n")


def shown(folder: Path, source: str, call: str, **options: object) -> str:
    """Trace without failure and render the scope file."""
    reply = trace(folder, source, call, **options)  # type: ignore[arg-type]
    assert reply.failure is None, reply.failure.detail
    return annotated(reply, folder / str(options.get("scope", "model.py")))
