"""A worker without torch: `run` executes the `setup` of a request and answers with the value of its `call`.

Arguments: `fork`, `spawn` or `once`, as `main.py` would choose; then those that the launcher gives.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from fx_lsp.model import wire
from fx_lsp.model.messages import PROTOCOL, Ahead, Hello, TraceReply, TraceRequest
from fx_lsp.model.sandbox import LayerReport, Policy
from fx_lsp.worker import sandbox
from fx_lsp.worker.answer import Task
from fx_lsp.worker.main import claim_channel, option


def run(request: TraceRequest) -> TraceReply:
    names: dict[str, object] = {"os": os, "sys": sys}
    exec(request.setup, names)
    return TraceReply(request.id, fallback=str(eval(request.call, names)))


class Imported:
    """A file that is imported ahead: its unsaved text is run."""

    def __init__(self, wanted: Ahead) -> None:
        self.names: dict[str, object] = {"os": os, "sys": sys}
        exec("".join(overlay.text for overlay in wanted.overlays), self.names)

    def fits(self, request: TraceRequest) -> bool:
        return bool(self.names.get("fits", True))

    def reply(self, request: TraceRequest) -> TraceReply:
        return TraceReply(request.id, fallback=f"ahead: {eval(request.call, self.names)}")


def touch(wanted: Callable[[], bool]) -> None:
    """What a spare does ahead of time, if a test says so."""
    exec(os.environ.get("STAND_IN_TOUCH", ""))


def broken(stage: str, policy: Policy) -> tuple[LayerReport, ...]:
    """A layer of the sandbox that cannot be applied."""
    raise sandbox.SandboxError("it does not hold")


def main(mode: str) -> None:
    requests, replies = claim_channel()
    hello = Hello(PROTOCOL, "3", "none", os.getpid())
    if "STAND_IN_LAYER" in os.environ:
        sandbox.apply = broken
    given = option(sys.argv, "--policy")
    task = Task(run, wire.decode(given.encode()), touch, Imported)
    if mode == "fork":
        from fx_lsp.worker.zygote import Zygote

        Zygote(requests, replies, task).serve(hello)
    elif mode == "spawn":
        from fx_lsp.worker.spawner import Spawner

        Spawner(requests, replies, [sys.executable, __file__, "once", "--policy", given]).serve()
    else:
        from fx_lsp.worker.once import serve_once

        serve_once(requests, replies, hello, task)


if __name__ == "__main__":
    main(sys.argv[1])
