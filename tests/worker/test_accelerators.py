"""What code asks of an accelerator, where there is none."""

import threading

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from fx_lsp.worker.capture import devices
from fx_lsp.worker.driverless import count_no_devices
from fx_lsp.worker.processes import threads
from tests.worker.tracing import trace


def test_no_device_is_noted_that_a_backward_pass_would_start_a_thread_for(monkeypatch):
    noted = []
    monkeypatch.setattr(torch._C, devices._NOTING, lambda: noted.append(1), raising=False)
    with FakeTensorMode():
        assert noted == [1]
    devices.without_device_threads()
    with FakeTensorMode():
        assert noted == [1]


def test_what_counts_devices_can_start_no_thread(monkeypatch):
    """As the driver of an accelerator does, in whose threads no worker could be forked."""
    refused = []

    def count():
        try:
            threading.Thread(target=lambda: None).start()
        except RuntimeError as error:
            refused.append(str(error))
        return 0

    monkeypatch.setattr(torch._C, "_cuda_getDeviceCount", count, raising=False)
    before = threads()
    count_no_devices()
    assert refused == ["can't start new thread"]
    assert threads() == before
    threading.Thread(target=lambda: None).start()


def test_what_only_an_accelerator_could_tell_is_no_failure_of_the_code(tmp_path):
    source = "import torch\ndef f(x):\n    y = x * 2\n    return y, torch.cuda.get_device_name(0)\n"
    reply = trace(tmp_path, source, "f(f32[2])")
    assert reply.failure is not None
    assert not reply.failure.proven
    assert reply.failure.message == "no accelerator is used here"
