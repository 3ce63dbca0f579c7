"""No accelerator is found: its driver starts a thread in whoever looks for one, and what has threads cannot fork."""

from __future__ import annotations

import warnings

import torch

from fx_lsp.worker.processes import alone

_COUNTING = ("_cuda_getDeviceCount", "_xpu_getDeviceCount")
"""Functions of `torch._C`, where it was built for such devices; the first also counts those of ROCm."""


def count_no_devices() -> None:
    """Let torch count its devices where the driver can start nothing.

    It finds none, and keeps that for whoever asks later (torch 2.4 to 2.13): fake tensors, backward passes, user code.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a driver that cannot start
        for name in _COUNTING:
            if hasattr(torch._C, name):
                alone(getattr(torch._C, name))
