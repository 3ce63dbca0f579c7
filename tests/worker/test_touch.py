"""A spare rehearses, and the run that comes cannot tell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

SEEN = """
import random, sys
import numpy, torch
from torch import nn
from fx_lsp.worker.prepared import PREPARED
from fx_lsp.worker.run import run
from fx_lsp.worker.warming import warm_up
from fx_lsp.worker import touch

warm_up()
numpy.random.seed(5)

def seen():
    torch_state = torch.get_rng_state().tolist()
    return (
        nn.Module.__call__, nn.Parameter.__new__, nn.init._no_grad_normal_,
        torch.autograd._engine_run_backward, torch.autograd.graph._engine_run_backward,
        [(name, vars(cls).get("__init__")) for name, cls in vars(nn).items() if isinstance(cls, type)],
        list(sys.meta_path), list(sys.path), list(sys.argv),
        sys.getrecursionlimit(), sys.dont_write_bytecode, random.getstate(), torch_state,
        numpy.random.get_state()[1].tolist(), len(PREPARED.sites.bindings), dict(PREPARED.sites.sources),
        "net" in sys.modules,
    )

before = seen()
for engine in ("fake", "real", "fake"):
    reply = touch.rehearse(engine)
    assert reply.failure is None, reply.failure
    assert reply.engine == engine
    assert len(reply.bindings) > 10
assert seen() == before
touch.touch(lambda: False)
assert seen() == before
"""


def test_a_rehearsal_leaves_nothing_behind() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", SEEN], env=environment, check=True, timeout=300)
