"""Mends where a model is a variable of a script or of a function, and of steps that a class does not hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.mends import proposals
from fx_lsp.model.failure import Failure
from tests.analysis.facts import PATH
from tests.analysis.test_mends import attempt, edited, place

NETS = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(8, 3, kernel_size=4, stride=1, padding=1)
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        return torch.tanh(self.up(x)), self.fc(x)
"""
SCRIPT = """from torch.nn import functional as F
x = torch.randn(2, 8, 16, 16)
model = Net()
recon, scores = model(x)
loss = F.mse_loss(recon, images)
"""
FUNCTION = """from torch.nn import functional as F
def step(net, x, images):
    recon, scores = net(x)
    return F.mse_loss(recon, images)
def main():
    model = Net()
    for x, images in loader:
        step(model, x, images).backward()
"""
WANTED = "self.up = nn.ConvTranspose2d(8, 3, kernel_size=4, stride=2, padding=1)"
LOSS = "F.mse_loss(recon, images)"


def _changed(files: dict[str, str], part: str, calls: tuple[str, ...], *arguments: Any) -> list[str]:
    """The lines that the proposals make other ones, wherever they are."""
    operation = attempt("torch.nn.functional.mse_loss", arguments)
    spans = tuple(place(files[PATH], one) for one in calls)
    found: list[str] = []
    for edit in proposals(Failure("trace", "no", place(files[PATH], part), spans, operation=operation), files.get):
        old = files[edit.path].splitlines()
        new = applied(files[edit.path], edit.changes).splitlines()
        found += [line.strip() for line, was in zip(new, old, strict=False) if line != was][:1]
    return found


def test_the_model_of_a_script_is_followed_into_its_class() -> None:
    found = _changed({PATH: NETS + SCRIPT}, LOSS, (), "f32[2, 3, 17, 17]", "f32[2, 3, 32, 32]")
    assert WANTED in found


def test_a_model_that_a_function_is_given_is_followed_into_another_file() -> None:
    other = PATH.rpartition("/")[0] + "/nets.py"
    files = {PATH: f"from .nets import Net\n{FUNCTION}", other: NETS}
    found = _changed(files, LOSS, ("step(model, x, images)",), "f32[2, 3, 17, 17]", "f32[2, 3, 32, 32]")
    assert WANTED in found


STEPS = """import torch
from torch.nn import functional as F
class Net(nn.Module):
    def forward(self, x, y, order, target):
        q = self.qkv(x).permute(2, 0, 1, 3, 4)
        z = q + y
        h = x.permute(0, 2, 3, 1)
        z = h + y
        z = x + y[:, order]
        s = x.mean(dim=(1, 2))
        z = s + y
        return F.cross_entropy(x, target)
"""
OTHERS = [
    ("q + y", "q = self.qkv(x).permute(2, 0, 3, 1, 4)"),
    ("h + y", "h = x.permute(0, 3, 1, 2)"),
    ("x + y[:, order]", "z = x + y[order]"),
    ("s + y", "s = x.mean(dim=(2, 3))"),
]


@pytest.mark.parametrize(("part", "wanted"), OTHERS)
def test_another_order_or_dim_on_the_way(part: str, wanted: str) -> None:
    operation = attempt("torch.Tensor.add", ("f32[2, 9, 5, 8]", "f32[2, 5, 9, 7]"))
    assert wanted in edited(Failure("trace", "no", place(STEPS, part), operation=operation), STEPS)


@pytest.mark.parametrize("target", ["i64[2, 32, 32]", "i64[2, 5, 32, 32]"])
def test_predictions_are_resized_to_their_target(target: str) -> None:
    operation = attempt("torch.nn.functional.cross_entropy", ("f32[2, 5, 8, 8]", target))
    found = edited(Failure("trace", "no", place(STEPS, "F.cross_entropy(x, target)"), operation=operation), STEPS)
    assert "return F.cross_entropy(F.interpolate(x, size=target.shape[-2:]), target)" in found


WINDOWS = """def windows(x, size):
    b, h, w, c = x.shape
    return x.view(b, h // size, size, w // size, size, c)
class Net(nn.Module):
    def __init__(self, size=4):
        self.size = size

    def forward(self, x):
        return windows(x, self.size)
"""


def test_a_part_that_does_not_divide_a_size_known_as_it_runs() -> None:
    view = attempt("torch.Tensor.view", ("f32[2, 18, 18, 8]", 2, 4, 4, 4, 4, 8))
    at = place(WINDOWS, "x.view(b, h // size, size, w // size, size, c)")
    calls = (place(WINDOWS, "windows(x, self.size)"),)
    found = edited(Failure("trace", "no", at, calls, operation=view), WINDOWS)
    assert "def __init__(self, size=3):" in found
    assert "def __init__(self, size=1):" not in found


LOOPS = """class Net(nn.Module):
    def __init__(self, widths):
        for i, width in enumerate(widths):
            self.ups.append(nn.Conv2d(last, width, 3))
        self.heads = nn.ModuleList(nn.Linear(width, 4) for width in reversed(widths[1:]))

    def forward(self, x):
        for up in self.ups:
            x = up(x)
        return x
"""


def test_a_loop_over_sizes_the_other_way_round_or_over_another_part() -> None:
    layer = attempt("Conv2d", ("f32[2, 5, 8, 8]",), "self.ups[0]", in_channels=9, out_channels=5)
    found = edited(Failure("trace", "no", place(LOOPS, "up(x)"), layer=layer), LOOPS)
    assert "for i, width in enumerate(reversed(widths)):" in found
    assert "self.heads = nn.ModuleList(nn.Linear(width, 4) for width in widths[1:])" in found
    assert "self.heads = nn.ModuleList(nn.Linear(width, 4) for width in reversed(widths[:-1]))" in found


TURNS = """from einops import rearrange
class Net(nn.Module):
    def forward(self, x, out):
        out = rearrange(out, "b h n d -> b (h n) d")
        y = self.fc(out)
        a, b = x.flatten(2).split(2, dim=-1)
        q = x.reshape(b, self.heads, -1, x.shape[-1])
        q, k, v = q.chunk(3, dim=1)
        return y
"""


def test_another_two_axes_as_one() -> None:
    layer = attempt("Linear", ("f32[2, 24, 8]",), "self.fc", in_features=32, out_features=8)
    found = edited(Failure("trace", "no", place(TURNS, "self.fc(out)"), layer=layer), TURNS)
    assert 'out = rearrange(out, "b h n d -> b n (h d)")' in found


def test_a_dim_that_was_to_be_turned_before_a_split() -> None:
    parts = attempt("builtins.parts", (["f32[2, 4, 2]"] * 9, 2))
    found = edited(Failure("trace", "no", place(TURNS, "a, b"), operation=parts), TURNS)
    assert "a, b = x.flatten(2).transpose(1, 2).split(2, dim=-1)" in found


def test_two_sizes_of_a_view_as_one() -> None:
    parts = attempt("builtins.parts", (["f32[2, 2, 9, 16]"] * 2, 3))
    found = edited(Failure("trace", "no", place(TURNS, "q, k, v"), operation=parts), TURNS)
    assert "q = x.reshape(b * self.heads, -1, x.shape[-1])" in found


PARAMETERS = """class Net(nn.Module):
    def __init__(self, heads, features):
        self.left = nn.Parameter(torch.empty(1, features, heads))
        self.right = nn.Parameter(torch.empty(1, features, heads))
        self.token = nn.Parameter(torch.zeros(1, 1, 16))

    def forward(self, h, x):
        a, b = ((h * a).sum(-1) for a in (self.left, self.right))
        b, n, _ = x.shape
        token = self.token.expand(n, -1, -1)
        return torch.cat([token, x], dim=1)
"""


def test_sizes_of_a_parameter_in_each_others_place() -> None:
    product = attempt("torch.Tensor.mul", ("f32[9, 4, 16]", "f32[1, 16, 4]"))
    found = edited(Failure("trace", "no", place(PARAMETERS, "h * a"), operation=product), PARAMETERS)
    assert "self.left = nn.Parameter(torch.empty(1, heads, features))" in found
    assert "self.right = nn.Parameter(torch.empty(1, heads, features))" in found


def test_another_of_the_sizes_that_were_unpacked() -> None:
    joined = attempt("torch.cat", (["f32[9, 1, 16]", "f32[2, 9, 16]"], {"dim": 1}))
    at = place(PARAMETERS, "torch.cat([token, x], dim=1)")
    found = edited(Failure("trace", "no", at, operation=joined), PARAMETERS)
    assert "token = self.token.expand(b, -1, -1)" in found


@pytest.mark.parametrize("written", ["patch", "channels * height"])
def test_a_factor_that_was_unpacked_beside_another_one(written: str) -> None:
    text = f"""class Net(nn.Module):
    def __init__(self, channels, size, dim):
        height, width = pair(size)
        patch = channels * height
        self.fc = nn.Linear({written}, dim)

    def forward(self, x):
        return self.fc(x)
"""
    made = attempt("Linear", ("f32[2, 48]",), "self.fc", in_features=12, out_features=8)
    made = replace(made, built=place(text, f"nn.Linear({written}, dim)"))
    found = edited(Failure("trace", "no", place(text, "self.fc(x)"), layer=made), text)
    wanted = "patch = channels * height * width" if written == "patch" else ""
    assert (wanted or "self.fc = nn.Linear(channels * height * width, dim)") in found


def test_all_widths_of_a_list_by_one_factor() -> None:
    text = """class Net(nn.Module):
    def __init__(self, widths):
        self.heads = nn.ModuleList([nn.Conv2d(width, 8, 1) for width in widths])

    def forward(self, features):
        return [head(one) for head, one in zip(self.heads, features)]
net = Net([128, 256, 512])
"""
    made = attempt("Conv2d", ("f32[2, 96, 8, 8]",), "self.heads[0]", in_channels=128, out_channels=8)
    made = replace(made, built=place(text, "nn.Conv2d(width, 8, 1)"))
    found = edited(Failure("trace", "no", place(text, "head(one)"), layer=made), text)
    assert "net = Net([96, 192, 384])" in found


SHORTCUT = """from functools import partial
conv1x1 = partial(nn.Conv2d, kernel_size=1)
class Block(nn.Module):
    def __init__(self, dim, out, stride, shortcut=None):
        self.conv = nn.Conv2d(dim, out, 3, stride, 1)
        self.shortcut = shortcut

    def forward(self, x):
        y = self.conv(x)
        y += self.shortcut(x)
        return y
class Net(nn.Module):
    def _layer(self, block, dim, out, stride=1):
        shortcut = None
        if stride != 1:
            shortcut = nn.Sequential(conv1x1(dim, out), nn.BatchNorm2d(out))
        return block(dim, out, stride, shortcut)
"""


def test_a_shortcut_that_is_made_elsewhere_has_the_stride_of_its_block() -> None:
    operation = attempt("torch.Tensor.__iadd__", ("f32[2, 64, 14, 14]", "f32[2, 64, 28, 28]"))
    found = edited(Failure("trace", "no", place(SHORTCUT, "y += self.shortcut(x)"), operation=operation), SHORTCUT)
    assert "shortcut = nn.Sequential(conv1x1(dim, out, stride=stride), nn.BatchNorm2d(out))" in found


@pytest.mark.parametrize(
    ("x", "target", "wanted"),
    [
        ("f32[4, 9, 63]", "i64[4, 64]", "F.cross_entropy(x, target[:, 1:])"),
        ("f32[4, 9, 64]", "i64[4, 63]", "F.cross_entropy(x[:, :, :-1], target)"),
    ],
)
def test_a_target_with_a_step_more_or_fewer(x: str, target: str, wanted: str) -> None:
    loss = attempt("torch.nn.functional.cross_entropy", (x, target))
    found = edited(Failure("trace", "no", place(STEPS, "F.cross_entropy(x, target)"), operation=loss), STEPS)
    assert f"return {wanted}" in found


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ("if dim != out:\n            self.shortcut = nn.Conv2d(dim, out, 1, stride)", "if stride != 1 or dim != out:"),
        (
            "self.shortcut = nn.Conv2d(dim, out, 1, stride=stride) if dim != out else nn.Identity()",
            "stride=stride) if stride != 1 or dim != out else nn.Identity()",
        ),
    ],
)
def test_a_shortcut_is_there_where_its_block_has_a_stride(made: str, wanted: str) -> None:
    text = f"""class Block(nn.Module):
    def __init__(self, dim, out, stride):
        self.conv = nn.Conv2d(dim, out, 3, stride, 1)
        self.shortcut = nn.Identity()
        {made}

    def forward(self, x):
        return self.conv(x) + self.shortcut(x)
"""
    operation = attempt("torch.Tensor.__add__", ("f32[2, 64, 14, 14]", "f32[2, 64, 28, 28]"))
    at = place(text, "self.conv(x) + self.shortcut(x)")
    found = edited(Failure("trace", "no", at, operation=operation), text)
    assert any(wanted in one for one in found)
