"""Examples invented for classes that nothing calls: what is found runs, and what is not found says why."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from fx_lsp.model.example import Maker, Search
from fx_lsp.model.messages import Invented, TraceReply, TraceRequest
from tests.worker.tracing import in_child

HEAD = """
from __future__ import annotations
import enum
import math
import types
from dataclasses import dataclass
from typing import Callable, Dict, List, Literal, Optional, Tuple
import torch
from einops import rearrange
from einops.layers.torch import Rearrange
from torch import Tensor, nn
from torch.nn import functional as F
"""

BLOCK = "class Net(nn.Module):\n    def __init__(self, {init}):\n        super().__init__()\n        {body}\n"


def reply(folder: Path, source: str, *names: str, makers: tuple[Maker, ...] = (), seconds: float = 60) -> TraceReply:
    """Search in a file with this text."""
    path = folder / "model.py"
    path.write_text(HEAD + dedent(source))
    search = Search(names or ("Net",), makers)
    return in_child(TraceRequest(1, str(folder), str(path), "", engine="fake", seconds=seconds, search=search))


def found(folder: Path, source: str, *names: str, makers: tuple[Maker, ...] = ()) -> dict[str, Invented]:
    answer = reply(folder, source, *names, makers=makers)
    assert answer.failure is None, answer.failure
    return {one.name: one for one in answer.invented}


def works(folder: Path, source: str, one: Invented) -> None:
    """On real tensors."""
    assert one.why == "", one
    path = folder / "model.py"
    again = in_child(TraceRequest(1, str(folder), str(path), one.call, one.setup, engine="real", seconds=60))
    assert again.failure is None, (one, again.failure)
    assert again.bindings


INPUTS = {
    "linear": ("", "self.fc = nn.Linear(24, 4)", "x = self.fc(x)", "24"),
    "convolution": ("", "self.conv = nn.Conv2d(5, 4, 3)", "x = self.conv(x)", "f32[2, 5, 32, 32]"),
    "convolution 1d": ("", "self.conv = nn.Conv1d(5, 4, 3)", "x = self.conv(x)", "f32[2, 5, 64]"),
    "volume": ("", "self.conv = nn.Conv3d(2, 4, 3)", "x = self.conv(x)", "f32[2, 2, 8, 32, 32]"),
    "token ids": ("", "self.words = nn.Embedding(9, 4)", "x = self.words(x)", "i64[2, 16]"),
    "unpacked": ("", "self.k = 2", "b, c, h, w = x.shape\nx = x.view(b, c * h, w)", "f32[2, 3, 32, 32]"),
    "patches": (
        "", "self.cut = Rearrange('b c (h p) (w q) -> b (h w) (p q c)', p=4, q=4)", "x = self.cut(x)",
        "f32[2, 3, 16, 16]",
    ),
    "pattern": ("", "self.k = 2", "x = rearrange(x, 'b (h d) n -> b h n d', h=6)", "f32[2, 24, 64]"),
    "alternatives": ("", "self.fc = nn.Linear(7, 4)", "x = x.flatten(2).transpose(1, 2)\nx = self.fc(x)", "7"),
    "a check": ("", "self.k = 2", "assert x.shape[-1] == 40, 'width'\nx = x * 2", "40"),
    "einsum": ("", "self.w = nn.Parameter(torch.ones(6, 7))", "x = torch.einsum('bnd,de->bne', x, self.w)", "6]"),
    "recurrent": ("", "self.rnn = nn.GRU(11, 4, batch_first=True)", "x, _ = self.rnn(x)", "f32[2, 16, 11]"),
    "divisible": ("", "self.k = 2", "assert x.shape[1] % 6 == 0\nx = x.reshape(x.shape[0], 6, -1)", ""),
    "norm": ("", "self.norm = nn.BatchNorm1d(33)", "x = self.norm(x)", "33"),
    "noise": ("", "self.conv = nn.Conv2d(5, 5, 3)", "x = torch.randn_like(x)\nx = self.conv(x)", "f32[2, 5, 32, 32]"),
}  # fmt: skip


def test_what_a_method_of_its_own_gives_is_as_large_as_what_it_took(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(5, 5, 3)
        def noisy(self, clean, scale):
            return scale.view(-1, 1, 1, 1) * clean
        def forward(self, x):
            scale = torch.ones(len(x))
            noisy = self.noisy(x, scale=scale)
            return self.conv(noisy)
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert one.call == "Net()(f32[2, 5, 32, 32])"


@pytest.mark.parametrize("name", INPUTS)
def test_inputs(tmp_path: Path, name: str) -> None:
    init, body, forward, expected = INPUTS[name]
    lines = "\n".join(" " * 8 + line for line in [*forward.splitlines(), "return x"])
    source = BLOCK.replace("self, {init}", f"self{init}").format(body=body) + f"    def forward(self, x):\n{lines}\n"
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert expected in one.call


def test_constructors(tmp_path: Path) -> None:
    source = """
    class Kind(enum.Enum):
        ONE = 1
        TWO = 2

    @dataclass
    class Settings:
        width: int
        num_layers: int = 12

    class Tower(nn.Module):
        def __init__(self, depth, width):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    class Names(nn.Module):
        def __init__(self, dim, num_heads, mlp_ratio=4.0):
            super().__init__()
            assert dim % num_heads == 0
            self.fc = nn.Linear(dim, int(dim * mlp_ratio))
        def forward(self, hidden_states):
            y = self.fc(hidden_states)
            return y

    class Annotations(nn.Module):
        def __init__(self, dim: int, rate: float, kind: Literal["wide", "deep"], flag: bool, name: str):
            super().__init__()
            self.fc = nn.Linear(dim, {"wide": 8, "deep": 4}[kind])
            self.drop = nn.Dropout(rate)
        def forward(self, x):
            y = self.drop(self.fc(x))
            return y

    class Enumeration(nn.Module):
        def __init__(self, dim: int, kind: Kind):
            super().__init__()
            self.fc = nn.Linear(dim, kind.value)
        def forward(self, x):
            y = self.fc(x)
            return y

    class Sequence(nn.Module):
        def __init__(self, dims: Tuple[int, ...]):
            super().__init__()
            self.layers = nn.Sequential(*(nn.Linear(a, b) for a, b in zip(dims, dims[1:])))
        def forward(self, x):
            y = self.layers(x)
            return y

    class Configured(nn.Module):
        def __init__(self, config: Settings):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(config.width, config.width) for _ in range(config.num_layers)])
        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    class Namespace(nn.Module):
        def __init__(self, cfg):
            super().__init__()
            self.fc = nn.Linear(cfg.n_embd, cfg.n_head)
        def forward(self, x):
            y = self.fc(x)
            return y

    class Normed(nn.Module):
        def __init__(self, dim: int, norm_layer: Callable[..., nn.Module], net: nn.Module):
            super().__init__()
            self.norm, self.net = norm_layer(dim), net
        def forward(self, x):
            y = self.net(self.norm(x))
            return y

    class Mapped(nn.Module):
        def __init__(self, dim, tower_params):
            super().__init__()
            self.tower = Tower(width=dim, **tower_params)
        def forward(self, x):
            y = self.tower(x)
            return y

    class Stated(nn.Module):
        def __init__(self, dim=64, heads=None):
            super().__init__()
            if heads is None:
                raise ValueError("heads must be given")
            self.fc = nn.Linear(dim, heads)
        def forward(self, x):
            y = self.fc(x)
            return y

    class Chosen(nn.Module):
        def __init__(self, flavour):
            super().__init__()
            if flavour not in ("sweet", "sour"):
                raise ValueError(f"flavour must be 'sweet' or 'sour', not {flavour}")
            self.fc = nn.Linear(6, 3)
        def forward(self, x):
            y = self.fc(x)
            return y

    class Wrapped(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner, self.width = inner, inner.layers[0].in_features
        def forward(self, x):
            y = self.inner(x)
            return y
    """
    names = (
        "Names", "Annotations", "Enumeration", "Sequence", "Configured", "Namespace", "Normed", "Mapped", "Stated",
        "Chosen", "Wrapped",
    )  # fmt: skip
    answers = found(tmp_path, source, *names)
    for name in names:
        works(tmp_path, source, answers[name])
    assert "num_layers=2" in answers["Configured"].call
    assert answers["Wrapped"].call.startswith("Wrapped(inner=")


def test_optional_inputs_that_the_error_asks_for(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(10, 4)
        def forward(self, attention_mask=None, input_ids=None, pixels=None):
            if input_ids is None:
                raise ValueError("You have to specify input_ids")
            x = self.words(input_ids)
            return x
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "input_ids=i64[2, 16]" in one.call


def test_parts_that_the_whole_runs_need_nothing_of_their_own(tmp_path: Path) -> None:
    source = """
    class Part(nn.Module):
        def __init__(self, whatever_it_is):
            super().__init__()
            self.fc = nn.Linear(whatever_it_is.a.b.c, 4)
        def forward(self, x):
            return self.fc(x)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            a = types.SimpleNamespace(b=types.SimpleNamespace(c=12))
            self.part = Part(types.SimpleNamespace(a=a))
        def forward(self, x):
            y = self.part(x)
            return y
    """
    answers = found(tmp_path, source, "Net", "Part")
    works(tmp_path, source, answers["Net"])
    assert answers["Part"] == Invented("Part", why="the example of another class runs it")


def test_what_the_workspace_builds_comes_first(tmp_path: Path) -> None:
    source = BLOCK.format(init="n, strange", body="self.fc = nn.Linear(n, len(strange.keys()))")
    source += "    def forward(self, x):\n        y = self.fc(x)\n        return y\n"
    makers = (Maker("Net", "n = 21", "Net(n, {'a': 1, 'b': 2})"),)
    one = found(tmp_path, source, makers=makers)["Net"]
    works(tmp_path, source, one)
    assert one.setup == "n = 21"
    assert one.call == "Net(n, {'a': 1, 'b': 2})(f32[2, 16, 21])"


def test_values_decide_so_real_tensors_shall(tmp_path: Path) -> None:
    source = BLOCK.replace("self, {init}", "self").format(body="self.fc = nn.Linear(6, 4)")
    source += """    def forward(self, x):
        y = self.fc(x)
        z = y.relu() + 1
        kept = z[z.sum(-1) > 0]
        for row in range(int(kept.shape[0] > 99) + int(z.max().item() > 1e9)):
            kept = kept * row
        return kept
"""
    one = found(tmp_path, source)["Net"]
    assert one.call == "Net()(f32[2, 16, 6])"
    works(tmp_path, source, Invented(one.name, one.setup, one.call))


def test_why_not(tmp_path: Path) -> None:
    source = """
    class Unbuildable(nn.Module):
        def __init__(self, secret):
            super().__init__()
            raise RuntimeError("never")
        def forward(self, x):
            return x

    class Broken(nn.Module):
        def __init__(self):
            super().__init__()
        def forward(self, x):
            y = x + 1
            raise RuntimeError("no way")

    class Hook(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_forward_pre_hook(self.prepare)
        def prepare(self, module, args):
            raise NotImplementedError("prepare")

    def make():
        class Local(nn.Module):
            pass
        return Local
    """
    answers = found(tmp_path, source, "Unbuildable", "Broken", "Hook", "Local")
    assert (answers["Hook"].call, answers["Hook"].why) == ("", "it has no forward of its own")
    assert answers["Unbuildable"].call == ""
    assert "its constructor needs secret, and failed at line" in answers["Unbuildable"].why
    assert "never" in answers["Unbuildable"].why
    assert answers["Broken"].call.startswith("Broken()(")
    assert "forward failed at line" in answers["Broken"].why
    assert answers["Local"].why == "the class is not there when its file is imported"


def test_thirty_arguments_that_nobody_guesses(tmp_path: Path) -> None:
    names = ", ".join(f"zz{number}" for number in range(30))
    checks = "\n        ".join(f"assert zz{number} is ...[{number}]" for number in range(30))
    source = BLOCK.format(init=names, body=checks) + "    def forward(self, x):\n        return x\n"
    answer = reply(tmp_path, source, seconds=20)
    assert answer.failure is None
    (one,) = answer.invented
    assert (one.call, answer.ms < 20_000) == ("", True)
    assert "its constructor needs zz0, zz1" in one.why


def test_what_hangs_prints_or_leaves_does_not_end_the_search(tmp_path: Path) -> None:
    source = """
    class Hangs(nn.Module):
        def __init__(self, dim):
            super().__init__()
            while True:
                pass
        def forward(self, x):
            return x

    class Leaves(nn.Module):
        def __init__(self):
            super().__init__()
            raise SystemExit(3)
        def forward(self, x):
            return x

    class Prints(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.fc = nn.Linear(dim, 3)
            print("x" * 5_000_000)
        def forward(self, x):
            y = self.fc(x)
            return y
    """
    answers = found(tmp_path, source, "Hangs", "Leaves", "Prints")
    assert "no end after" in answers["Hangs"].why
    assert "SystemExit" in answers["Leaves"].why
    assert answers["Prints"].why == ""


def test_a_file_that_cannot_be_imported(tmp_path: Path) -> None:
    answer = reply(tmp_path, "x = no_such_name\n")
    assert answer.invented == ()
    assert answer.failure is not None
    assert answer.failure.stage == "import"


def test_a_class_that_needs_a_package_that_is_not_there(tmp_path: Path) -> None:
    answer = reply(tmp_path, "import no_such_package\nclass Net(no_such_package.Model): ...\n")
    assert [one.why for one in answer.invented] == [
        "the import failed: ModuleNotFoundError: No module named 'no_such_package'"
    ]


def test_what_cannot_be_called_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    source = """
    def stage(width, half, make, act):
        return nn.Sequential(nn.Conv2d(width, half, 1), make(half), act(), nn.Conv2d(half, width, 1))

    class Net(nn.Module):
        def __init__(self, width, *, norm_layer, noise, document):
            super().__init__()
            self.layers = stage(width, width // 4, norm_layer, document)
            self.noise = noise * 2.0
        def forward(self, x):
            y = self.layers(x)
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])
