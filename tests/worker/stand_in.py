"""A worker without torch: `run` executes the `setup` of a request and answers with the value of its `call`.

Arguments: `fork`, `spawn` or `once`, as `main.py` would choose.
"""

from __future__ import annotations

import os
import sys

from fx_lsp.model.messages import PROTOCOL, Hello, TraceReply, TraceRequest
from fx_lsp.worker.main import claim_channel


def run(request: TraceRequest) -> TraceReply:
    names: dict[str, object] = {"os": os, "sys": sys}
    exec(request.setup, names)
    return TraceReply(request.id, fallback=str(eval(request.call, names)))


def main(mode: str) -> None:
    requests, replies = claim_channel()
    hello = Hello(PROTOCOL, "3", "none", os.getpid())
    if mode == "fork":
        from fx_lsp.worker.zygote import Zygote

        Zygote(requests, replies, run).serve(hello)
    elif mode == "spawn":
        from fx_lsp.worker.spawner import Spawner

        Spawner(requests, replies, [sys.executable, __file__, "once"]).serve()
    else:
        from fx_lsp.worker.once import serve_once

        serve_once(requests, replies, hello, run)


if __name__ == "__main__":
    main(sys.argv[1])
