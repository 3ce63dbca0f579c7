"""What the zygote pays once for all runs."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

import torch
from torch._subclasses import fake_tensor

from fx_lsp.worker.capture.devices import FLEX, without_device_threads
from fx_lsp.worker.capture.recorder import function_name
from fx_lsp.worker.driverless import count_no_devices


def warm_up() -> None:
    """Pay once, in the zygote, for what torch imports, lists and caches on first use."""
    count_no_devices()
    without_device_threads()
    function_name(torch.add)
    with suppress(ImportError):  # torch 2.4 has none
        import_module(FLEX)
    with fake_tensor.FakeTensorMode(allow_non_fake_inputs=True):
        x = torch.randn(2, 3, 8, 8)
        y = torch.nn.Conv2d(3, 4, 3)(x).flatten(1)
        torch.nn.LayerNorm(144)(torch.nn.Linear(144, 144)(y)).softmax(-1).sum()
