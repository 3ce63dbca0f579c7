"""A search has its time from the processor, and its end on the wall."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fx_lsp.worker.inference.clock import MOST, Clock
from tests.worker.test_inference import found, works


class Machine:
    """So many seconds on the wall for each of the processor."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, pace: float) -> None:
        self.used, self.pace = 100.0, pace
        monkeypatch.setattr(time, "process_time", lambda: self.used)
        monkeypatch.setattr(time, "monotonic", lambda: 7.0 + self.used * self.pace)


@pytest.mark.parametrize("pace", [1.0, 2.5])
def test_a_busy_machine_takes_nothing_of_a_deadline(monkeypatch: pytest.MonkeyPatch, pace: float) -> None:
    machine = Machine(monkeypatch, pace)
    clock = Clock(20)
    deadline = clock.now() + 5
    machine.used += 4.9
    assert clock.now() < deadline
    assert clock.pace() == pytest.approx(pace)
    assert clock.limit(1, 0.1) == pytest.approx(pace)
    machine.used += 0.2
    assert clock.now() >= deadline


def test_every_deadline_is_over_when_the_time_on_the_wall_is(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, 10)
    clock = Clock(20)
    deadline = clock.now() + 5
    machine.used += 1
    assert clock.pace() == MOST
    assert clock.limit(9, 0.1) == pytest.approx(10)
    machine.used += 1.1
    assert clock.now() >= deadline
    assert clock.now() >= clock.now() + 1
    assert clock.left() <= 0
    assert clock.limit(9, 0.1) == 0.1


BROKEN = """
class Broken(nn.Module):
    def forward(self, x):
        mode = torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE)
        if mode is not None:
            mode.in_kernel_invocation = True
        torch._C._set_grad_enabled(False)
        raise ValueError("the end of its time")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(24, 4)
    def forward(self, x):
        y = self.fc(x)
        assert y.requires_grad
        return y
"""


def test_what_was_ended_between_two_lines_of_torch_ends_nothing_after_it(tmp_path: Path) -> None:
    one = found(tmp_path, BROKEN, "Broken", "Net")
    assert one["Broken"].why
    works(tmp_path, BROKEN, one["Net"])
