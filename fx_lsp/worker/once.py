"""A worker for a single trace: says hello, waits for its request, answers, ends."""

from __future__ import annotations

import dataclasses
import os
import traceback
from typing import Tuple

from fx_lsp.model import wire
from fx_lsp.model.messages import Hello
from fx_lsp.model.sandbox import LayerReport
from fx_lsp.worker.answer import Task, serve


def serve_once(requests: int, replies: int, hello: Hello, task: Task) -> None:
    """Ends the process after the answer, whatever user code left running in it."""
    leave = os._exit

    def greeting(layers: Tuple[LayerReport, ...]) -> bytes:
        return wire.MARKER + wire.frame(wire.encode(dataclasses.replace(hello, layers=hello.layers + layers)))

    try:
        serve(task, requests, replies, greeting)
    except BaseException:  # no answer is an answer too, and the log says why
        traceback.print_exc()
    finally:
        leave(0)
