"""What is done before there is a request: by the zygote a run in small, by a spare what earlier runs had to work out.

The run that comes cannot tell: whatever a run patches is put back, unless it patches the same anew, and so are the
generators of random numbers.
"""

from __future__ import annotations

import io
import os
import random
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, Callable, Iterator, Tuple

import torch
from torch import nn

from fx_lsp.model import wire
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.worker.engines.dispatched import AHEAD
from fx_lsp.worker.engines.fills import DRAWING
from fx_lsp.worker.engines.layers import LAYERS
from fx_lsp.worker.prepared import Prepared
from fx_lsp.worker.repeats import BACKWARD
from fx_lsp.worker.run import run

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rehearsal")
_CALL = "Net()(i64[2, 4], f32[2, 3, 8, 8])"

_WRAPPED: Tuple[Tuple[Any, str], ...] = (
    (nn.Module, "__call__"),
    (nn.Module, "__init_subclass__"),
    (nn.Parameter, "__new__"),
    *((nn.init, name) for name in DRAWING),
    *((cls, "__init__") for cls in LAYERS),
    *BACKWARD,
)
"""What each run wraps once more."""


def touch(wanted: Callable[[], bool]) -> None:
    """What a spare does.  Ends at once when there is something `wanted`."""
    with _undone():
        AHEAD.do(wanted)


def rehearse(engine: str) -> TraceReply:
    """Run the model of ours as a model of the user's is run."""
    request = TraceRequest(0, FOLDER, os.path.join(FOLDER, "net.py"), _CALL, engine=engine)
    with _undone():
        reply = run(wire.decode(wire.encode(request)), Prepared())
        wire.encode(reply)
    return reply


@contextmanager
def _undone() -> Iterator[None]:
    """What a run leaves behind in the process is as it was, once the body has run."""
    drawn, drawn_by_torch, restore = random.getstate(), torch.get_rng_state(), _numpy()
    wrapped = [(owner, name, vars(owner).get(name)) for owner, name in _WRAPPED]
    lists = [(name, getattr(sys, name), list(getattr(sys, name))) for name in ("meta_path", "path", "argv")]
    modules, limit, bytecode = set(sys.modules), sys.getrecursionlimit(), sys.dont_write_bytecode
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            yield
    finally:
        for owner, name, value in wrapped:
            if value is not None:
                setattr(owner, name, value)
            elif name in vars(owner):
                delattr(owner, name)
        for name, one, before in lists:  # a run changes them, or puts others in their place
            one[:] = before
            setattr(sys, name, one)
        for name in [name for name in sys.modules if name not in modules and _is_ours(name)]:
            del sys.modules[name]
        sys.setrecursionlimit(limit)
        sys.dont_write_bytecode = bytecode
        random.setstate(drawn)
        torch.set_rng_state(drawn_by_torch)
        restore()


def _is_ours(name: str) -> bool:
    return (getattr(sys.modules[name], "__file__", None) or "").startswith(FOLDER)


def _numpy() -> Callable[[], None]:
    """Puts back its generator, if it is there."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        return lambda: None
    drawn = numpy.random.get_state()
    return lambda: numpy.random.set_state(drawn)
