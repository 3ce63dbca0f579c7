"""What recording costs: one trace of a GPT-2, 12 layers of width 768, against the same run without any recording.

    python bench/trace_overhead.py [PAIRS]

Both run in turn, each in a child forked from one warmed-up process, as the worker does for every trace.  `trace` is all
of `fx_lsp.worker.run.run()` with the engine `fake`: import of the file with probes, build, forward, facts.  `plain` is
the build and the forward alone, on `FakeTensorMode`.  Prints the medians in milliseconds and their ratio; exit status 1
when it is above 1.5.
"""

from __future__ import annotations

import gc
import os
import statistics
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
EXAMPLES = REPOSITORY / "examples"
LIMIT = 1.5
WARM_UP = 2
"""Pairs that are run but not counted."""

sys.path.insert(0, str(REPOSITORY))
sys.dont_write_bytecode = True

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker.run import run
from fx_lsp.worker.warm import warm_up


def trace() -> float:
    """Seconds of one trace.

    Raises:
        RuntimeError: it failed, so its time means nothing.
    """
    request = TraceRequest(1, str(EXAMPLES), str(EXAMPLES / "gpt2.py"), "GPT(GPTConfig())(i64[4, 64])", engine="fake")
    started = time.perf_counter()
    reply = run(request)
    seconds = time.perf_counter() - started
    if reply.failure is not None or not reply.bindings:
        raise RuntimeError(f"the trace failed: {reply.failure}")
    return seconds


def plain() -> float:
    """Seconds of the same build and forward, unobserved."""
    sys.path.insert(0, str(EXAMPLES))
    from gpt2 import GPT, GPTConfig  # type: ignore[import-not-found]

    started = time.perf_counter()
    with FakeTensorMode(allow_non_fake_inputs=True):
        GPT(GPTConfig()).eval()(torch.randint(1, 3, (4, 64)))
    return time.perf_counter() - started


def forked(measured: Callable[[], float]) -> float:
    """What `measured` returns in a child of its own.

    Raises:
        RuntimeError: the child failed; its message is on stderr.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(write, struct.pack("d", measured()))
            status = 0
        except Exception as error:
            print(f"{measured.__name__}: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as channel:
        answer = channel.read()
    os.waitpid(child, 0)
    if len(answer) != struct.calcsize("d"):
        raise RuntimeError(f"{measured.__name__} gave no answer")
    return struct.unpack("d", answer)[0]


def main() -> int:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    torch.set_num_threads(1)
    warm_up()
    gc.collect()
    gc.freeze()  # as the worker does before it forks
    times: dict[str, list[float]] = {"plain": [], "trace": []}
    for _ in range(WARM_UP + pairs):
        times["plain"].append(forked(plain))
        times["trace"].append(forked(trace))
    medians = {name: statistics.median(values[WARM_UP:]) * 1e3 for name, values in times.items()}
    ratio = medians["trace"] / medians["plain"]
    print(f"plain {medians['plain']:.1f} ms, trace {medians['trace']:.1f} ms, ratio {ratio:.2f} (limit {LIMIT})")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
