"""What code asks of an accelerator, where there is none."""

import threading

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from fx_lsp.model.value import label
from fx_lsp.worker.capture import devices
from fx_lsp.worker.driverless import count_no_devices
from fx_lsp.worker.failures import is_of_code
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


NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, **where):
        super().__init__()
        self.fc = nn.Linear(8, 4, **where)
    def forward(self, x):
        y = self.fc(x).cuda() + torch.zeros(4, device="cuda")
        return y
"""
SCRIPTS = [
    "out = Net()(torch.randn(2, 8))",
    "net = Net().cuda()\nout = net(torch.randn(2, 8).cuda())",
    "device = torch.device('mps')\nout = Net().to(device)(torch.randn(2, 8, device=device))\ntorch.mps.synchronize()",
    "net = Net(device='cuda:0')\nout = net(torch.tensor([[1.0] * 8], device='cuda:0').expand(2, 8))",
    "torch.set_default_device('cuda')\nout = Net()(torch.randn(2, 8))",
    "torch.set_default_tensor_type('torch.cuda.FloatTensor')\nout = Net()(torch.randn(2, 8))",
    "with torch.device('cuda'):\n    out = Net()(torch.randn(2, 8))",
    "draw = torch.Generator(device='cuda').manual_seed(0)\nassert isinstance(draw, torch.Generator)\n"
    "out = Net()(torch.randn(2, 8, generator=draw, device='cuda'))",
    "print(torch.cuda.get_device_name(0))\nout = Net().cuda()(torch.randn(2, 8))",
    "assert torch.cuda.is_available()\nout = Net()(torch.randn(2, 8))",
    "x = torch.randn(2, 8).cuda()\nassert x.is_cuda\nout = Net()(x)",
    "if not torch.cuda.is_available():\n    raise RuntimeError('This needs a GPU')\nout = Net()(torch.randn(2, 8))",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_runs_as_if_there_were_one_while_it_is_imported(script, tmp_path):
    reply = trace(tmp_path, NET + script, "Net()(f32[2, 8])")
    assert reply.failure is None, reply.failure
    shown = {one.name: [label(each.value) for each in one.variants] for one in reply.bindings}
    assert shown["y"] == shown["out"] == ["f32[2, 4]"]
    assert reply.devices


def test_a_mistake_in_a_script_for_one_is_found(tmp_path):
    reply = trace(tmp_path, NET + "net = Net().cuda()\nout = net(torch.randn(2, 9).cuda())", "Net()(f32[2, 8])")
    assert reply.failure is not None
    assert reply.failure.proven
    assert reply.failure.operation is not None
    assert reply.failure.operation.target == "torch.nn.functional.linear"


def test_sandbox_without_network_says_nothing_of_the_code():
    error = RuntimeError("The server socket has failed to bind. name: EPERM, message: operation not permitted")
    assert not is_of_code(error)
    assert is_of_code(AssertionError("x is no tensor"))


def test_a_misspelt_device_is_a_mistake_of_the_code():
    known = "Expected one of cpu, cuda, ipu device type at start of device string: "
    assert not is_of_code(RuntimeError(f"{known}npu"))
    assert is_of_code(RuntimeError(f"{known}cudaa"))


def test_what_only_speaks_of_an_accelerator_is_a_mistake_of_the_code(tmp_path):
    source = "def f(x):\n    assert x.shape[1] == 5, 'on cuda it takes five'  # is_available()\n    return x\n"
    reply = trace(tmp_path, source, "f(f32[2, 8])")
    assert reply.failure is not None
    assert reply.failure.proven


def test_generators_of_torch_are_generators(tmp_path):
    source = "import torch\ndef f(x):\n    assert isinstance(torch.default_generator, torch.Generator)\n    return x\n"
    assert trace(tmp_path, source, "f(f32[2, 8])").failure is None
