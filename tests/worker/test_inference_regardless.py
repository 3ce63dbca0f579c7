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
from fx_lsp.worker.inference.inputs import Inputs, Plain
from fx_lsp.worker.inference.inputs import Tensor as Input
from fx_lsp.worker.inference.regardless import Given, regardless
from fx_lsp.worker.inference.watch import Watch
from tests.worker.test_inference import found

OWN = {
    "a view of what does not lie in one piece, but for one window": """
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.conv = nn.Conv2d(dim, 2 * dim, 1)

            def forward(self, x):
                b, c, h, w = x.shape
                assert h % 8 == 0 and w % 8 == 0
                x = self.conv(x).reshape(b, 2 * c, h // 8, 8, w // 8, 8)
                x = x.permute(0, 2, 4, 1, 3, 5).contiguous()
                return x.permute(0, 3, 1, 4, 2, 5).view(b, 2 * c, h, w)
    """,
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
    "what a number that is said to be one has not": """
        class Net(nn.Module):
            def __init__(self, dim: int, bias: bool = True):
                super().__init__()
                self.fc = nn.Linear(dim.size(0), dim, bias)

            def forward(self, x):
                return self.fc(x)
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
    "a configuration": """
        @dataclass
        class Config:
            width: int = 32
            depth: int = 2

        class Net(nn.Module):
            def __init__(self, config: Config):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(config.width, config.width) for _ in range(config.depth)])
                self.out = nn.Linear(2 * config.width, 4)

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return self.out(x)
    """,
    "a list of maps": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.narrow = nn.ModuleList([nn.Conv2d(size, 8, 1) for size in (16, 32)])
                self.out = nn.Conv2d(16, 4, 1)

            def forward(self, maps: List[Tensor]):
                low, high = [narrow(one) for narrow, one in zip(self.narrow, maps)]
                return self.out(low + F.interpolate(high, low.shape[2:]))
    """,
    "another name of its own": """
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.dropout, self.fc = nn.Dropout(0.1), nn.Linear(dim, 8)

            def forward(self, x):
                return self.dropuot(self.fc(x))
    """,
    "what a part lacks that it made": """
        class Part(nn.Module):
            def __init__(self, wide=False):
                super().__init__()
                if wide:
                    self.weights = self.table = nn.Parameter(torch.zeros(16, 4))
                else:
                    self.weights = nn.Parameter(torch.zeros(16, 2))

            def forward(self, x):
                return x @ self.table

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = Part()

            def forward(self, x):
                return self.part(x)
    """,
    "what a layer of torch lacks": """
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.fc = nn.Linear(dim, 16)

            def forward(self, x):
                return x @ self.fc.weights
    """,
    "as many times as an argument says": """
        class Net(nn.Module):
            def __init__(self, actions, atoms):
                super().__init__()
                self.atoms, self.conv, self.values = atoms, nn.Conv2d(3, 16, 1), nn.Linear(16, actions * atoms)

            def forward(self, x):
                return self.values(self.conv(x).mean((2, 3))).view(x.shape[0], 1, self.atoms)
    """,
    "channels that another part fixes": """
        class Net(nn.Module):
            def __init__(self, dim, classes):
                super().__init__()
                self.first, self.body = nn.Conv1d(3, 32, 1), nn.Conv1d(dim, 32, 1)
                self.head = nn.Linear(32, classes)

            def forward(self, x):
                x = self.body(x) + self.first(x)
                return self.head(x.mean(-1, keepdim=True))
    """,
    "axes that einops asks for": """
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.fc = nn.Linear(dim, 3)

            def forward(self, x):
                return rearrange(self.fc(x).flatten(1), "b n () -> b n")
    """,
    "places that are no whole numbers": """
        class Net(nn.Module):
            def forward(self, x):
                ends = torch.full((len(x),), 2.0) - 1
                return x[torch.arange(len(x)), ends]
    """,
    "channels of a spectrogram": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv1d(16, 4, 1)

            def forward(self, wave):
                spec = torch.stft(wave, 64, 16, window=torch.ones(64), return_complex=True)
                return self.conv(torch.log(spec.abs() ** 2 + 1))
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


def refused(x: Tensor) -> Tensor:
    raise ValueError("the width is wrong")


def pixels(x: Tensor) -> Tensor:
    return nn.functional.conv2d(x, torch.ones(2, 5, 3, 3))


OTHERS_DO = {
    "a picture of another size": (pictures, "f32", (2, 3, 32, 32)),
    "a length": (rows, "f32", (2, 30, 16)),
    "one dim": (vector, "i64", (2, 4, 4, 4)),
    "elements": (twice, "f32", (2, 5, 3)),
    "places": (place, "i64", (2, 3)),
    "what the code wants": (refused, "f32", (2, 3)),
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
    assert not regardless(attempt, Given(inputs, {}, {}, {}), call, lambda arguments: None)


def test_arguments_that_have_to_agree_and_one_that_does_not() -> None:
    """A width that one argument decides, and one that another does, or the same."""

    def build(arguments: Arguments) -> Callable[[Inputs], Attempt]:
        wide, tall = int(arguments["wide"]), int(arguments.get("tall", arguments["wide"]))
        first, second, act = torch.ones(2 * wide, 8), torch.ones(4, tall), nn.functional.linear
        return lambda inputs: run(lambda: act(act(torch.ones(_shape(inputs)), first), second), Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    for arguments, own in (
        ({"wide": "16", "tall": "16"}, False),
        ({"wide": "16", "tall": "5"}, False),
        ({"wide": "16"}, True),
    ):
        call = build(arguments)
        assert regardless(call(inputs), Given(inputs, {}, arguments, {}), call, build) is own


def test_a_dim_that_an_argument_says() -> None:
    def build(arguments: Arguments) -> Callable[[Inputs], Attempt]:
        return lambda inputs: run(lambda: torch.ones(_shape(inputs)).size(int(arguments["dim"]) + 2), Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8, 4))}
    call = build({"dim": "64"})
    assert regardless(call(inputs), Given(inputs, {}, {}, {}), call, build)
    assert not regardless(call(inputs), Given(inputs, {}, {"dim": "64"}, {}), call, build)


def test_arguments_of_which_no_other_comes_as_far_say_nothing() -> None:
    def build(arguments: Arguments) -> Callable[[Inputs], Attempt]:
        def act() -> Tensor:
            bound = torch.ones(16) + torch.ones(int(arguments["dim"]))
            return torch.ones(2, 3) @ torch.ones(4, 5) + bound.sum()

        return lambda inputs: run(act, Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    call = build({"dim": "16"})
    assert regardless(call(inputs), Given(inputs, {}, {}, {}), call, build)
    assert not regardless(call(inputs), Given(inputs, {}, {"dim": "16"}, {}), call, build)


@pytest.mark.parametrize("left", [{"extra": "0"}, {"one": "False", "other": "False"}])
def test_what_is_left_out_by_itself_may_be_what_it_is_for(left: dict[str, str]) -> None:
    """`Linear(48)` takes 32 and what an argument adds, or what two flags do together."""

    def build(arguments: Arguments) -> Callable[[Inputs], Attempt]:
        more = int(arguments.get("extra", "0")) + 16 * (len([one for one in arguments.values() if one == "True"]) == 2)
        return lambda inputs: run(lambda: torch.ones(2, 32 + more) @ torch.ones(48, 4), Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    call = build({})
    assert regardless(call(inputs), Given(inputs, {}, {}, {}), call, build)
    assert not regardless(call(inputs), Given(inputs, {}, {}, left), call, build)


@pytest.mark.parametrize("text", ["nn.Identity()", "Encoder(dim=4)", "lambda x: x", "types.SimpleNamespace(width=3)"])
def test_nothing_is_said_with_something_else_that_was_made_up(text: str) -> None:
    def call(inputs: Inputs) -> Attempt:
        return run(lambda: torch.ones(2, 3) @ torch.ones(4, 5), Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    assert regardless(call(inputs), Given(inputs, {}, {}, {}), call, lambda arguments: None)
    assert not regardless(call(inputs), Given(inputs, {}, {"part": text}, {}), call, lambda arguments: None)
    inputs["other"] = Plain(text)
    assert not regardless(call(inputs), Given(inputs, {}, {}, {}), call, lambda arguments: None)


def test_what_may_be_given_or_nobody_gave() -> None:
    def call(inputs: Inputs) -> Attempt:
        def act() -> object:
            scale: Any = 2 if "scale" in inputs else None
            return torch.ones(_shape(inputs)) * scale

        return run(act, Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    scale, none = {"scale": Input("f32", ())}, {"scale": "None"}
    for absent, left, own in ((scale, {}, False), ({}, none, False), ({}, {}, True)):
        assert regardless(call(inputs), Given(inputs, absent, {}, left), call, lambda arguments: None) is own


def test_what_two_inputs_that_were_not_given_add() -> None:
    def call(inputs: Inputs) -> Attempt:
        return run(lambda: torch.ones(2, 32 * len(inputs)) @ torch.ones(96, 4), Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    absent = {name: Input("f32", (2, 8)) for name in ("one", "other")}
    assert regardless(call(inputs), Given(inputs, {}, {}, {}), call, lambda arguments: None)
    assert not regardless(call(inputs), Given(inputs, absent, {}, {}), call, lambda arguments: None)


@pytest.mark.parametrize(("index", "own"), [("index", False), ("torch.tensor([9])", True)])
def test_places_that_were_given_say_nothing(tmp_path: Path, index: str, own: bool) -> None:
    """Others may be meant, of what has fewer rows."""
    source = f"""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(24, 8)

            def forward(self, x, index):
                assert index.dtype == torch.int64 and index.max() != 1
                y = self.fc(x)[:1] + index.sum()
                return y[{index}]
    """
    assert found(tmp_path, source)["Net"].regardless is own


def test_a_number_that_is_missing_as_often_as_it_is_large() -> None:
    """`Linear(width + 2 * more)` takes what `width + more` features are."""

    def build(arguments: Arguments) -> Callable[[Inputs], Attempt]:
        width, more = int(arguments["width"]), int(arguments["more"])
        return lambda inputs: run(lambda: torch.ones(2, width + more) @ torch.ones(width + 2 * more, 4), Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    arguments = {"width": "64", "more": "64"}
    call = build(arguments)
    assert regardless(call(inputs), Given(inputs, {}, arguments, {}), call, build)


@pytest.mark.parametrize(("wanted", "own"), [(192, False), (200, True)])
def test_as_many_members_as_a_list_was_made_up_with(wanted: int, own: bool) -> None:
    """Two levels of 64 features, where a model may be made for three."""

    def build(arguments: Arguments) -> Callable[[Inputs], Attempt]:
        return lambda inputs: run(lambda: torch.ones(2, 128) @ torch.ones(wanted, 4), Watch(), 5)

    arguments = {"channels": "(64, 64)"}
    call = build(arguments)
    inputs: Inputs = {"x": Input("f32", (2, 8))}
    assert regardless(call(inputs), Given(inputs, {}, arguments, {}), call, build) is own


def test_a_width_that_only_a_picture_of_thousands_of_places_has(tmp_path: Path) -> None:
    source = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.MaxPool2d(2), nn.Conv2d(16, 16, 3, 4))
                self.second = nn.Linear(512, 8)

            def forward(self, x):
                return self.second(self.first(x))
    """
    one = found(tmp_path, source)["Net"]
    assert (one.call, bool(one.why)) == ("Net()(f32[2, 3, 32, 32])", True)


def test_more_tensors_in_a_list(tmp_path: Path) -> None:
    source = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(192, 8)

            def forward(self, features: List[Tensor]):
                assert features[0].shape[-1] == 64
                return self.fc(torch.cat(features, -1))
    """
    assert not found(tmp_path, source)["Net"].regardless


def test_a_whole_number_in_the_place_of_one_that_was_made_up(tmp_path: Path) -> None:
    source = """
        class Net(nn.Module):
            def __init__(self, P):
                super().__init__()
                self.fc, self.norm = nn.Linear(1, P), nn.GroupNorm(2, P)

            def forward(self, x):
                return self.norm(self.fc(x))
    """
    assert not found(tmp_path, source)["Net"].regardless


def test_an_input_of_another_kind_that_was_not_given() -> None:
    """What is made up for it is no mask of pairs, with which nothing is joined."""

    def calling(kept: int) -> Callable[[Inputs], Attempt]:
        def act(mask: object) -> object:
            wide = isinstance(mask, Input) and len(mask.shape) == kept
            assert not isinstance(mask, Input) or len(mask.shape) > 2
            return torch.ones(2, 32) @ torch.ones(32 if wide else 96, 4)

        return lambda inputs: run(lambda: act(inputs.get("mask")), Watch(), 5)

    inputs: Inputs = {"x": Input("f32", (2, 8))}
    given = Given(inputs, {"mask": Input("b8", (2, 8))}, {}, {})
    for kept, own in ((9, True), (3, False)):
        call = calling(kept)
        assert regardless(call(inputs), given, call, lambda arguments: None) is own


def _shape(inputs: Inputs) -> tuple[int, ...]:
    one = inputs["x"]
    assert isinstance(one, Input)
    return one.shape


OTHERS_SET = {
    "a bank that is filled later": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("bank", torch.empty(0, 8))
                self.fc = nn.Linear(4, 16)

            def forward(self, x):
                return self.bank @ self.fc(x).t()
    """,
    "what a class below it has": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList()

            def forward(self, x):
                return self.layer(x * 2)
    """,
    "what a class below it has, that is called by a number": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm1 = nn.LayerNorm(16)

            def forward(self, x):
                return self.norm2(self.norm1(x))
    """,
    "what is set by a name that is computed": """
        class Part(nn.Module):
            def load(self, **tables):
                for name, one in tables.items():
                    self.register_buffer(name, one, False)

            def forward(self, x):
                return x @ self.table

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = Part()

            def forward(self, x):
                return self.part(x)
    """,
    "what is put among others": """
        class Part(nn.Module):
            def load(self, heads):
                self._modules.update(heads)

            def forward(self, x):
                return self.head(x)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = Part()

            def forward(self, x):
                return self.part(x)
    """,
    "what a class below it has, under a name like another one": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm1 = nn.LayerNorm(16)

            def forward(self, x):
                return self.norm2(x * 2)

        class Below(Net):
            def __init__(self):
                super().__init__()
                setattr(self, "norm2", self.norm1)
    """,
    "what another model sets": """
        class Part(nn.Module):
            def forward(self, x):
                return x @ self.table

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = Part()

            def forward(self, x):
                return self.part(x)

            def prepare(self, size):
                self.part.table = torch.zeros(16, size)
    """,
    "several things in the place of one": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.words, self.conv = nn.Embedding(9, 8), nn.Conv1d(8, 4, 3)

            def forward(self, inputs):
                text, lengths, frames, longest, ends = inputs
                x = self.words(text).transpose(1, 2)
                return self.conv(x[:, :, None, None]) + frames
    """,
    "several things that are taken by their places": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc, self.up = nn.Linear(8, 4), nn.Linear(12, 4)

            def forward(self, maps):
                return self.up(self.fc(maps[-1]))
    """,
    "an argument that is no number": """
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Linear({(23,): 23}[tuple(width.shape)], 2)

            def forward(self, x):
                return self.fc(x)
    """,
    "an argument that is no number, where the model runs": """
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.width, self.fc = width, nn.Linear(8, 2)

            def forward(self, x):
                return self.fc(x) * {(23,): 23}[tuple(self.width.shape)]
    """,
    "an object by its annotation": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 4)

            def forward(self, x, physics: "optics.Physics"):
                physics.set_scale(2)
                return self.fc(x)
    """,
    "inputs that have a dim more, but for one": """
        class Net(nn.Module):
            def __init__(self, dim, nodes):
                super().__init__()
                self.nodes, self.gate = nodes, nn.Linear(2 * dim, dim)

            def forward(self, inward, current, edges):
                into = torch.bmm(edges[:, :, : self.nodes], inward)
                return self.gate(torch.cat((into, current), 2))
    """,
    "an input as large as another one": """
        def linear(layer, x):
            batch, hidden, length, _ = x.size()
            h = layer(torch.transpose(x, 1, 2).contiguous().view(batch * length, hidden))
            return torch.transpose(h.view(batch, length, hidden, 1), 1, 2)

        class Net(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.fc = nn.Linear(size, size)

            def forward(self, base, source, top, both):
                target = torch.squeeze((base + linear(self.fc, source)) * 0.7, 3).transpose(1, 2)
                weights = torch.softmax(torch.bmm(target, top), dim=2)
                return torch.bmm(weights, both.transpose(1, 2))
    """,
    "what an argument brings": """
        class Part(nn.Module):
            def __init__(self, wide):
                super().__init__()
                if wide > 1000:
                    self.table = nn.Parameter(torch.zeros(16, wide))

            def forward(self, x):
                return x @ self.table

        class Net(nn.Module):
            def __init__(self, wide):
                super().__init__()
                self.part = Part(wide)

            def forward(self, x):
                return self.part(x)
    """,
    "as many rows as there are places": """
        class Net(nn.Module):
            def __init__(self, rows, size):
                super().__init__()
                self.rows, self.table = nn.Embedding(rows, 8), nn.Parameter(torch.zeros(size, 8))

            def forward(self, x):
                return self.table + self.rows(torch.arange(4, 20))
    """,
    "another default that goes with the text": """
        class Net(nn.Module):
            def __init__(self, arch: str, features: int = 48):
                super().__init__()
                self.body = nn.Linear(8, {"small": 16, "large": 48}[arch])
                self.head = nn.Linear(features, 4)

            def forward(self, x):
                return self.head(self.body(x))
    """,
}


@pytest.mark.parametrize("name", OTHERS_SET)
def test_what_others_set_is_not_the_models_own(tmp_path: Path, name: str) -> None:
    assert not found(tmp_path, OTHERS_SET[name])["Net"].regardless


@pytest.mark.parametrize("name", OWN)
def test_a_failure_that_nothing_gets_past(tmp_path: Path, name: str) -> None:
    one = found(tmp_path, OWN[name])["Net"]
    assert one.call, one
    assert one.regardless, one
