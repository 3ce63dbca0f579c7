"""Sizes and counts that an annotation, a loop or a failure says: how many there are of something, how large a picture
or a signal has to be, what kind of sequence is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.corrections import asked_for, suspects
from fx_lsp.worker.inference.demands import edits
from fx_lsp.worker.inference.inputs import Tensor
from fx_lsp.worker.inference.mismatches import mismatches
from fx_lsp.worker.inference.watch import Watch
from tests.worker.test_inference import found, works

MASKED = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(50, 8)
                self.rnn = nn.GRU(8, 8, batch_first=True)
            def forward(self, tokens, padding_mask):
                lengths = LENGTHS
                x = nn.utils.rnn.pack_padded_sequence(self.words(tokens), lengths, batch_first=True)
                x, _ = self.rnn(x)
                x, _ = nn.utils.rnn.pad_packed_sequence(x, batch_first=True)
                return x
        """

SOURCES = {
    "a number that can be divided by what nobody gave": (
        """
        class Net(nn.Module):
            def __init__(self, width: int, *, positional_features: int):
                super().__init__()
                self.fc = nn.Linear(positional_features, width)
                self.features = positional_features
            def positions(self, length, kinds=("near", "far", "around")):
                parts = len(kinds) * 2
                if self.features % parts != 0:
                    raise ValueError(f"feature size is not divisible by number of components ({parts})")
                return torch.ones(length, self.features // parts).repeat(1, parts)
            def forward(self, x):
                x = x + self.fc(self.positions(x.shape[1]))
                return x
        """,
        "positional_features=66",
    ),
    "as many sizes as the annotation has": (
        """
        class Net(nn.Module):
            def __init__(self, width: int, window_size: Tuple[int, int, int]):
                super().__init__()
                self.conv = nn.Conv3d(width, width, window_size, padding=1)
                self.shift = tuple(size // 2 for size in window_size)
                assert len(self.shift) == 3 and len(window_size) == 3
            def forward(self, x, resolution: Tuple[int, int, int]):
                depth, height, width = resolution
                b, length, c = x.shape
                assert length == depth * height * width, "wrong length"
                x = x.transpose(1, 2).reshape(b, c, depth, height, width)
                x = self.conv(x)
                return x
        """,
        "window_size=(3, 3, 3",
    ),
    "names, where the annotation says so": (
        """
        class Net(nn.Module):
            def __init__(self, surface_features: Tuple[str, ...], level_sizes: Tuple[str, ...], dims: List[str]):
                super().__init__()
                self.scales = nn.ParameterDict({name: torch.ones(1) for name in surface_features})
                self.names = sorted({*surface_features, *level_sizes, *dims})
                self.fc = nn.Linear(8, 4)
            def forward(self, x):
                x = self.fc(x) * self.scales[self.names[0]]
                return x
        """,
        "'",
    ),
    "a number that is counted to": (
        """
        class Net(nn.Module):
            def __init__(self, width, n_2xdown, repeated: int):
                super().__init__()
                layers = []
                for i in range(n_2xdown):
                    layers += [nn.Conv2d(width, width, 3, stride=2, padding=1), nn.InstanceNorm2d(width)]
                self.layers = nn.Sequential(*layers)
                self.more = nn.ModuleList([nn.Conv2d(width, width, 5) for _ in range(repeated)])
            def forward(self, x):
                x = self.layers(x)
                for one in self.more:
                    x = one(x)
                return x
        """,
        "n_2xdown=2",
    ),
    "a part of a signal from anywhere in it": (
        """
        import random
        class Net(nn.Module):
            def __init__(self, windows=(512, 4096)):
                super().__init__()
                self.windows = windows
                self.convs = nn.ModuleList(nn.Conv1d(1, 4, 9) for _ in windows)
            def forward(self, x):
                found = []
                for size, conv in zip(self.windows, self.convs):
                    start = random.randrange(x.size(-1) - size)
                    found.append(conv(x[:, :, start : start + size]))
                return found
        """,
        "f32[2, 1, ",
    ),
    "lengths that a mask says": (
        MASKED.replace("LENGTHS", "padding_mask.eq(0).long().sum(1).tolist()"),
        "torch.zeros(",
    ),
    "a list of lengths that a mask says": (
        MASKED.replace("LENGTHS", "list(padding_mask.data.eq(0).long().sum(1))"),
        "torch.zeros(",
    ),
    "what is added to what came in is some times as wide": (
        """
        class Block(nn.Module):
            def __init__(self, inplanes: int, planes: int):
                super().__init__()
                self.convs = nn.ModuleList(nn.Conv2d(inplanes, planes * 4, 1) for _ in range(3))
            def forward(self, x):
                parts = x.chunk(3, dim=1)
                y = torch.cat([conv(part) for conv, part in zip(self.convs, parts)], dim=1)
                y = y + x
                return y
        class Net(Block):
            pass
        """,
        "inplanes=",
    ),
    "numbers of an input that are compared": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.window = (1, 7, 7)
                self.fc = nn.Linear(8, 8)
            def forward(self, x, patch_res: Tuple[int, int, int]):
                assert x.shape[1] == patch_res[0] * patch_res[1] * patch_res[2], "size"
                assert patch_res[1] % self.window[1] == 0, "height"
                assert patch_res[2] % self.window[2] == 0, "width"
                x = self.fc(x).view(-1, *patch_res, 8)
                return x
        """,
        "7, 7)",
    ),
    "what is joined before it is normalized": (
        """
        class Net(nn.Module):
            def __init__(self, width: int):
                super().__init__()
                self.norm = nn.GroupNorm(4, 2 * width)
                self.conv = nn.Conv2d(2 * width, width, 3, padding=1)
                self.embed = nn.Linear(width, width)
            def forward(self, hidden_states, res_list: List[Tensor], temb):
                for res in res_list:
                    x = self.conv(self.norm(torch.cat([hidden_states, res], dim=1)))
                    hidden_states = x + self.embed(temb)[:, :, None, None]
                return hidden_states
        """,
        "[f32[2, 64, 32, 32]",
    ),
    "nothing, where what it is is of no kind": (
        """
        class Memory(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.LSTM(8, 8)
            def before(self, state, batch):
                if state is None:
                    return torch.zeros(1, batch, 8), torch.zeros(1, batch, 8)
                elif isinstance(state, dict):
                    return tuple(state.values())
                else:
                    raise TypeError("no such state: {}".format(type(state)))
            def forward(self, x, state):
                x, after = self.rnn(x, self.before(state, x.shape[1]))
                return x, after
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.model = Memory()
            def forward(self, data):
                y, after = self.model(data["seen"], data["last"])
                return {"y": y, "after": after}
        """,
        "'last': None",
    ),
    "no step ahead is what a message says of sizes": (
        """
        class Net(nn.Module):
            def __init__(self, hp):
                super().__init__()
                self.hp = hp
                self.fc = nn.Linear(8, hp["width"])
            def forward(self, x, y):
                if x.ndim != 2 or y.ndim != 1 or x.shape[0] != y.shape[0]:
                    raise ValueError(
                        f"not {x.shape}, {y.shape}, {x.ndim}, {y.ndim}"
                        f" of {x.size(0)}, {y.size(0)} in {x.dtype}, {y.dtype} on {x.device}, {y.device}"
                    )
                assert x.shape[1] % 4 == 0, f"{x.shape}, {x.ndim}, {x.size(0)} is not {y.shape}, {y.size(0)}"
                count = self.hp["max_features"]
                z = self.fc(x)[:, :count] * y[:, None]
                return z
        """,
        "max_features=",
    ),
    "a size of what another is given": (
        """
        class Rotary(nn.Module):
            def __init__(self, dim: int):
                super().__init__()
                self.register_buffer("frequencies", torch.ones(dim // 2))
            def rotate(self, t):
                assert type(self) is Rotary
                rotated = 2 * self.frequencies.shape[0]
                assert rotated <= t.shape[-1], f"{t.shape[-1]} is not enough to rotate all of {rotated}"
                angles = torch.arange(t.shape[-2])[:, None] * self.frequencies.repeat(2)
                return torch.cat([t[..., :rotated] * angles.cos(), t[..., rotated:]], dim=-1)
        class Net(nn.Module):
            def __init__(self, width: int, dim_head: int, rotary: Rotary):
                super().__init__()
                assert width % dim_head == 0, "width must be divisible by dim_head"
                self.dim_head, self.rotary = dim_head, rotary
                assert type(rotary) is Rotary
                self.fc = nn.Linear(width, width)
            def forward(self, x):
                heads = self.fc(x).unflatten(-1, (-1, self.dim_head)).transpose(1, 2)
                heads = self.rotary.rotate(heads)
                return heads
        """,
        "dim=16)",
    ),
    "lengths of which no more is called so than one": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(50, 8)
            def forward(self, src, src_len=None):
                x = self.words(src)
                mask = torch.arange(0, src_len.max(), device=src.device) >= src_len.unsqueeze(1)
                x = x.masked_fill(mask[:, :, None], 0.0)
                return x
        """,
        "i64[2, 16], torch.tensor([16, 15])",
    ),
    "a class that a configuration names": (
        """
        import importlib
        def made_of(config):
            if not "target" in config:
                raise KeyError("expected `target` to make something")
            module, name = config["target"].rsplit(".", 1)
            return getattr(importlib.import_module(module), name)(**config.get("params", dict()))
        class Layers(nn.Module):
            def __init__(self, *, ch, out_ch, resolutions, size, **ignored):
                super().__init__()
                sizes = [size // 2**n for n in range(3)]
                self.convs = nn.ModuleList(nn.Conv2d(ch, ch, 1) for one in sizes if one in resolutions)
                self.out = nn.Conv2d(ch, out_ch, 1)
            def forward(self, x):
                return self.out(x)
        class Net(nn.Module):
            def __init__(self, ddconfig, lossconfig, n_embed):
                super().__init__()
                self.encoder = Layers(**ddconfig)
                self.loss = made_of(lossconfig)
                self.conv = nn.Conv2d(ddconfig["out_ch"], n_embed, 1)
            def forward(self, x):
                x = self.conv(self.encoder(x))
                return x
        """,
        "lossconfig=dict(target='torch.nn.Identity')",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_sizes(tmp_path: Path, name: str) -> None:
    source, expected = SOURCES[name]
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert expected in one.call


def refused(message: str, *shapes: tuple[int, ...]) -> Attempt:
    """What failed in an operation on tensors of these shapes."""
    watch = Watch()
    watch.failing = ("add", list(shapes), ())
    return Attempt(None, RuntimeError(message), watch)


def test_what_is_spread_is_no_mismatch() -> None:
    attempt = refused("they do not go together", (2, 64, 128, 128), (1, 3, 1, 1))
    assert next(mismatches(attempt)) == (64, 3)


def test_what_got_two_more_dims_had_one_too_many() -> None:
    attempt = refused("Attempting to broadcast a dimension", (2, 64, 32, 32), (2, 16, 1, 1, 64))
    inputs = {"x": Tensor("f32", (2, 64, 32, 32)), "e": Tensor("f32", (2, 16, 64))}
    assert next(edits(attempt, inputs, []))["e"] == Tensor("f32", (2, 64))


def test_a_tuple_that_does_not_go_together_with_lists() -> None:
    attempt = refused('can only concatenate list (not "tuple") to list')
    given = {"first": "nn.Identity()", "width": "64", "dims": "(64, 32)"}
    assert suspects(attempt, None, list(given), given) == ["dims"]
    assert next(asked_for(attempt, "(64, 32)", None)) == "[64, 32]"


def test_what_another_runs_before_it_fails_is_looked_for(tmp_path: Path) -> None:
    source = """
        class Part(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 8)
            def forward(self, x):
                return self.fc(x)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.part = Part()
            def forward(self, x):
                y = self.part(x)
                if y.sum() > 0:
                    raise ValueError("not today")
                raise ValueError("nor tomorrow")
    """
    one = found(tmp_path, source, "Net", "Part")["Part"]
    works(tmp_path, source, one)


def test_layers_that_are_taken_from_another(tmp_path: Path) -> None:
    source = """
        class Whole(nn.Module):
            def __init__(self, block, layers):
                super().__init__()
                self.stem = nn.Conv2d(3, 6, 3)
                self.bn1 = nn.BatchNorm2d(6)
                self.relu1 = nn.ReLU()
                self.pool = nn.MaxPool2d(2, return_indices=True)
                self.rest = nn.Sequential(*(nn.Conv2d(6, 6, 1) for _ in range(layers[0])))
        class Net(nn.Module):
            def __init__(self, orig):
                super().__init__()
                self.stem = orig.stem
                self.bn1 = orig.bn1
                self.relu1 = orig.relu1
                self.pool = orig.pool
                self.rest = orig.rest
            def forward(self, x):
                x, indices = self.pool(self.relu1(self.bn1(self.stem(x))))
                x = self.rest(x)
                return x
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "orig=Whole(" in one.call


def test_a_table_that_has_a_row_for_each_id(tmp_path: Path) -> None:
    source = """
        class Other(nn.Module):
            def __init__(self, width: int, num_relations: int = 1):
                super().__init__()
                self.fc = nn.Linear(width, width * num_relations)
            def forward(self, x):
                return self.fc(x)
        class Net(nn.Module):
            def __init__(self, num_nodes: int, num_relations: int, hidden_channels: int):
                super().__init__()
                self.nodes = nn.Embedding(num_nodes, hidden_channels)
                self.relations = nn.Embedding(num_relations, hidden_channels)
            def forward(self, head_index: Tensor, rel_type: Tensor, tail_index: Tensor):
                head = self.nodes(head_index)
                relation = self.relations(rel_type)
                return head + relation - self.nodes(tail_index)
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


LENGTHS_OF = {
    "a mask that is made shorter": (
        """
        def padding(lengths):
            lengths = lengths.tolist()
            steps = torch.arange(max(lengths)).expand(len(lengths), max(lengths))
            return steps >= torch.tensor(lengths).unsqueeze(-1)

        class Net(nn.Module):
            def __init__(self, size: int):
                super().__init__()
                self.fc = nn.Linear(size, 8)
            def forward(self, xs_pad, ilens):
                mask = ~padding(ilens)[:, None, :]
                x = self.fc(xs_pad)[:, :-2:2]
                mask = mask[:, :, :-2:2]
                scores = x @ x.transpose(1, 2)
                return scores.masked_fill(~mask, -1e9).softmax(-1) @ x
        """,
        "torch.tensor([16, 15])",
    ),
    "a spectrogram": (
        """
        class Net(nn.Module):
            def __init__(self, n_mels: int = 80, hidden: int = 64):
                super().__init__()
                self.conv = nn.Conv1d(n_mels, hidden, 3, padding=1)
            def forward(self, mel, mel_lengths):
                x = self.conv(mel)
                mask = torch.arange(mel_lengths.max())[None] < mel_lengths[:, None]
                return x * mask[:, None]
        """,
        "torch.tensor([64, 63])",
    ),
    "one by a name that is also a number's": (
        """
        class Net(nn.Module):
            def __init__(self, odim: int):
                super().__init__()
                self.conv = nn.Conv1d(1, odim, 3, 2)
            def forward(self, x, x_len):
                x = self.conv(x.flatten(1).unsqueeze(1)).transpose(1, 2)
                lengths = (x_len - 1) // 2
                mask = torch.arange(x.size(1))[None, :] < lengths[:, None]
                return x * mask.unsqueeze(-1)
        """,
        "torch.tensor([16, 15])",
    ),
}


@pytest.mark.parametrize("name", LENGTHS_OF)
def test_lengths_are_those_of_the_sequences(tmp_path: Path, name: str) -> None:
    source, wanted = LENGTHS_OF[name]
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert wanted in one.call
