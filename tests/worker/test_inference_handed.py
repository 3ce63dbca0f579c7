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
}


@pytest.mark.parametrize("name", MODELS)
def test_found(tmp_path: Path, name: str) -> None:
    works(tmp_path, MODELS[name], found(tmp_path, MODELS[name])["Net"])
