"""Arguments in lists that are called, sizes that something is taken off, tensors that choose, arguments with prefixes:
what an error says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.worker.inference import search
from tests.worker.test_inference import found, works


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found is looked at, not how soon: a busy machine takes more of the processor for the same."""
    monkeypatch.setattr(search, "PER_CLASS", 2 * search.PER_CLASS)


MODELS = {
    "pairs of modules, called further in": """
class Kept(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
    def forward(self, *args):
        return self.net(*args)

class Pair(nn.Module):
    def __init__(self, f, g):
        super().__init__()
        self.f, self.g = Kept(f), Kept(g)
    def forward(self, x):
        one, other = x.chunk(2, dim=2)
        one = one + self.f(other)
        return torch.cat([one, other + self.g(one)], dim=2)

class Net(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList([Pair(f=f, g=g) for f, g in blocks])
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
""",
    "what is left of a size": """
class Net(nn.Module):
    def __init__(self, dim, seq_len, image_size=32):
        super().__init__()
        self.seq_len, self.image_size = seq_len, image_size
        self.query = nn.Linear(dim, dim)
    def forward(self, x, mask=None):
        b, n, _ = x.shape
        text = self.seq_len + 1 - self.image_size ** 2
        mask = torch.ones(b, text).bool() if mask is None else mask
        x = self.query(F.pad(x, (0, 0, 0, self.seq_len - n + 1)))
        y = torch.cat([x[:, :text] * mask[:, :, None], x[:, text:]], 1)
        return y
""",
    "labels that a constructor chooses by": """
class Net(nn.Module):
    def __init__(self, targets: Tensor):
        super().__init__()
        noise = torch.ones(len(targets), int(targets.max()) + 1)
        noise[torch.arange(len(targets)), targets] += 1.0
        self.register_buffer("noise", noise)
    def forward(self, x):
        y = x + self.noise[:1, :1]
        return y
""",
    "prefixes that are constants": """
FIRST, SECOND = "enc_", "dec_"

def parted(prefix, table):
    return {name[len(prefix):]: value for name, value in table.items() if name.startswith(prefix)}

class Half(nn.Module):
    def __init__(self, num_tokens, dim, depth):
        super().__init__()
        self.embed = nn.Embedding(num_tokens, dim)
        self.layers = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])
    def forward(self, x):
        x = self.embed(x)
        for layer in self.layers:
            x = layer(x)
        return x

class Net(nn.Module):
    def __init__(self, dim, **kwargs):
        super().__init__()
        self.first = Half(dim=dim, **parted(FIRST, kwargs))
        self.second = Half(dim=dim, **parted(SECOND, kwargs))
    def forward(self, one, other):
        y = self.first(one) + self.second(other)
        return y
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_models(tmp_path: Path, name: str) -> None:
    works(tmp_path, MODELS[name], found(tmp_path, MODELS[name])["Net"])
