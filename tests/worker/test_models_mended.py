"""Mistakes whose mend is not where the model fails: one of the proposals is the edit, and the model runs with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.causes import explained
from fx_lsp.analysis.mends import proposals
from tests.worker.proposed import proposed
from tests.worker.tracing import trace

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"

SHUFFLED = """
def shuffled(x, groups):
    b, channels, h, w = x.size()
    each = channels // groups
    x = x.view(b, groups, each, h, w)
    return x.transpose(1, 2).reshape(b, channels, h, w)

class Net(nn.Module):
    def forward(self, x):
        return shuffled(x, 3)
"""

TWO_WAYS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Sequential(self.depthwise_conv(8, 8, kernel_size=3, stride=2, padding=1), nn.ReLU())
        self.other = nn.Sequential(self.depthwise_conv(8, 8, kernel_size=3, stride=2), nn.ReLU())

    @staticmethod
    def depthwise_conv(inp, out, kernel_size, stride=1, padding=0):
        return nn.Conv2d(inp, out, kernel_size, stride, padding, groups=inp)

    def forward(self, x):
        return torch.cat((self.one(x), self.other(x)), dim=1)
"""

MERGED = """
class Unit(nn.Sequential):
    def __init__(self, inp, out):
        super().__init__()
        self.add_module("conv", nn.Conv2d(inp, out, 3, padding=1))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lower = Unit(8, 8)
        self.merge = Unit(2 * 8, 8)

    def forward(self, x):
        lower = self.lower(x)
        return self.merge(torch.cat((lower.sigmoid() * x, x, lower), dim=1))
"""

CLASS_TOKEN = """
class Attention(nn.Module):
    def __init__(self, heads=2):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        b, n, _, h = *x.shape, self.heads
        return x.view(b, n, h, -1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = Attention()

    def forward(self, x):
        (first, rest), (second, others) = map(lambda t: (t[:, 0], t[:, 1:]), (x, x + 1))
        return self.attend(first)
"""

FRAMES = """
class Config:
    frames: int = 8

    @property
    def slow(self):
        return self.frames / 2

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cfg = Config()

    def forward(self, x):
        return x.index_select(1, torch.linspace(0, x.size(1) - 1, self.cfg.slow).long())
"""

BLOCK = """
class Net(nn.Module):
    def __init__(self, cin=8, cout=16, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, stride, padding=1)
        self.shortcut = None
        if stride != 1:
            self.shortcut = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        y = self.conv(x)
        return y + (x if self.shortcut is None else self.shortcut(x))
"""
PROJECTED = """
class Net(nn.Module):
    def __init__(self, cin=8, cout=16, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, stride, padding=1)
        self.shortcut = nn.Conv2d(cin, cout, 1, stride) if stride > 1 and stride < 9 else nn.Identity()

    def forward(self, x):
        return self.conv(x) + self.shortcut(x)
"""

SWAPPED = """
class Lateral(nn.Module):
    def forward(self, slow, fast):
        return fast, torch.cat([slow, fast], dim=1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = Lateral()
        self.other = Lateral()
        self.slow = nn.Conv1d(16, 8, 1)
        self.last = nn.Conv1d(16, 4, 1)

    def forward(self, x):
        slow, fast = x, x + 1
        slow, fast = self.one(slow, fast)
        slow = self.slow(slow)
        slow, fast = self.other(slow, fast)
        return self.last(slow)
"""

TOKENS = """
class Attention(nn.Module):
    def __init__(self, max_len):
        super().__init__()
        mask = torch.tril(torch.ones(max_len, max_len))
        self.register_buffer("mask", mask.view(1, max_len, max_len))

    def forward(self, x):
        steps = x.shape[1]
        scores = x @ x.transpose(1, 2)
        return scores.masked_fill(self.mask[:, :steps, :steps] == 0, -1e9).softmax(-1) @ x

class Block(nn.Module):
    def __init__(self, max_len):
        super().__init__()
        self.attend = Attention(max_len)

    def forward(self, x):
        return x + self.attend(x)

class Net(nn.Module):
    def __init__(self, context=4):
        super().__init__()
        self.blocks = nn.ModuleList([Block(context) for _ in range(2)])

    def forward(self, x):
        x = torch.cat([x, x, x], dim=1)
        for block in self.blocks:
            x = block(x)
        return x
"""

VIEWS = """
class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        return self.conv(x)

class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Stem()

    def forward(self, clip):
        return self.stem(clip.flip(2))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        views = torch.stack([x, x.flip(3)], dim=1)
        return self.inner(views)
"""

KEPT = """
class Net(nn.Module):
    def forward(self, x):
        kept = []
        for count in (2, 3):
            kept.append(torch.cat([torch.zeros(8 - count), torch.ones(count)]))
        keep = torch.stack(kept)
        x = x.masked_fill(~keep, 0.0)
        return x[keep]
"""

INTERLEAVED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(6, 2)

    def forward(self, x):
        b, t, d = x.shape
        h = torch.stack((x, x, x), dim=1).permute(0, 2, 1, 3).reshape(b, 3 * t, d)
        h = h.reshape(b, t, 3, d)
        return self.head(h[:, 1]) + x[..., :2]
"""

SPATIAL = """
class ConvRelu(nn.Sequential):
    def __init__(self, inp, out, kernel_size, padding=0):
        super().__init__(nn.Conv2d(inp, out, kernel_size=kernel_size, padding=padding), nn.ReLU())

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = ConvRelu(3, 3, kernel_size=5, padding=2)
        self.other = ConvRelu(3, 3, kernel_size=7)

    def forward(self, x):
        return self.one(x) + self.other(x)
"""

LAYERS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Conv1d(4, 4, 1) for _ in range(3)])
        self.merge = nn.Conv1d(12, 4, 1)

    def forward(self, x):
        xs = [x]
        for block in self.blocks:
            x = block(x)
            xs.append(x)
        return self.merge(torch.cat(xs, dim=1))
"""

SAMPLED = """
class Net(nn.Module):
    def forward(self, x):
        places = x.mean(dim=(2, 3))[:, :2].unsqueeze(1).expand(-1, 5, -1)
        return F.grid_sample(x, places, align_corners=True).squeeze(-1)
"""

PADDED = """
class Net(nn.Module):
    def forward(self, x):
        row = x[0]
        return F.pad(row, (0, 0, 3, 0)).unsqueeze(-1)
"""

SET = """
class Net(nn.Module):
    def forward(self, x):
        best = torch.zeros(3, 8)
        best[-1] = x * 2
        return best
"""

LEFT_OUT = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def made(self, x):
        mask = x > 0
        mean, scale = self.fc(x).chunk(2, dim=-1)
        return mean, scale.exp()

    def loss(self, outputs):
        mean, exp, mask = outputs
        return (mean * exp).sum() + mask.sum()

    def forward(self, x):
        return self.loss(self.made(x))
"""

HALF = """
class Net(nn.Module):
    def forward(self, x):
        height, width = x.shape[2:]
        half = (height / 2, width / 2)
        return F.interpolate(x, size=half, mode="bilinear", align_corners=False)
"""

SHRUNK = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(3, 3, kernel_size=7)
        self.other = nn.Conv2d(3, 3, kernel_size=5, padding=2)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        return self.other(self.pool(self.one(x)))
"""

STAGES = """
class Snake(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x):
        return x * self.alpha

class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        stages = []
        for stride in (2, 2):
            stages += [Snake(width), nn.Conv1d(width, width * 2, 2 * stride, stride)]
        self.stages = nn.Sequential(*stages)

    def forward(self, x):
        return self.stages(x)
"""

GROUPED = """
def conv(*args, **kwargs):
    return nn.Conv1d(*args, **kwargs)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = conv(6, 12, 3, groups=4)

    def forward(self, x):
        return self.conv(x)
"""

REDUCED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.L1Loss()

    def forward(self, x):
        each = F.mse_loss(x, x.detach()).mean(dim=(1, 2))
        return each + self.loss(x, x.detach()).mean(dim=(1, 2))
"""

NUMBERED = """
class Net(nn.Module):
    def forward(self, x):
        batch = []
        for number, count in enumerate((2, 3)):
            batch.append(torch.ones(count) * number)
        batch = torch.cat(batch)
        return x.new_zeros(2, 4).index_add(0, batch, x) + F.one_hot(batch, 2).sum()
"""

PAIRS = """
class Net(nn.Module):
    def near(self, x):
        return (x > 0).nonzero()

    def forward(self, x):
        edges = torch.cat([self.near(x), self.near(x[:, :1])[:1]], dim=1)
        source, target = edges
        return x[source, target]
"""

PACKED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4, batch_first=True)

    def forward(self, x):
        lengths = torch.tensor([2, 3, 5])
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        return self.rnn(packed)[1][0]
"""

PACKED_ALONG = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4, batch_first=True)

    def state(self, n):
        return torch.zeros(1, n, 4), torch.zeros(1, n, 4)

    def forward(self, x):
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([2, 3, 5]), enforce_sorted=False)
        out, (h, _) = self.rnn(packed, self.state(x.size(0)))
        return h
"""

SCATTERED = """
class Net(nn.Module):
    def forward(self, x):
        index = torch.tensor([0, 1, 0])
        wide = index.unsqueeze(-1).expand_as(x)
        return x.new_zeros(2, 4).scatter_add(0, index, x)
"""

ADDED = """
class Net(nn.Module):
    def forward(self, x):
        out = x.new_zeros(2, *x.shape[1:])
        return out.scatter_add_(0, torch.tensor([0, 1, 0]), x)
"""

NARROWER = """
class Net(nn.Module):
    def __init__(self, widths=(8, 16)):
        super().__init__()
        self.first = nn.Linear(4, widths[-1])
        widths = [*widths]
        widths[-1] /= 2
        self.second = nn.Linear(16, widths[-1])

    def forward(self, x):
        return self.second(self.first(x))
"""

HALVES = """
class Net(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.rnn = nn.LSTM(4, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x):
        out, (h, _) = self.rnn(x)
        return self.norm(out).mean(1) + torch.cat([h[-2], h[-1]], dim=-1)
"""

RANKED = """
def parameters(hp):
    rank, wide = hp["rank"], hp["wide"]
    return {"kernel": torch.randn(wide, rank + 2 * wide)}

class Net(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.p = parameters({"rank": dim / 4, "wide": dim})

    def forward(self, x):
        return x @ self.p["kernel"]
"""

PIECES = """
def parameters(rank, wide):
    return {"kernel": torch.randn(8, rank + wide)}

class Net(nn.Module):
    def __init__(self, rank=2, wide=8):
        super().__init__()
        self.p, self.rank, self.wide = parameters(rank, wide), rank, wide

    def forward(self, x):
        rank, wide = self.rank, self.wide
        a, b, c = torch.split(x @ self.p["kernel"], [rank, wide, wide], dim=-1)
        return b * c, a
"""

TALL = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, (5, 1))

    def forward(self, x):
        return self.conv(x)
"""

KEEP = """
class Net(nn.Module):
    def forward(self, x):
        mask = x[..., 0] > 0
        keep = mask[:, 1:]
        return x[:, 1:][mask]
"""

CASES = [
    (RANKED, "f32[2, 8]", "size-not-whole", '{"rank": dim // 4, "wide": dim}'),
    (PIECES, "f32[2, 8]", "split-sizes", "torch.randn(8, rank + 2 * wide)"),
    (TALL, "f32[2, 3, 4, 9]", "conv-kernel", "nn.Conv2d(3, 4, (4, 1))"),
    (KEEP, "f32[2, 5, 8]", "index-mask", "x[:, 1:][keep]"),
    (PACKED, "f32[3, 6, 4]", "packed-lengths", "batch_first=True, enforce_sorted=False)"),
    (SCATTERED, "f32[3, 4]", "index-tensor", "scatter_add(0, wide, x)"),
    (ADDED, "f32[3, 4, 5]", "index-tensor", "out.index_add_(0, "),
    (NARROWER, "f32[3, 4]", "size-not-whole", "widths[-1] //= 2"),
    (HALVES, "f32[2, 6, 4]", "index-range", "nn.LSTM(4, hidden // 2, batch_first=True, bidirectional=True)"),
    (STAGES, "f32[2, 4, 32]", "broadcast-sizes", "            width *= 2\n        self.stages"),
    (GROUPED, "f32[2, 6, 9]", "layer-numbers", "conv(6, 12, 3, groups=3)"),
    (NUMBERED, "f32[5, 4]", "index-tensor", "batch = torch.cat(batch).long()"),
    (HALF, "f32[2, 3, 8, 8]", "size-not-whole", "half = (height // 2, width // 2)"),
    (SHRUNK, "f32[2, 3, 6, 6]", "conv-kernel", "kernel_size=7, padding=3)"),
    (LEFT_OUT, "f32[2, 8]", "unpack-dims", "return mean, scale.exp(), mask"),
    (LEFT_OUT.replace("scale.exp()", "scale.exp(), mask, x").replace("mean, exp, mask =", "mean, exp, mask ="),
     "f32[2, 8]", "unpack-dims", "mean, exp, mask, _ = outputs"),
    (SWAPPED, "f32[2, 8, 9]", "conv-channels", "return torch.cat([slow, fast], dim=1), fast"),
    (TOKENS, "f32[2, 4, 8]", "broadcast-sizes", "Block(3 * context)"),
    (VIEWS, "f32[2, 3, 9, 9]", "conv-dims", "self.inner(views.flatten(0, 1))"),
    (KEPT, "f32[2, 8]", "bitwise-floats", "torch.stack(kept).bool()"),
    (INTERLEAVED, "f32[2, 4, 6]", "broadcast-sizes", "h.reshape(b, t, 3, d).transpose(1, 2)"),
    (SPATIAL, "f32[2, 3, 9, 9]", "broadcast-sizes", "ConvRelu(3, 3, kernel_size=7, padding=3)"),
    (LAYERS, "f32[2, 4, 9]", "conv-channels", "torch.cat(xs[1:], dim=1)"),
    (SAMPLED, "f32[2, 3, 9, 9]", "grid-sizes", "F.grid_sample(x, places.unsqueeze(2)"),
    (PADDED, "f32[2, 8]", "resize-sizes", "F.pad(row, (3, 0))"),
    (SET, "f32[2, 8]", "assigned-sizes", "best[-1] = (x * 2)[-1]"),
    (SHUFFLED, "f32[2, 8, 4, 4]", "view-elements", "shuffled(x, 2)"),
    (TWO_WAYS, "f32[2, 8, 9, 9]", "cat-sizes", "self.depthwise_conv(8, 8, kernel_size=3, stride=2, padding=1), nn.ReLU"
     "())\n        self.other = nn.Sequential(self.depthwise_conv(8, 8, kernel_size=3, stride=2, padding=1)"),
    (MERGED, "f32[2, 8, 9, 9]", "conv-channels", "torch.cat((lower.sigmoid() * x, lower), dim=1)"),
    (CLASS_TOKEN, "f32[2, 5, 8]", "unpack-dims", "(t[:, :1], t[:, 1:])"),
    (FRAMES, "f32[2, 8]", "size-not-whole", "return self.frames // 2"),
    (BLOCK, "f32[2, 8, 9, 9]", "broadcast-sizes", "if stride != 1 or cin != cout:"),
    (PROJECTED, "f32[2, 8, 9, 9]", "broadcast-sizes", "if (stride > 1 and stride < 9) or cin != cout else"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "shape", "code", "mended"), CASES, ids=lambda one: one[-30:])
def test_it_is_mended(tmp_path: Path, model: str, shape: str, code: str, mended: str) -> None:
    source, call = HEAD + model, f"Net()({shape})"
    failure = trace(tmp_path, source, call).failure
    assert failure is not None
    found = explained(failure)
    assert found is not None, failure
    assert found.code == code
    texts = proposed(tmp_path, source, failure)
    wanted = [text for text in texts if mended in text.replace("[", "(").replace("]", ")") or mended in text]
    assert wanted, texts
    after = trace(tmp_path, wanted[0], call)
    assert (trace(tmp_path, wanted[0], call, engine="real") if after.fallback else after).failure is None


def test_a_loss_is_not_reduced(tmp_path: Path) -> None:
    source, call = HEAD + REDUCED, "Net()(f32[2, 3, 8])"
    for mended in ('F.mse_loss(x, x.detach(), reduction="none")', 'nn.L1Loss(reduction="none")'):
        failure = trace(tmp_path, source, call).failure
        assert failure is not None
        texts = proposed(tmp_path, source, failure)
        source = next(text for text in texts if mended in text)
    assert trace(tmp_path, source, call).failure is None


def test_pairs_are_turned_into_two_rows(tmp_path: Path) -> None:
    source = HEAD + PAIRS
    failure = trace(tmp_path, source, "Net()(f32[2, 8])", engine="real").failure
    assert failure is not None
    texts = proposed(tmp_path, source, failure)
    assert any("(x > 0).nonzero().t()" in text for text in texts)


def test_sizes_that_a_tuple_spreads_are_told_of_by_their_names(tmp_path: Path) -> None:
    failure = trace(tmp_path, HEAD + CLASS_TOKEN, "Net()(f32[2, 5, 8])").failure
    assert failure is not None
    found = explained(failure)
    assert found is not None
    assert found.message == "`x` (f32[2, 8]) has 2 dims, and `b, n, _` takes 3"


@pytest.mark.parametrize(
    ("old", "new", "silly"),
    [("if stride != 1:", "if stride != 1 and cin != cout:", "(stride != 1 and cin != cout) or"),
     ("if stride != 1:", 'if cin in {"a", 8, "b"} and stride > 1:', "or cin != cin"),
     ("if stride != 1:", "if (ok := stride != 1):", "ok := stride != 1 or"),
     ("y = self.conv(x)\n", "y = self.conv(x)\n        if self.training:\n            print(x, self)\n", "x != self")],
)  # fmt: skip
def test_other_conditions_stay(tmp_path: Path, old: str, new: str, silly: str) -> None:
    source = HEAD + BLOCK.replace(old, new)
    failure = trace(tmp_path, source, "Net()(f32[2, 8, 9, 9])").failure
    assert failure is not None
    texts = proposed(tmp_path, source, failure)
    assert texts
    assert not any(silly in text for text in texts)


JOINED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.merge = nn.Linear(8, 4)

    def forward(self, x):
        xs = [x]
        return self.merge(torch.cat({entries}, dim=1).relu())
"""


@pytest.mark.parametrize(("entries", "kept"), [("[x, x + 1]", "self.merge((x + 1).relu())"),
                                               ("[*xs, x]", "torch.cat([*xs], dim=1).relu()")])  # fmt: skip
def test_the_one_that_is_left_stays_what_it_is(tmp_path: Path, entries: str, kept: str) -> None:
    source = HEAD + JOINED.format(entries=entries)
    failure = trace(tmp_path, source, "Net()(f32[2, 8])").failure
    assert failure is not None
    texts = proposed(tmp_path, source, failure)
    assert any(kept in text for text in texts)


def test_results_without_a_name_of_their_own_are_not_moved(tmp_path: Path) -> None:
    model = SWAPPED.replace("return fast, torch.cat([slow, fast], dim=1)", "return fast, slow, slow, slow")
    source = HEAD + model.replace("slow, fast = self.one(slow, fast)", "slow, _, fast, _ = self.one(slow, fast)")
    failure = trace(tmp_path, source, "Net()(f32[2, 8, 9])").failure
    assert failure is not None
    edits = proposals(failure, {str(tmp_path / "model.py"): source}.get)
    assert not any(one.title.startswith("Return") for one in edits)


def test_it_is_mended_where_it_was_packed(tmp_path: Path) -> None:
    source, call = HEAD + PACKED_ALONG, "Net()(f32[3, 6, 4])"
    failure = trace(tmp_path, source, call, engine="real").failure
    found = explained(failure) if failure is not None else None
    assert failure is not None
    assert found is not None
    assert found.code == "packed-lengths"
    (mended,) = [one for one in proposed(tmp_path, source, failure) if "enforce_sorted=False, batch_first=True)" in one]
    assert trace(tmp_path, mended, call, engine="real").failure is None
