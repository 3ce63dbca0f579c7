"""What several tensors and several constructors hand on: inputs that are unpacked, lists of no stated kind, what a
constructor gives the one above itself, pictures of several of a batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

MODELS = {
    "pictures, several of each of a batch": """
class Net(nn.Module):
    def __init__(self, frames):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(frames, 16, 8, 4), nn.ReLU(), nn.Conv2d(16, 32, 4, 2))
        self.fc = nn.Linear(2592, 5)
    def forward(self, state):
        b, n, frame, h, w = state.shape
        y = self.conv(state.view(-1, frame, h, w)).view(b, n, -1)
        y = self.fc(y)
        return y
""",
    "nothing by default, and needed in what the constructor calls": """
def layers(sizes):
    return nn.Sequential(*(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])))
class Base(nn.Module):
    def __init__(self, states: int, actions: int = None, kind: str = "some", **kwargs):
        super().__init__()
        self.states, self.actions = states, actions
class Middle(Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.model = layers([self.states, 8, self.actions])
class Net(Middle):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
    def forward(self, state):
        y = self.model(state)
        return y
""",
    "two tensors that are unpacked": """
class Net(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.query = nn.Linear(width, heads)
        self.out = nn.Linear(heads, width)
    def forward(self, query, encoder_out, mask=None):
        keys, values = encoder_out
        x = torch.bmm(self.query(query), keys)
        x = torch.bmm(x.softmax(-1), values)
        x = self.out(x)
        return x
""",
    "a state that is unpacked": """
class Net(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.cell = nn.LSTMCell(width, hidden)
    def forward(self, x, state):
        h, c = state
        h, c = self.cell(x, (h, c))
        y = h + c
        return y
""",
    "several of which the annotation does not say what they are": """
class Net(nn.Module):
    def __init__(self, in_channels, out_channels, nd=3):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, 1)
        self.nd = nd
    def forward(self, x: tuple):
        x = tuple(x)
        size = x[0].shape[-self.nd:]
        x = torch.cat([F.interpolate(one, size) if one.shape[-self.nd:] != size else one for one in x], 1)
        x = self.conv(x)
        return x
""",
    "one that may be left out, without an annotation, and is joined": """
class Net(nn.Module):
    def __init__(self, width, other):
        super().__init__()
        self.first = nn.Conv2d(width, other, 1)
        self.last = nn.Conv2d(other + other, width, 1)
    def forward(self, x, x2=None):
        x = self.first(x)
        if x2 is not None:
            x = torch.cat((x, x2), 1)
        x = self.last(x)
        return x
""",
    "what the constructor gives the one above by name": """
class Base(nn.Module):
    def __init__(self, width, other, block, activation="relu", **kwargs):
        super().__init__()
        self.block = block
        self.skip = nn.Conv2d(width, other, 1)
    def forward(self, x):
        y = self.block(x) + self.skip(x)
        return y
class Net(Base):
    def __init__(self, width, other, kernel_size=3, padding=1, **kwargs):
        super().__init__(
            width, other, block=nn.Conv2d(width, other, kernel_size=kernel_size, padding=padding, **kwargs), **kwargs
        )
""",
    "nothing by default, and multiplied with": """
class Net(nn.Module):
    def __init__(self, scale=None):
        super().__init__()
        self.factor = scale
    def forward(self, made, targets):
        rest = made - targets
        weight = self.factor
        rest = rest * weight
        return rest
""",
    "a pyramid of what has no places left": """
class Net(nn.Module):
    def __init__(self, levels=4):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 8, 8, 8), nn.Conv2d(8, 8, 4, 4))
        self.levels = levels
    def forward(self, x):
        x = self.first(x)
        h, w = x.shape[2:]
        y = x
        for size in torch.linspace(1, min(h, w) // 2, self.levels):
            part = F.avg_pool2d(x, (int(h / size), int(w / size)))
            y = y + F.interpolate(part, (h, w))
        return y
""",
    "a module that takes two, and of which the first parameter is asked for": """
class Net(nn.Module):
    def __init__(self, backbone: nn.Module):
        super().__init__()
        self.backbone = backbone
    def forward(self, x, t):
        kind = next(self.backbone.parameters()).dtype
        y = self.backbone(x.to(kind), t.to(kind))
        return y
""",
    "a module that takes names": """
class Net(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        if isinstance(self.decoder.attention, nn.ModuleList):
            self.encoder.layers = len(decoder.attention)
    def forward(self, text, targets=None, lengths=None):
        states = self.encoder(text, lengths=lengths)
        made, states, done = self.decoder(states, targets, lengths=lengths)
        y = made + 1
        return y
""",
    "the rest of the arguments is for a part": """
class Base(nn.Module):
    def __init__(self, width, other, block):
        super().__init__()
        self.block = block
    def forward(self, x):
        y = self.block(x)
        return y
class Net(Base):
    def __init__(self, width, other, **kwargs):
        super().__init__(width, other, nn.Conv2d(width, other, 3, **kwargs))
""",
    "a forward without self": """
class Net(nn.Module):
    @staticmethod
    def forward(x):
        y = x * torch.sigmoid(x)
        return y
""",
    "a text that it is compared with": """
class Net(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        if way == "twice":
            self.first = nn.Linear(12, 8)
    def forward(self, x, what: str = None):
        if what is None:
            raise ValueError("say what")
        if what == "encode":
            y = self.fc(self.first(x))
        elif what == "decode":
            y = self.first(x)
        return y
""",
    "asserted to be among the rest": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 6)
    def forward(self, scores, **kwargs):
        assert "target" in kwargs and "other_mask" in kwargs
        y = self.out(scores).mean() + kwargs["target"].float().mean() + kwargs["other_mask"].sum()
        return y
""",
    "nothing by default": """
class Net(nn.Module):
    def __init__(self, size: int = 0, inner: int = 0, heads: int = 0):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.Linear(size, inner), nn.Linear(inner, size)
    def forward(self, x):
        b, n, d = x.shape
        x = x.view(b, n, self.heads, -1).transpose(1, 2).reshape(b, n, d)
        y = self.second(self.first(x))
        return y
""",
    "called, and asked for something": """
class Net(nn.Module):
    def __init__(self, criterium):
        super().__init__()
        self.criterium = criterium  # must be a loss
        self.rule = criterium.rule
        self.criterium.rule = "none"
    def forward(self, pred, true):
        loss = self.criterium(pred, true)
        return loss * (1 if self.rule == "none" else 2)
""",
    "called, and asked for something at once": """
class Net(nn.Module):
    def __init__(self, whole):
        super().__init__()
        (self.whole,), self.size = (whole,), whole.size_of_it
    def forward(self, x):
        y = self.whole(x, x) * self.size
        return y
""",
    "a configuration made of a table, which complains by itself": """
class Config:
    def __init__(self, path_or_dict):
        if not isinstance(path_or_dict, dict):
            raise ValueError(f"no config is made of {type(path_or_dict)}")
        self._table = dict(path_or_dict)
    def _needed(self, key):
        if key not in self._table.keys():
            raise ValueError(f"{key} is not specified.")
        return self._table[key]
    @property
    def hidden_size(self):
        return self._needed("hidden_size")
    @property
    def outputs(self):
        if "outputs" in self._table:
            return self._table["outputs"]
        else:
            raise ValueError("No outputs ('outputs') are defined.")
    @property
    def head(self):
        return self._needed("head")
class Net(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.count = len(cfg.outputs) * (3 if cfg.head.lower() == "mixture" else 1)
        self.rnn = nn.LSTM(8, cfg.hidden_size)
        self.fc = nn.Linear(cfg.hidden_size, self.count)
    def forward(self, x):
        y = self.fc(self.rnn(x)[0])
        return y
""",
    "asserted to be there by then": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.length = nn.Linear(6, 6), None
    def remember(self, length: int):
        self.length = length
    def forward(self, x):
        assert self.length is not None, "say first how long it is"
        y = self.fc(x) * self.length
        return y
""",
    "raised where it is not there yet": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.scale = nn.Linear(6, 6), None
    def calibrate(self):
        self.scale = nn.Parameter(torch.ones(6))
    def forward(self, x):
        if self.scale is None:
            raise RuntimeError("calibrate it first")
        y = self.fc(x) * self.scale
        return y
""",
    "given by place besides, for a method": """
class Base(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.rate = nn.Parameter(torch.ones(1))
    def forward(self, x, *args):
        assert len(x.shape) == 2
        y = self.slope(x, *args)
        return y
class Net(Base):
    def slope(self, x, u, t):
        return torch.cat([x[:, [0]] * self.rate, x[:, [1]] + u.mean() * t.mean()], dim=-1)
""",
    "one of several kinds of thing": """
def table_of(given):
    if isinstance(given, tuple):
        made = nn.Embedding(given[0], given[1])
    elif isinstance(given, nn.Module):
        made = given
    else:
        raise TypeError(f"of no use: {type(given)}")
    return made
class Net(nn.Module):
    def __init__(self, words_width, out):
        super().__init__()
        self.table = table_of(words_width)
        self.fc = nn.Linear(self.table.embedding_dim, out)
    def forward(self, words):
        y = self.fc(self.table(words))
        return y
""",
    "a text that is refused, of which the message says no name": """
KNOWN = ["Wide", "Narrow", "Deep"]
def checked(given):
    if given not in KNOWN:
        raise ValueError(f"'{given}' is not in {KNOWN}")
    return given
class Net(nn.Module):
    def __init__(self, layers: int, out: int, form: str, beside: str):
        super().__init__()
        def block(layers, out, form):
            return nn.Sequential(*(nn.Linear(out, out) for _ in range(layers))) if checked(form) else None
        self.net = block(layers, out, form)
    def forward(self, x):
        y = self.net(x)
        return y
""",
    "a part that needs weights, of which more is read": """
class Pretrained(nn.Module):
    def __init__(self, path: str):
        super().__init__()
        self.table = torch.load("/nowhere/" + path)
    def forward(self, words):
        return self.table(words)
class Net(nn.Module):
    def __init__(self, embed: Pretrained, labels: int = 2):
        super().__init__()
        self.base = embed
        self.fc = nn.Linear(self.base.embedding_dim, labels)
        if not self.base.model.with_ends:
            self.base.model.with_ends = True
    def forward(self, words):
        y = self.fc(self.base(words)[:, 0])
        return y
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_found(tmp_path: Path, name: str) -> None:
    works(tmp_path, MODELS[name], found(tmp_path, MODELS[name])["Net"])


def test_a_class_that_has_another_meaning_for_modules(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(5, 5)
        def modules(self):
            return {"fc": self.fc}
        def forward(self, x):
            y = self.fc(x)
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_a_protocol_as_an_annotation(tmp_path: Path) -> None:
    source = """
    from typing import Protocol, runtime_checkable

    @runtime_checkable
    class Layer(Protocol):
        width: int
        def forward(self, x): ...

    class Net(nn.Module):
        def __init__(self, layer: Layer = None):
            super().__init__()
            assert layer is not None, "a layer is required"
            self.layer = layer
        def forward(self, x):
            y = x + 1
            return y
    """
    assert "the search ended" not in found(tmp_path, source)["Net"].why
