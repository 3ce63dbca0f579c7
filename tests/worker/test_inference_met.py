"""Sizes that are found since something met what it did not fit: where two ways are joined, what has to be alike, what
one input says of another."""

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
    "sines and cosines that are as wide as a head": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_q, self.heads = nn.Linear(1024, 1024), 32
    def forward(self, x, cos: Tensor, sin: Tensor):
        b, t, c = x.shape
        q = self.to_q(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
        one, other = q.chunk(2, -1)
        y = q * cos + torch.cat([-other, one], -1) * sin
        return y
""",
    "ids of which each of a batch has rows": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 4)
    def forward(self, ids):
        if ids[0].size(1) > 64:
            raise ValueError("too long")
        x = self.words(ids)
        return x
""",
    "what is written in places of a cache": """
class Net(nn.Module):
    def __init__(self, shape: Tuple[int, int, int, int] = (2, 4, 32, 8)):
        super().__init__()
        self.register_buffer("kept", torch.zeros(shape))
    def forward(self, input_pos: Tensor, k: Tensor):
        y = self.kept.index_copy(2, input_pos, k)
        return y
""",
    "a signal that has to be long in the end": """
class Net(nn.Module):
    def __init__(self, width: int = 8):
        super().__init__()
        self.stem = nn.Conv1d(4, width, 15, stride=8, padding=7)
        self.stages = nn.Sequential(*(nn.Conv1d(width, width, 3, stride=2, padding=1) for _ in range(3)))
        self.target_length = 6000
    def forward(self, x):
        x = self.stages(self.stem(x))
        if x.shape[-1] < self.target_length:
            raise ValueError(f"sequence length {x.shape[-1]} is less than target length {self.target_length}")
        y = x[..., -self.target_length :]
        return y
""",
    "two ways that differ by one": """
class Net(nn.Module):
    def __init__(self, width: int = 8, levels: int = 3):
        super().__init__()
        self.first = nn.Conv2d(1, width, 3)
        self.down = nn.ModuleList(nn.Conv2d(width, width, 3) for _ in range(levels))
        self.up = nn.ModuleList(nn.Conv2d(2 * width, width, 3) for _ in range(levels))
        self.pool = nn.MaxPool2d(2)
    def crop(self, skip, x):
        cut = (torch.tensor(skip.shape[2:]) - torch.tensor(x.shape[2:])) // 2
        return F.pad(skip, [-int(n) for n in cut.flip(0).repeat_interleave(2)])
    def forward(self, x):
        x = self.first(x)
        skips = []
        for layer in self.down:
            skips.append(x)
            x = layer(self.pool(x))
        for layer, skip in zip(self.up, reversed(skips)):
            x = F.interpolate(x, scale_factor=2)
            x = layer(torch.cat([self.crop(skip, x), x], dim=1))
        return x
""",
    "pairs of as many fields as an input has": """
class Net(nn.Module):
    def __init__(self, num_fields, embed_dim):
        super().__init__()
        count = num_fields * (num_fields - 1) // 2
        self.kernel = nn.Parameter(torch.zeros(embed_dim, count))
    def forward(self, x):
        n = x.shape[1]
        row = [i for i in range(n) for j in range(i + 1, n)]
        col = [j for i in range(n) for j in range(i + 1, n)]
        y = x[:, row] * x[:, col] * self.kernel.t()
        return y
""",
    "all sizes but the last": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(24, 4)
    def forward(self, kinds, found=None):
        assert found is not None
        assert kinds.shape == found.shape[:-1]
        y = self.fc(found).sum(-1) * kinds
        return y
""",
    "sizes of another input, and one more": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
    def forward(self, kinds: Tensor, where: Optional[Tensor] = None):
        assert where is not None
        assert kinds.dim() == 2
        assert where.shape == (kinds.shape[0], kinds.shape[1], 3)
        y = self.fc(where).sum(-1) * kinds
        return y
""",
    "sizes of what came of an input": """
class Net(nn.Module):
    def __init__(self, n_mels: int = 10, n_ctx: int = 24, n_state: int = 8):
        super().__init__()
        self.one = nn.Conv1d(n_mels, n_state, 3, padding=1)
        self.two = nn.Conv1d(n_state, n_state, 3, stride=2, padding=1)
        self.register_buffer("places", torch.zeros(n_ctx, n_state))
    def forward(self, x: Tensor):
        x = self.two(self.one(x)).permute(0, 2, 1)
        assert x.shape[1:] == self.places.shape, "incorrect audio shape"
        x = x + self.places
        return x
""",
    "to which of several graphs each node belongs": """
class Net(nn.Module):
    def __init__(self, in_feats, steps, num_layers=1):
        super().__init__()
        self.width, self.steps, self.num_layers = in_feats, steps, num_layers
        self.lstm = nn.LSTM(2 * in_feats, in_feats, num_layers)
    def forward(self, x, batch):
        count = batch.max().item() + 1
        h = (x.new_zeros((self.num_layers, count, self.width)), x.new_zeros((self.num_layers, count, self.width)))
        star = x.new_zeros(count, 2 * self.width)
        for _ in range(self.steps):
            q, h = self.lstm(star.unsqueeze(0), h)
            q = q.view(count, self.width)
            e = (x * q[batch]).sum(dim=-1, keepdim=True)
            r = x.new_zeros(count, self.width).index_add_(0, batch, e * x)
            star = torch.cat([q, r], dim=-1)
        return star
""",
    "a number for each edge of a sparse matrix": """
class Net(nn.Module):
    def __init__(self, in_feat):
        super().__init__()
    def forward(self, x, edge_index, edge_attr):
        count = x.shape[0]
        row, col = edge_index
        degrees = torch.zeros(count).scatter_add_(0, row, torch.ones(col.shape[0]))
        adj = torch.sparse_coo_tensor(edge_index, degrees[row] * edge_attr, size=(count, count))
        y = adj.mm(x)
        return y
""",
    "lengths from the longest to the shortest": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(10, 8)
        self.rnn = nn.LSTM(8, 8, batch_first=True)
    def forward(self, chars, lengths):
        if (lengths[1:] > lengths[:-1]).any() or lengths[0] <= 2:
            raise ValueError("lengths must be sorted in decreasing order")
        x = self.words(chars)
        x = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        x, (h, c) = self.rnn(x)
        y, _ = nn.utils.rnn.pad_packed_sequence(x, batch_first=True)
        return y
""",
    "a share of one": """
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 4)
        self.register_buffer("means", torch.zeros(11, 4))
    def forward(self, x, truncation):
        assert 0 < truncation <= 1
        rest, start = math.modf(truncation / 0.1)
        y = self.fc(x) - self.means[int(start)] * rest
        return y
""",
    "a mask of as many dims as what it is put into": """
class Net(nn.Module):
    def __init__(self, width: int, length: int):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(length, length))
        self.value = nn.Linear(width, width)
    def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor] = None):
        n = x.shape[0]
        if mask is not None:
            assert mask.shape[0] == 1 or mask.shape[0] == n
            assert mask.shape[1] == n
            assert mask.shape[2] == 1 or mask.shape[2] == x.shape[1]
        bias = (self.bias[:n, :n] * 1).unsqueeze(-1)
        bias.masked_fill_(~mask, -1e9)
        y = torch.einsum("ijb,jbd->ibd", bias.softmax(1), self.value(x))
        return y
""",
    "what failed where nothing needs a gradient": """
class Net(nn.Module):
    def __init__(self, gamma: float):
        super().__init__()
        self.gamma = gamma
    def forward(self, scores: torch.Tensor, target: torch.Tensor, done: torch.Tensor, reward: torch.Tensor):
        with torch.no_grad():
            best = target.gather(-1, target.argmax(-1).unsqueeze(-1)).squeeze(-1)
            wanted = reward + self.gamma * best * (1 - done)
        y = (scores.amax(-1) - wanted).abs()
        return y.mean()
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_sizes_are_found_by_what_they_met(tmp_path: Path, name: str) -> None:
    works(tmp_path, MODELS[name], found(tmp_path, MODELS[name])["Net"])


def test_a_documented_size_is_that_which_the_constructor_was_given(tmp_path: Path) -> None:
    pairs = MODELS["pairs of as many fields as an input has"]
    said = (
        '"""\n        :param x: Float tensor of size ``(batch_size, num_fields, embed_dim)``\n        """\n        n = '
    )
    source = pairs.replace("n = ", said, 1)
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "f32[2, 64, 64]" in one.call
