"""A layer that is copied is what building it would have given."""

from __future__ import annotations

import multiprocessing
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from fx_lsp.worker.engines.layers import Layers
from fx_lsp.worker.repeats.state import meta
from tests.worker.tracing import shown

CALLS = [
    "nn.Linear(3, 4)",
    "nn.Linear(3, 4, bias=False)",
    "nn.Conv2d(3, 4, 3, padding=(1, 2), padding_mode='reflect')",
    "nn.ConvTranspose1d(3, 4, 3, stride=2)",
    "nn.BatchNorm2d(4)",
    "nn.BatchNorm1d(4, affine=False, track_running_stats=False)",
    "nn.LayerNorm((3, 4), elementwise_affine=False)",
    "nn.LayerNorm(4)",
    "nn.GroupNorm(2, 4)",
    "nn.Embedding(5, 3, padding_idx=0)",
    "nn.LSTM(3, 4, num_layers=2, bidirectional=True)",
    "nn.GRUCell(3, 4)",
    "nn.MultiheadAttention(4, 2)",
    "nn.TransformerEncoderLayer(4, 2, 8)",
    "nn.PReLU()",
    "nn.Dropout(0.1)",
    "nn.GELU(approximate='tanh')",
    "nn.Softmax(-1)",
    "nn.MaxPool2d(2)",
    "nn.CrossEntropyLoss()",
    "nn.Upsample(scale_factor=2.0)",
    "nn.Identity(3, some='thing')",
]


def state(module: nn.Module) -> Any:
    """Everything that is in a module, with tensors as what they look like."""
    found: dict[str, Any] = {}
    for name, part in module.named_modules():
        for key, value in vars(part).items():
            if key in ("_parameters", "_buffers"):
                value = {
                    one: None if tensor is None else (*meta(tensor), isinstance(tensor, nn.Parameter))
                    for one, tensor in value.items()
                }
            if key != "_modules":
                found[f"{name}.{key}"] = re.sub("0x[0-9a-f]+", "…", repr(value))
    return found


def built(call: str, copied: bool, before: str) -> Any:
    """The state of the second of two layers, and whether they share anything that may change."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    if copied:
        Layers(mode).install()
    names = {"nn": nn, "torch": torch}
    with mode:
        first = names["first"] = eval(call, names)
        exec(before, names)
        second = eval(call, names)
    tensors = [[*net.parameters(), *net.buffers()] for net in (first, second)]
    shared = {id(one) for one in tensors[0]} & {id(one) for one in tensors[1]}
    mutable = [key for key, value in vars(second).items() if isinstance(value, (dict, list, set))]
    same = [key for key in mutable if vars(first).get(key) is vars(second)[key]]
    storages = [{one.untyped_storage()._cdata for one in those} for those in tensors]
    return state(second), len(shared), same, bool(storages[0] & storages[1])


def compared(call: str, before: str = "") -> None:
    """With the layers copied, and without."""
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        results = [pool.apply(built, (call, copied, before)) for copied in (True, False)]
    assert results[0] == results[1]


@pytest.mark.parametrize("call", CALLS)
def test_copied(call: str) -> None:
    compared(call)


@pytest.mark.parametrize(
    "before",
    [
        "torch.set_default_dtype(torch.float64)",
        "first.extra = [1]; first.weight.requires_grad_(False); first.bias = None",
        "nn.Linear(3.0 and 3, 4, dtype=torch.float16)",
    ],
)
def test_what_happened_in_between_counts_as_it_would(before: str) -> None:
    compared("nn.Linear(3, 4)", before)


def test_a_class_of_ones_own_is_built() -> None:
    compared("type('Mine', (nn.Linear,), {'reset_parameters': lambda self: self.register_buffer('b', None)})(3, 4)")


def test_nothing_of_ours_keeps_layers_from_being_copied(tmp_path: Path) -> None:
    source = """
import torch
from torch.nn.modules import module as torchs

class Net(torch.nn.Module):
    def forward(self, x):
        y = x.new_zeros(len(torchs._global_parameter_registration_hooks), 3)
        return y
"""
    assert "y⟦f32[0, 3]⟧" in shown(tmp_path, source, "Net()(f32[2, 3])")
