"""Failures that are the model's own: whatever it is given, it fails there; and such as other inputs might not have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from fx_lsp.worker.inference.attempts import Attempt, run
from fx_lsp.worker.inference.corrections import Arguments
from fx_lsp.worker.inference.inputs import Inputs
from fx_lsp.worker.inference.inputs import Tensor as Input
from fx_lsp.worker.inference.regardless import Given, regardless
from fx_lsp.worker.inference.watch import Watch
from tests.worker.test_inference import found

OWN = {
    "a width of the text": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(24, 48), nn.Linear(32, 4)

            def forward(self, x):
                return self.second(self.first(x))
    """,
    "a width in proportion to one that was made up": """
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.first, self.second = nn.Linear(dim, 4 * dim), nn.Linear(2 * dim, dim)

            def forward(self, x):
                return self.second(self.first(x))
    """,
    "one place more than there is": """
        class Net(nn.Module):
            def __init__(self, dim, depth):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])

            def forward(self, x):
                for t in range(len(self.layers) + 1):
                    x = self.layers[0](x.chunk(len(self.layers), -2)[0])
                    x = x + x.new_zeros(3, 4)[t, 4]
                return x
    """,
    "elements in proportion": """
        class Net(nn.Module):
            def __init__(self, dim, heads):
                super().__init__()
                self.heads, self.qkv = heads, nn.Linear(dim, 2 * dim, bias=False)

            def forward(self, x):
                b, n, d = x.shape
                return self.qkv(x).view(b, n, 3, self.heads, d // self.heads)
    """,
    "a pair": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.attend = nn.MultiheadAttention(16, 2, batch_first=True)

            def forward(self, x):
                return self.attend(x, x, x).mean(1)
    """,
    "doubles": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(16, 2)

            def forward(self, x):
                return self.fc(x + torch.zeros(16, dtype=torch.float64))
    """,
    "a table that is filled as it is built": """
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                table = torch.zeros(10, 16)
                table[:, 0::2] = torch.arange(16.0)
                self.register_buffer("table", table)

            def forward(self, x):
                return x + self.table
    """,
    "a half of a number": """
        class Net(nn.Module):
            def __init__(self, dim=8):
                super().__init__()
                self.fc = nn.Linear(dim / 2, dim)

            def forward(self, x):
                return self.fc(x)
    """,
}


def pictures(x: Tensor) -> Tensor:
    return nn.functional.linear(x.flatten(1), torch.ones(2, 3 * 8 * 8))


def rows(x: Tensor) -> Tensor:
    return x[:, : x.shape[1] // 2] + torch.zeros(1, 517, 16)


def vector(x: Tensor) -> Tensor:
    return torch.ones(8, 4).index_select(0, x.long())


def twice(x: Tensor) -> Tensor:
    return x.view(4, 7, -1)


def place(x: Tensor) -> Tensor:
    return torch.ones(5)[x.long()]


def pixels(x: Tensor) -> Tensor:
    return nn.functional.conv2d(x, torch.ones(2, 5, 3, 3))


OTHERS_DO = {
    "a picture of another size": (pictures, "f32", (2, 3, 32, 32)),
    "a length": (rows, "f32", (2, 30, 16)),
    "one dim": (vector, "i64", (2, 4, 4, 4)),
    "elements": (twice, "f32", (2, 5, 3)),
    "places": (place, "i64", (2, 3)),
    "channels": (pixels, "f32", (2, 3, 8, 8)),
}


@pytest.mark.parametrize("name", OTHERS_DO)
def test_a_failure_that_other_inputs_do_not_have(name: str) -> None:
    model, dtype, shape = OTHERS_DO[name]
    inputs: Inputs = {"x": Input(dtype, shape)}

    def call(inputs: Inputs) -> Attempt:
        one = inputs["x"]
        assert isinstance(one, Input)
        kind = {"f32": torch.float32, "i64": torch.int64, "b8": torch.bool}[one.dtype]
        return run(lambda: model(torch.full(one.shape, 9).to(kind)), Watch(), 5)

    attempt = call(inputs)
    assert attempt.error is not None
    assert not regardless(attempt, Given(inputs, {}, {}, unset=False), call, lambda arguments: None)


def test_arguments_that_have_to_agree() -> None:
    """A width that one argument decides, and one that another does."""

    def build(arguments: Arguments) -> Callable[[Inputs], Attempt]:
        first, second = (torch.ones(2 * int(arguments["wide"]), 8), torch.ones(4, int(arguments["tall"])))
        act = nn.functional.linear
        return lambda inputs: run(lambda: act(act(torch.ones(_shape(inputs)), first), second), Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    for arguments, own in (({"wide": "16", "tall": "16"}, False), ({"wide": "16", "tall": "5"}, False)):
        call = build(arguments)
        assert regardless(call(inputs), Given(inputs, {}, arguments, unset=False), call, build) is own


def test_what_may_be_given_or_nobody_gave() -> None:
    def call(inputs: Inputs) -> Attempt:
        def act() -> object:
            scale: Any = 2 if "scale" in inputs else None
            return torch.ones(_shape(inputs)) * scale

        return run(act, Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    for absent, unset, own in (({"scale": Input("f32", ())}, False, False), ({}, True, False), ({}, False, True)):
        assert regardless(call(inputs), Given(inputs, absent, {}, unset), call, lambda arguments: None) is own


def _shape(inputs: Inputs) -> tuple[int, ...]:
    one = inputs["x"]
    assert isinstance(one, Input)
    return one.shape


@pytest.mark.parametrize("name", OWN)
def test_a_failure_that_nothing_gets_past(tmp_path: Path, name: str) -> None:
    one = found(tmp_path, OWN[name])["Net"]
    assert one.call, one
    assert one.regardless, one
