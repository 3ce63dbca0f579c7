"""What the error of a constructor or of an operation says is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

CONVS = "CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)\n"
SOURCES = {
    "so many spatial dims": CONVS
    + """
class Net(nn.Module):
    def __init__(self, spatial_dims: int, in_channels: int):
        super().__init__()
        self.conv = CONVS[spatial_dims - 1](in_channels, 4, 3)
    def forward(self, x):
        y = self.conv(x)
        return y
""",
    "a number that chooses from a table": CONVS
    + """
class Net(nn.Module):
    def __init__(self, width: int, way: int):
        super().__init__()
        self.conv = CONVS[way](width, 4, 3)
    def forward(self, x):
        y = self.conv(x)
        return y
""",
    "one of these, without quotes": """
class Net(nn.Module):
    def __init__(self, flavour: str):
        super().__init__()
        if flavour not in ("tiny12", "small34"):
            raise ValueError(f"invalid flavour, must be one of {', '.join(('tiny12', 'small34'))}")
        self.fc = nn.Linear(8, 4)
    def forward(self, x):
        y = self.fc(x)
        return y
""",
    "a class method that builds one": """
class Net(nn.Module):
    def __init__(self, table):
        super().__init__()
        assert isinstance(table, Table), "a table is needed"
        self.fc = nn.Linear(table.width, 4)

    @classmethod
    def from_name(cls, model_name, **others):
        if model_name not in ("net-b0", "net-b1"):
            raise ValueError("model_name should be one of: " + ", ".join(("net-b0", "net-b1")))
        return cls(Table(8 if model_name == "net-b0" else 16), **others)

    def forward(self, x):
        y = self.fc(x)
        return y

class Table:
    def __init__(self, width, *, secret=None):
        assert width in (8, 16)
        self.width = width
""",
    "odd": """
class Net(nn.Module):
    def __init__(self, window_length: int):
        super().__init__()
        if window_length % 2 == 0:
            raise ValueError("window_length must be odd.")
        self.conv = nn.Conv1d(1, 1, window_length, padding=window_length // 2)
    def forward(self, x):
        y = self.conv(x)
        return y
""",
    "given to the class above by the class itself": """
class Base(nn.Module):
    def __init__(self, block, layers, spatial_dims, in_channels):
        super().__init__()
        self.conv = block(in_channels, layers, spatial_dims)
    def forward(self, x):
        y = self.conv(x)
        return y

class Net(Base):
    def __init__(self, layers=4, **kwargs):
        super().__init__(block=nn.Conv2d, layers=layers, **kwargs)
""",
    "names with a number": """
class Net(nn.Module):
    def __init__(self, d_in, dropout1, dropout2, kernel_size_1):
        super().__init__()
        self.conv = nn.Conv1d(d_in, 4, kernel_size_1)
        self.drops = nn.Sequential(nn.Dropout(dropout1), nn.Dropout(dropout2))
    def forward(self, x):
        y = self.drops(self.conv(x))
        return y
""",
    "a number that is no whole one": """
class Net(nn.Module):
    def __init__(self, forgetting: float):
        super().__init__()
        assert 0 <= forgetting < 1, "forgetting has to be below one"
        self.fc = nn.Linear(8, 8)
    def forward(self, x):
        y = self.fc(x)
        return y
""",
    "read of what is left over": """
class Part(nn.Module):
    def __init__(self, d_block, n_blocks):
        super().__init__()
        self.layers = nn.Sequential(*(nn.Linear(d_block, d_block) for _ in range(n_blocks)))
    def forward(self, x):
        return self.layers(x)

class Net(nn.Module):
    def __init__(self, *, n_features: int, **part):
        super().__init__()
        self.embed = nn.Linear(n_features, part["d_block"])
        self.part = Part(**part)
    def forward(self, x):
        y = self.part(self.embed(x))
        return y
""",
    "rows that are joined side by side": """
class Net(nn.Module):
    def __init__(self, n_obs, n_action):
        super().__init__()
        self.hidden = nn.Linear(n_obs + n_action, 4)
    def forward(self, state, action):
        h = torch.cat((state, action), dim=1)
        y = self.hidden(h)
        return y
""",
    "what a layer that is given has to be like": """
class Layer(nn.Module):
    def __init__(self, width, norm=True, freq=True):
        super().__init__()
        self.norm, self.freq = norm, freq
        self.fc = nn.Linear(width, width)
    def forward(self, x):
        return self.fc(x)

class Net(nn.Module):
    def __init__(self, layer, ratios):
        super().__init__()
        self.usual = isinstance(layer, Layer)
        assert not layer.norm
        assert layer.freq
        self.layers = nn.ModuleList(layer for _ in range(len(ratios) + 1))
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
""",
    "a layer of torch, by what is read of it": """
class Net(nn.Module):
    def __init__(self, link, scale=0.4):
        super().__init__()
        self.mu = nn.Linear(link.in_features, link.out_features, bias=link.bias is not None)
        self.noise = nn.Linear(link.in_features, link.out_features)
        self.scale = scale
    def forward(self, x):
        y = self.mu(x) + self.scale * self.noise(x)
        return y
""",
    "a kind of what is annotated": """
class Space:
    pass

class Discrete(Space):
    def __init__(self, n: int):
        self.n = n

class Net(nn.Module):
    def __init__(self, actions: Space):
        super().__init__()
        if not hasattr(actions, "n"):
            raise ValueError(f"unsupported: {actions}")
        self.head = nn.Linear(8, actions.n)
    def forward(self, x):
        y = self.head(x)
        return y
""",
    "as many as the module says": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w_size, self.times, self.taken = 48, 37, 2
        self.fc = nn.Linear(8, 8)
    def forward(self, x):
        if x.shape[0] < self.w_size:
            raise ValueError("batch size must be greater than or equal to w_size")
        assert x.shape[1] == self.times, "not so long"
        y = self.fc(x)
        return y
""",
    "an object that has what is read of it": """
class Net(nn.Module):
    def __init__(self, hp, words):
        super().__init__()
        self.embed = nn.Embedding(words.vocab_size, hp.n_embd, padding_idx=words.pad_idx)
        self.fc = nn.Linear(hp.n_embd, words.vocab_size)
    def forward(self, x):
        y = self.fc(self.embed(x))
        return y
""",
    "an object of a class that is called like it": """
class Alphabet:
    def __init__(self, letters: str = "abc", extra: int = 2):
        self.letters, self.padding_idx = letters, extra
    def __len__(self):
        return len(self.letters) + self.padding_idx

class Net(nn.Module):
    def __init__(self, alphabet):
        super().__init__()
        self.embed = nn.Embedding(len(alphabet), 8, padding_idx=alphabet.padding_idx)
    def forward(self, x):
        y = self.embed(x)
        return y
""",
    "a part that is made where it is asked for": """
class Net(nn.Module):
    def __init__(self, dim, cross_dim=None, kind="plain", gated=False):
        super().__init__()
        if cross_dim is not None:
            self.attn2 = nn.Linear(dim, dim)
        if kind == "ada":
            self.shift = nn.Linear(dim, dim)
        if not gated:
            self.plain = nn.Linear(dim, dim)
        else:
            self.gate = nn.Linear(dim, dim)
    def forward(self, x, attention_kwargs):
        attention_kwargs = attention_kwargs.copy()
        y = self.shift(self.attn2(x)) * self.gate(x)
        return y
""",
    "pictures of the size that what is flattened needs": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.Sequential(nn.Conv2d(4, 32, 8, stride=4), nn.Conv2d(32, 64, 4, stride=2), nn.Conv2d(64, 64, 3))
        self.fc = nn.Linear(3136, 6)
    def forward(self, x):
        h = self.convs(x)
        y = self.fc(h.view(h.shape[0], -1))
        return y
""",
    "what is annotated only names what others do": """
class Base(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.width = width

class Deeper(Base):
    def forward(self, x):
        "What is below says it."
        raise NotImplementedError("Subclasses must implement it.")

class Deep(Deeper):
    def __init__(self, width: int):
        super().__init__(width)
        self.fc = nn.Linear(width, width)
    def forward(self, x):
        return self.fc(x)

class Net(nn.Module):
    def __init__(self, preprocess: Base):
        super().__init__()
        self.preprocess = preprocess
        self.fc = nn.Linear(preprocess.width, 3)
    def forward(self, x):
        y = self.fc(self.preprocess(x))
        return y
""",
    "what is kept and called": """
class Net(nn.Module):
    def __init__(self, pi, weight):
        super().__init__()
        self.pi = pi
        self.weight = weight
    def forward(self, x):
        y = F.linear(self.pi(x), self.weight)
        return y
""",
    "a default that is no call, where a condition fails": """
@dataclass(frozen=True)
class Cfg:
    gated: bool = False
    def __repr__(self):
        return f"Cfg(gated={self.gated})"

class Net(nn.Module):
    def __init__(self, width: int, cfg=Cfg()):
        super().__init__()
        assert width == 4 or cfg.gated
        self.fc = nn.Linear(width, width)
    def forward(self, x):
        y = self.fc(x)
        return y
""",
    "one of the texts of an assertion": """
class Net(nn.Module):
    def __init__(self, rnn_type, width):
        super().__init__()
        assert rnn_type.upper() in ["LSTM", "GRU"]
        self.rnn = getattr(nn, rnn_type)(width, 4, batch_first=True)
    def forward(self, x):
        y = torch.view_as_real(self.rnn(x.imag)[0] + 0j)
        return y
""",
    "two of one shape": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
    def forward(self, image, guidance):
        if image.shape != guidance.shape:
            raise ValueError(f"Shape of image must equal that of guidance, got {image.shape} and {guidance.shape}.")
        y = self.conv(image) + self.conv(guidance)
        return y
""",
    "a rank that an operation needs": """
class Net(nn.Module):
    def forward(self, x):
        y = F.interpolate(x, scale_factor=2, mode="trilinear")
        return y
""",
}


@pytest.mark.parametrize("name", SOURCES)
def test_is_found(name: str, tmp_path: Path) -> None:
    works(tmp_path, SOURCES[name], found(tmp_path, SOURCES[name])["Net"])
