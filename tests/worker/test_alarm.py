"""A limit of time holds even if it passes while nothing can be raised."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fx_lsp.worker.alarm import limited
from tests.worker.tracing import trace


class Late(BaseException):
    """The time is over."""


class Slow:
    """Takes long to be deleted."""

    def __del__(self) -> None:
        end = time.monotonic() + 0.4
        while time.monotonic() < end:
            pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_lost_in_a_deletion_is_raised_again() -> None:
    started = time.monotonic()
    with pytest.raises(Late), limited(0.1, Late):  # noqa: PT012
        Slow()
        while time.monotonic() < started + 20:
            pass
    assert time.monotonic() < started + 10


AMID_MODES = """
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from fx_lsp.worker.alarm import limited, within_modes


class Late(BaseException):
    pass


class Mode(FakeTensorMode):
    alarms = 0

    def __enter__(self):
        found = super().__enter__()
        if self.alarms:  # called from a kernel, which took the mode off the stack
            self.alarms -= 1
            os.kill(os.getpid(), signal.SIGALRM)
        return found


with Mode() as mode:
    mode.cache_enabled = False
    layer, x = torch.nn.GRU(4, 4), torch.randn(2, 5, 4)
    try:
        with limited(60, Late), within_modes():
            mode.alarms = 1
            while True:
                layer(x)
    except Late:
        print("late", torch._C._len_torch_dispatch_stack())
"""
"""The alarm comes where a mode was just put back on the stack."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no alarms")
def test_nothing_is_raised_while_modes_are_changed() -> None:
    program = f"import os, signal\n{AMID_MODES}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert (ran.returncode, ran.stdout) == (0, "late 1\n"), ran.stderr


LONG = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 8, num_layers=4, bidirectional=True)

    def forward(self, x):
        while True:
            y, _ = self.rnn(x)
"""


@pytest.mark.parametrize("seconds", [1.0, 1.3, 1.7])
def test_a_layer_of_thousands_of_operators_ends_with_its_time(tmp_path: Path, seconds: float) -> None:
    reply = trace(tmp_path, LONG, "Net()(f32[400, 2, 8])", seconds=seconds)
    assert reply.failure is not None
    assert reply.failure.stage == "timeout"
