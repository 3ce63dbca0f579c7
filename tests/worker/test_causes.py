"""Why a call failed, with both engines: on the expression, in words that name what is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.causes import Explanation, explained
from tests.worker.tracing import trace

MODEL = """
import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {built}

    def forward(self, {names}):
        return {failing}
"""

CASES = [
    ("self.attention = nn.MultiheadAttention(8, 2)", "self.attention(x.double(), x, x)", "f32[2, 3, 8]", "mixed-dtypes",
     "`self.attention` takes one type, and its queries (f64[2, 3, 8]) and its keys (f32[2, 3, 8]) are of two"),
    ("self.attention = nn.MultiheadAttention(8, 2)", "self.attention(x, x, x)", "f64[2, 3, 8]", "mixed-dtypes",
     "`self.attention` takes one type, and its queries (f64[2, 3, 8]) and its weight (f32[24, 8]) are of two"),
    ("", "torch.roll(x, x.shape[1] / 2, 1)", "f32[2, 8]", "size-not-whole",
     "a size is a whole number, and `x.shape[1] / 2` is a float: `//` divides to one"),
    ("self.n = 2.0", "torch.linspace(0, 1, steps=self.n)", "f32[2, 8]", "size-not-whole",
     "a size is a whole number, and `self.n` is a float: `//` divides to one"),
    ("", "torch.stft(x, 4, hop_length=len(x) / 2, return_complex=True)", "f32[2, 64]", "size-not-whole",
     "a size is a whole number, and `len(x) / 2` is 1.0: `//` divides to one"),
    ("", "x.select(1, 1.5)", "f32[2, 8]", "size-not-whole",
     "a size is a whole number, and `1.5` is 1.5: `//` divides to one"),
    ("", "F.interpolate(x[:, None], size=len(x) / 2)", "f32[2, 8]", "size-not-whole",
     "a size is a whole number, and `len(x) / 2` is 1.0: `//` divides to one"),
    ("self.fc = nn.Linear(8, 4)", "self.fc(x)", "f32[2, 16]", "linear-features",
     "`self.fc` takes 8 features in the last dim, and `x` (f32[2, 16]) has 16"),
    ("self.fc = nn.Linear(8, 4)", "self.fc(x.transpose(1, 2))", "f32[2, 3, 8]", "linear-features",
     "`self.fc` takes 8 features in the last dim, and `x.transpose(1, 2)` (f32[2, 8, 3]) has 3; its dim 1 has 8"),
    ("self.net = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(5, 2))", "self.net(x)", "f32[2, 8]",
     "linear-features", "`self.net[2]` takes 5 features in the last dim, and its input (f32[2, 4]) has 4"),
    ("self.w = nn.Parameter(torch.ones(4, 8))", "F.linear(x, self.w)", "f32[2, 16]", "linear-features",
     "`F.linear` takes 8 features in the last dim, and `x` (f32[2, 16]) has 16"),
    ("self.conv = nn.Conv2d(3, 8, 3)", "self.conv(x)", "f32[2, 32, 32, 3]", "conv-channels",
     "`self.conv` takes 3 channels in dim 1, and `x` (f32[2, 32, 32, 3]) has 32; its last dim has them"),
    ("self.conv = nn.Conv2d(3, 8, 3)", "self.conv(x)", "f32[32, 32]", "conv-dims",
     "`self.conv` takes [batch, 3, height, width], or the same without a batch, and `x` (f32[32, 32]) has 2 dims"),
    ("self.up = nn.ConvTranspose1d(4, 2, 2)", "self.up(x)", "f32[2, 5, 9]", "conv-channels",
     "`self.up` takes 4 channels in dim 1, and `x` (f32[2, 5, 9]) has 5"),
    ("self.conv = nn.Conv2d(3, 8, 7)", "self.conv(x)", "f32[2, 3, 5, 32]", "conv-kernel",
     "the kernel of `self.conv` covers 7, and dim 2 of `x` (f32[2, 3, 5, 32]) has 5"),
    ("self.norm = nn.LayerNorm(8)", "self.norm(x)", "f32[2, 3]", "norm-features",
     "`self.norm` takes 8 in the last dim, and `x` (f32[2, 3]) ends otherwise"),
    ("self.norm = nn.BatchNorm2d(8)", "self.norm(x)", "f32[2, 4, 5, 5]", "norm-features",
     "`self.norm` takes 8 features in dim 1, and `x` (f32[2, 4, 5, 5]) has 4"),
    ("self.norm = nn.BatchNorm1d(8)", "self.norm(x)", "f32[2, 8, 5, 5]", "norm-features",
     "`self.norm` takes 2 or 3 dims, and `x` (f32[2, 8, 5, 5]) has 4"),
    ("self.words = nn.Embedding(10, 4)", "self.words(x)", "f32[2, 3]", "embedding-ids",
     "`self.words` looks up ids, whole numbers of i64 or i32, and `x` (f32[2, 3]) holds f32"),
    ("self.rnn = nn.LSTM(8, 4, batch_first=True)", "self.rnn(x)", "f32[2, 3, 6]", "recurrent-features",
     "`self.rnn` takes 8 features in the last dim, and `x` (f32[2, 3, 6]) has 6"),
    ("self.att = nn.MultiheadAttention(8, 2)", "self.att(x, x, x)", "f32[2, 5, 3, 8]", "attention-sizes",
     "`self.att` takes 2 or 3 dims, and `x` (f32[2, 5, 3, 8]) has 4"),
    ("self.att = nn.MultiheadAttention(8, 2)", "self.att(x, x, x)", "f32[2, 3, 6]", "attention-sizes",
     "`self.att` takes 8 features of a query, and `x` (f32[2, 3, 6]) has 6"),
    ("", "F.scaled_dot_product_attention(x, y, y)", "f32[2, 4, 3, 8]; f32[2, 4, 3, 6]", "attention-sizes",
     "the last dims of `x` (f32[2, 4, 3, 8]) and `y` (f32[2, 4, 3, 6]) are 8 and 6, and each query is compared with"
     " each key"),
    ("", "x @ y", "f32[2, 3, 8]; f32[2, 3, 8]", "matmul-sizes",
     "`@`: the last dim of `x` (f32[2, 3, 8]) has 8, and the dim before the last of `y` (f32[2, 3, 8]) has 3;"
     " `y.transpose(-2, -1)` would fit"),
    ("", "torch.bmm(x, y)", "f32[2, 3, 8]; f32[4, 8, 3]", "matmul-sizes",
     "`torch.bmm`: `x` (f32[2, 3, 8]) has a batch of 2, and `y` (f32[4, 8, 3]) one of 4"),
    ("", "x + y", "f32[2, 3, 8]; f32[3]", "broadcast-sizes",
     "`+`: the last dim of `x` (f32[2, 3, 8]) has 8, and that of `y` (f32[3]) has 3"),
    ("", "torch.distributions.Normal(x, y)", "f32[8, 3]; f32[8, 64]", "broadcast-sizes",
     "`torch.distributions.Normal`: the last dim of `x` (f32[8, 3]) has 3, and that of `y` (f32[8, 64]) has 64"),
    ("", "torch.where(x > 0, x, y)", "f32[2, 3, 8]; f32[2, 4, 8]", "broadcast-sizes",
     "`torch.where`: dim -2 of `x > 0` (b8[2, 3, 8]) has 3, and that of `y` (f32[2, 4, 8]) has 4"),
    ("", "torch.cat([x, y], dim=1)", "f32[2, 3, 8]; f32[2, 4, 7]", "cat-sizes",
     "dim 2 is 8 in f32[2, 3, 8] and 7 in f32[2, 4, 7], number 1 of what `torch.cat` gets, which joins them along"
     " dim 1"),
    ("", "torch.stack((x, y))", "f32[2, 3]; f32[2, 4]", "cat-sizes",
     "dim 1 is 3 in f32[2, 3] and 4 in f32[2, 4], number 1 of what `torch.stack` gets, which takes equal sizes"),
    ("", "x.split([2, 5], dim=-1)", "f32[2, 3, 4]", "split-sizes",
     "dim 2 of `x` (f32[2, 3, 4]) has 4, and the parts [2, 5] of `split` are 7 together"),
    ("", "torch.split(x, [1, 1], 1)", "f32[2, 3, 4]", "split-sizes",
     "dim 1 of `x` (f32[2, 3, 4]) has 3, and the parts [1, 1] of `torch.split` are 2 together"),
    ("", "x.view(x.size(0), 10)", "f32[2, 3, 4]", "view-elements",
     "`x` (f32[2, 3, 4]) has 24 elements, and [2, 10] has 20"),
    ("", "x.reshape(-1, 7)", "f32[2, 3, 4]", "view-elements",
     "`x` (f32[2, 3, 4]) has 24 elements, which 7 does not divide: `reshape` to [-1, 7]"),
    ("", "x.transpose(1, 2).view(2, -1)", "f32[2, 3, 4]", "view-elements",
     "`x.transpose(1, 2)` (f32[2, 4, 3]) does not lie in one piece in this order: its dims were moved; `reshape`"
     " copies, `view` cannot"),
    ("", "x.transpose(2, 3)", "f32[2, 3, 4]", "dim-range",
     "`transpose` is asked for dim 3, and `x` (f32[2, 3, 4]) has 3: 0 to 2"),
    ("", "x.permute(0, 2)", "f32[2, 3, 4]", "dim-range",
     "`permute` takes each dim once, and [0, 2] is not all 3 of `x` (f32[2, 3, 4])"),
    ("", "F.softmax(x, dim=2)", "f32[2, 3]", "dim-range",
     "`F.softmax` is asked for dim 2, and `x` (f32[2, 3]) has 2: 0 to 1"),
    ("", 'torch.einsum("bij,bjk->bik", x, y)', "f32[2, 3, 4]; f32[2, 5, 6]", "einsum-sizes",
     "`j` is 4 in `x` (f32[2, 3, 4]) and 5 in `y` (f32[2, 5, 6])"),
    ("", "x.expand(8, -1)", "f32[2, 3]", "expand-sizes",
     "dim 0 of `x` (f32[2, 3]) has 2, and only a dim of 1 can be expanded, here to 8"),
    ("", "x.gather(1, torch.tensor([[0, 3]]))", "f32[2, 3]", "index-range",
     "`gather` asks for 3 in dim 1, and `x` (f32[2, 3]) has 3 there"),
    ("", "torch.index_select(x, -1, torch.arange(5))", "f32[2, 3]", "index-range",
     "`torch.index_select` asks for 4 in dim 1, and `x` (f32[2, 3]) has 3 there"),
    ("", "x[:, 3]", "f32[2, 3]", "index-range", "the index asks for 3 in dim 1, and `x` (f32[2, 3]) has 3 there"),
    ("", "x[..., 1]", "f32[2, 3, 1]", "index-range",
     "the index asks for 1 in dim 2, and `x` (f32[2, 3, 1]) has 1 there"),
    ("", "x[0, 0, 0]", "f32[2, 3]", "index-range", "the index takes 3 dims, and `x` (f32[2, 3]) has 2"),
    ("", "F.cross_entropy(x, y)", "f32[2, 5, 10]; i64[2, 5]", "loss-sizes",
     "`F.cross_entropy` takes classes in dim 1 of `x` (f32[2, 5, 10]), and so a target of [2, 10]; `y` (i64[2, 5]) is"
     " of other sizes; its last dim may be the classes"),
    ("", "F.cross_entropy(x, y.argmax(1), weight=torch.ones(3))", "f32[2, 5]; f32[2, 5]", "loss-sizes",
     "`F.cross_entropy` takes a weight for each class, [5] for `x` (f32[2, 5]), and `torch.ones(3)` (f32[3]) is"
     " of other sizes"),
    ("", "F.binary_cross_entropy_with_logits(x, y, pos_weight=torch.ones(2))", "f32[4, 3]; f32[4, 3]", "loss-sizes",
     "`F.binary_cross_entropy_with_logits` takes a weight for each class, [3] for `x` (f32[4, 3]), and"
     " `torch.ones(2)` (f32[2]) is of other sizes"),
    ("", "F.ctc_loss(x.log_softmax(-1), y.long(), torch.tensor([9, 8]), torch.tensor([3, 2]))",
     "f32[2, 9, 5]; f32[2, 3]", "loss-sizes",
     "`F.ctc_loss` takes a length for each of the batch, 9 in dim 1 of `x.log_softmax(-1)` (f32[2, 9, 5]), and"
     " `torch.tensor([9, 8])` (i64[2]) has 2; the batch may be its first dim"),
    ("", "F.binary_cross_entropy_with_logits(x, y)", "f32[2, 1]; f32[2]", "loss-sizes",
     "`F.binary_cross_entropy_with_logits` takes equal sizes, and `x` (f32[2, 1]) and `y` (f32[2]) are not"),
    ("", "F.cross_entropy(x, y)", "f32[2, 5]; f32[2]", "loss-dtypes",
     "`F.cross_entropy` takes the numbers of classes, i64, and `y` (f32[2]) holds f32"),
    ("", "F.binary_cross_entropy_with_logits(x, y)", "f32[2]; i64[2]", "loss-dtypes",
     "`F.binary_cross_entropy_with_logits` takes a target of floats, and `y` (i64[2]) holds i64"),
    ("", "torch.cat([x, y], 2)", "f32[2, 3]; f32[2, 3]", "dim-range",
     "`torch.cat` is asked for dim 2, and `[x, y][0]` (f32[2, 3]) has 2: 0 to 1"),
    ("self.fc = nn.Linear(8, 4)", "self.fc(x)", "i64[2, 8]", "mixed-dtypes",
     "`self.fc` takes one type, and its input (i64[2, 8]) and its weight (f32[4, 8]) are of two"),
    ("", "x[0] < y", "f32[2, 3, 8]; f32[2]", "broadcast-sizes",
     "`<`: the last dim of `x[0]` (f32[3, 8]) has 8, and that of `y` (f32[2]) has 2"),
    ("", "torch.mm(x, y)", "f32[2, 3, 8]; f32[2, 8, 3]", "matmul-sizes",
     "`torch.mm` takes 2 dims, and `x` (f32[2, 3, 8]) has 3"),
    ("", "torch.mm(x, y)", "f32[2, 3]; f64[3, 8]", "mixed-dtypes",
     "`torch.mm` takes one type, and `x` (f32[2, 3]) and `y` (f64[3, 8]) are of two"),
    ("", "F.one_hot(x, 4)", "f32[2]", "embedding-ids",
     "`F.one_hot` takes numbers of classes, i64, and `x` (f32[2]) holds f32"),
    ("self.norm = nn.LayerNorm(8)", "self.norm(torch.max(x, 1))", "f32[2, 3, 8]", "tensor-expected",
     "`self.norm` takes a tensor, and `torch.max(x, 1)` is a tuple of 2: (f32[2, 8], i64[2, 8])"),
    ("self.rnn = nn.GRU(8, 4, 2, batch_first=True)", "self.rnn(x, y)", "f32[2, 3, 8]; f32[1, 2, 4]", "recurrent-state",
     "`self.rnn` takes a state of [2, 2, 4], [layers and directions, batch, features], and `y` (f32[1, 2, 4]) is"
     " of other sizes"),
    ("self.rnn = nn.LSTM(8, 4)", "self.rnn(x, (y, y))", "f32[5, 2, 8]; f32[1, 5, 4]", "recurrent-state",
     "`self.rnn` takes a state of [1, 2, 4], [layers and directions, batch, features], and `(y, y)[0]` (f32[1, 5, 4])"
     " is of other sizes"),
    ("self.cell = nn.GRUCell(8, 4)", "self.cell(x, y)", "f32[2, 8]; f32[2, 5]", "recurrent-state",
     "`self.cell` takes a state of [2, 4], [batch, features], and `y` (f32[2, 5]) is of other sizes"),
    ("self.att = nn.MultiheadAttention(8, 2)", "self.att(x, x, x, attn_mask=y)", "f32[3, 2, 8]; f32[4, 4]",
     "attention-sizes", "`self.att` takes a mask of [3, 3], queries and keys, and `y` (f32[4, 4]) is another"),
    ("self.att = nn.MultiheadAttention(8, 2)", "self.att(x, x, x, key_padding_mask=y)", "f32[3, 2, 8]; b8[3, 2]",
     "attention-sizes", "`self.att` takes a padding mask of [2, 3], batch and keys, and `y` (b8[3, 2]) is another"),
    ("self.net = nn.Transformer(8, 2, 1, 1, 8)", "self.net(x, y)", "f32[2, 5, 8]; f32[2, 4, 8]", "attention-sizes",
     "`self.net` takes [time, batch, features], and `x` (f32[2, 5, 8]) has a batch of 5, `y` (f32[2, 4, 8]) one of 4"),
    ("self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 2, 2))", "self.conv(x)", "f32[2, 5, 9]",
     "conv-channels", "`self.conv` takes 4 channels in dim 1, and `x` (f32[2, 5, 9]) has 5"),
    ("self.conv = nn.Conv2d(3, 8, 1)", "self.conv(x)", "f32[5, 3, 20]", "conv-dims",
     "`self.conv` takes [batch, 3, height, width], or the same without a batch, and `x` (f32[5, 3, 20]) has 3 dims, of"
     " which dim 1 has the channels"),
    ("self.w = nn.Parameter(torch.ones(4, 3))", "F.conv2d(x, self.w)", "f32[2, 3, 8, 8]", "conv-dims",
     "`F.conv2d` takes a weight with 4 dims, [out, in, height, width], and `self.w` (f32[4, 3]) has 2 dims"),
    ("self.two = nn.Bilinear(8, 4, 2)", "self.two(x, y)", "f32[2, 8]; f32[2, 5]", "linear-features",
     "`self.two` takes 4 features in the last dim of its second input, and `y` (f32[2, 5]) has 5"),
    ("self.places = nn.Embedding(10, 4)", "self.places(torch.arange(x.size(1)))", "f32[2, 12]", "embedding-ids",
     "`self.places` has 10 rows, for ids from 0 to 9, and its input (i64[12]) asks for 11"),
    ("self.w = nn.Parameter(torch.ones(4, 8))", "F.embedding(torch.tensor([0, -1]), self.w)", "f32[2]", "embedding-ids",
     "`F.embedding` has 4 rows, for ids from 0 to 3, and `torch.tensor([0, -1])` (i64[2]) asks for -1"),
    ("", "1 - x", "b8[2, 3]", "bool-arithmetic",
     "`-` takes numbers, and `x` (b8[2, 3]) holds bools: `~` turns them around"),
    ("", "torch.where(x, y, 0.0)", "f32[2, 3]; f32[2, 3]", "mask-dtype",
     "`torch.where` takes a mask of bools, and `x` (f32[2, 3]) holds f32"),
    ("", "y.masked_fill_(x, 0.0)", "f32[2, 3]; f32[2, 3]", "mask-dtype",
     "`masked_fill_` takes a mask of bools, and `x` (f32[2, 3]) holds f32"),
    ("", "y.masked_select(x)", "u8[2, 3]; f32[2, 3]", "mask-dtype",
     "`masked_select` takes a mask of bools, and `x` (u8[2, 3]) holds u8"),
    ("", "y.masked_fill_(x, 0.0)", "u8[2, 3]; f32[2, 3]", "mask-dtype",
     "`masked_fill_` takes a mask of bools, and `x` (u8[2, 3]) holds u8"),
    ("", "y.masked_fill(x, 0.0)", "i64[2, 3]; f32[2, 3]", "mask-dtype",
     "`masked_fill` takes a mask of bools, and `x` (i64[2, 3]) holds i64"),
    ("", "x.gather(1, y)", "f32[2, 3, 8]; i64[2, 3]", "index-tensor",
     "`gather` takes an index with the dims of `x` (f32[2, 3, 8]), 3, and `y` (i64[2, 3]) has 2"),
    ("", "torch.zeros(4, 8).index_add(0, y, x)", "f32[3, 8]; i64[2]", "index-tensor",
     "`x` (f32[3, 8]) has 3 in dim 0, and `y` (i64[2]) a place for 2"),
    ("", "torch.zeros(4, 8).index_add(0, y, x)", "f32[3, 2, 8]; i64[3]", "index-tensor",
     "`index_add` takes rows of the sizes that `torch.zeros(4, 8)` (f32[4, 8]) has but for dim 0, and `x`"
     " (f32[3, 2, 8]) has others"),
    ("", "F.binary_cross_entropy_with_logits(x.max(dim=1), y)", "f32[3, 2, 8]; f32[3, 8]", "tensor-expected",
     "`F.binary_cross_entropy_with_logits` takes a tensor, and `x.max(dim=1)` is a tuple of 2: (f32[3, 8], i64[3, 8])"),
    ("", "torch.zeros(4, 8).scatter_add(0, y, x)", "f32[3, 8]; f32[3, 8]", "index-tensor",
     "`scatter_add` takes places, whole numbers of i64, and `y` (f32[3, 8]) holds f32"),
    ("", "x.expand_as(y)", "f32[2]; f32[2, 3]", "expand-sizes",
     "dim 0 of `x` (f32[2]) has 2, and only a dim of 1 can be expanded, here to 3"),
    ("", "x.repeat(2, 1)", "f32[2, 3, 4]", "expand-sizes",
     "`repeat` gets 2 sizes, and `x` (f32[2, 3, 4]) has 3 dims"),
    ("", 'F.interpolate(x, scale_factor=2, mode="linear")', "f32[2, 3, 8, 8]", "resize-sizes",
     '`F.interpolate`: "linear" takes 3 dims, with batch and channels, and `x` (f32[2, 3, 8, 8]) has 4'),
    ("", "F.interpolate(x, size=y.shape)", "f32[2, 3, 8, 8]; f32[2, 3, 4, 4]", "resize-sizes",
     "`F.interpolate` is given 4 numbers as `size`, and `x` (f32[2, 3, 8, 8]) has 2 dims after batch and channels"),
    ("", 'F.pad(x, (1, 1), mode="reflect")', "f32[2, 3, 8, 8]", "resize-sizes",
     '`F.pad` in the mode "reflect" pads all dims after batch and channels, 4 numbers for `x` (f32[2, 3, 8, 8]), and is'
     " given 2"),
]  # fmt: skip


def test_where_that_asks_for_places_takes_any_type(tmp_path: Path) -> None:
    source = MODEL.format(built="pass", names="x", failing="torch.where(x.relu())")
    failure = trace(tmp_path, source, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert not failure.proven
    assert explained(failure) is None


@pytest.mark.parametrize("engine", ["fake", "real"])
@pytest.mark.parametrize(("built", "failing", "inputs", "code", "message"), CASES, ids=lambda text: text[:40])
def test_causes(tmp_path: Path, built: str, failing: str, inputs: str, code: str, message: str, engine: str) -> None:
    shapes = inputs.split("; ")
    source = MODEL.format(built=built or "pass", names=", ".join("xy"[: len(shapes)]), failing=failing)
    reply = trace(tmp_path, source, f"Net()({', '.join(shapes)})", engine=engine)
    failure = reply.failure
    if failure is None:
        assert reply.fallback, "which says that real tensors are to be asked"
        return
    assert failure.span is not None
    line = (tmp_path / "model.py").read_text().split("\n")[failure.span.line - 1]
    assert line[failure.span.column : failure.span.end_column] == failing
    found = explained(failure)
    assert found is not None, failure
    assert (found.code, found.message) == (code, message)


@pytest.mark.parametrize(("failing", "message"), [
    ("x[:, torch.tensor([0, 3])]", "the index asks for 3 in dim 1, and `x` (f32[2, 3]) has 3 there"),
    ("x[torch.tensor([1, -3])]", "the index asks for -3 in dim 0, and `x` (f32[2, 3]) has 2 there"),
    ("x[torch.tensor([0, 1]), torch.tensor([4, 2])]", "the index asks for 4 in dim 1, and `x` (f32[2, 3]) has 3 there"),
])  # fmt: skip
def test_places_that_are_tensors(tmp_path: Path, failing: str, message: str) -> None:
    source = MODEL.format(built="pass", names="x", failing=failing)
    failure = trace(tmp_path, source, "Net()(f32[2, 3])", engine="real").failure
    found = explained(failure) if failure is not None else None
    assert found is not None
    assert (found.code, found.message) == ("index-range", message)


@pytest.mark.parametrize("engine", ["fake", "real"])
@pytest.mark.parametrize("sizes", ["x.shape", "x.size()"])
@pytest.mark.parametrize(("names", "count"), [("b, c, h, w", 4), ("b, c", 2)])
def test_unpacked_sizes(tmp_path: Path, sizes: str, names: str, count: int, engine: str) -> None:
    source = MODEL.format(built="pass", names="x", failing="0").replace("return 0", f"{names} = {sizes}")
    failure = trace(tmp_path, source, "Net()(f32[2, 3, 8])", engine=engine).failure
    assert failure is not None
    found = explained(failure)
    assert found is not None
    assert (found.code, found.message) == ("unpack-dims", f"`x` (f32[2, 3, 8]) has 3 dims, and `{names}` takes {count}")


@pytest.mark.parametrize(
    ("failing", "wanted"),
    [("torch.cat([x, y], dim=-1)", "`torch.cat` joins tensors, and `y` is None"),
     ("torch.stack((x, y), 1)", "`torch.stack` joins tensors, and `y` is None"),
     ("torch.cat([x, self.side], dim=-1)", "`torch.cat` joins tensors, and `self.side` is None"),
     ("torch.cat([*z, x[..., :1]], dim=-1)", None),
     ("torch.cat(z, dim=-1)", "`torch.cat` joins tensors, and number 1 of what it gets is None"),
     ("torch.cat({'a': [x, x], 'b': x})", None),
     ("torch.zeros([2, y])", None),
     ("torch.cat(w, dim=-1)", "`torch.cat` joins tensors, and number 0 of what it gets is a list: [f32[2, 3, 8]]")],
)  # fmt: skip
@pytest.mark.parametrize("engine", ["fake", "real"])
def test_what_is_no_tensor_among_what_is_joined(tmp_path: Path, failing: str, wanted: str | None, engine: str) -> None:
    source = MODEL.format(built="self.side = None", names="x", failing=failing)
    source = source.replace(
        "        return", "        y, w = None, [[x], x, x[..., :1]]\n        z = [x, y]\n        return"
    )
    failure = trace(tmp_path, source, "Net()(f32[2, 3, 8])", engine=engine).failure
    assert failure is not None
    found = explained(failure)
    assert (found.message if found is not None else None) == wanted
    code = "none-given" if wanted is not None and wanted.endswith("is None") else "tensor-expected"
    assert found is None or found.code == code


@pytest.mark.parametrize(
    ("failing", "wanted"),
    [("y.mean()", "`y` is a tuple of 2: (f32[2, 8], i64[2, 8]), and has no `mean`"),
     ("x + y", "`+` takes a tensor, and `y` is a tuple of 2: (f32[2, 8], i64[2, 8])"),
     ("torch.min(y)", "`torch.min` takes a tensor, and `y` is a tuple of 2: (f32[2, 8], i64[2, 8])"),
     ("torch.cat([x, y], 1)", "`torch.cat` joins tensors, and `y` is a tuple of 2: (f32[2, 8], i64[2, 8])"),
     ("torch.stack((x.amax(1), torch.max(x, 1)))",
      "`torch.stack` joins tensors, and `torch.max(x, 1)` is a tuple of 2: (f32[2, 8], i64[2, 8])"),
     ("torch.matmul(x, y)", "`torch.matmul` takes a tensor, and `y` is a tuple of 2: (f32[2, 8], i64[2, 8])")],
)  # fmt: skip
@pytest.mark.parametrize("engine", ["fake", "real"])
def test_several_tensors_where_one_is_taken(tmp_path: Path, failing: str, wanted: str, engine: str) -> None:
    source = MODEL.format(built="pass", names="x", failing=failing)
    source = source.replace("        return", "        y = tuple(torch.max(x, 1))\n        return")
    failure = trace(tmp_path, source, "Net()(f32[2, 3, 8])", engine=engine).failure
    found = explained(failure) if failure is not None else None
    assert found is not None, failure
    assert (found.code, found.message) == ("tensor-expected", wanted)


@pytest.mark.parametrize("failing", ["'%s' % y", "self.fit(x, y)", "torch.cat([x, None])", "y[0] + None"])
def test_other_errors_beside_several_tensors(tmp_path: Path, failing: str) -> None:
    source = MODEL.format(built="pass", names="x", failing=failing)
    source = source.replace("        return", "        y = tuple(torch.max(x, 1))\n        return")
    source += "\n    def fit(self, x, y, z):\n        return x\n"
    failure = trace(tmp_path, source, "Net()(f32[2, 3, 8])").failure
    assert failure is not None
    assert explained(failure) is None


SET = [
    ("x[0, ..., 0::2] = y", "f32[8, 1, 6], f32[8, 3]", "f32[8, 1, 6], f32[1, 1, 3]",
     "`x[0, ..., 0::2]` is of [1, 3], and what it is set to (f32[8, 3]) cannot be broadcast to it"),
    ("ids = torch.tensor([1, 2])\n        x[ids] = y", "f32[8, 6], f32[4, 6]", "f32[8, 6], f32[6]",
     "`x[ids]` is of [2, 6], and what it is set to (f32[4, 6]) cannot be broadcast to it"),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["fake", "real"])
@pytest.mark.parametrize(("text", "inputs", "fitting", "message"), SET)
def test_a_part_that_is_set(tmp_path: Path, text: str, inputs: str, fitting: str, message: str, engine: str) -> None:
    source = MODEL.format(built="pass", names="x, y", failing="x")
    source = source.replace("        return", f"        {text}\n        return")
    failure = trace(tmp_path, source, f"Net()({inputs})", engine=engine).failure
    found = explained(failure) if failure is not None else None
    assert found is not None, failure
    assert (found.code, found.message) == ("assigned-sizes", message)
    assert trace(tmp_path, source, f"Net()({fitting})", engine=engine).failure is None


@pytest.mark.parametrize(
    ("failing", "wanted"),
    [('rearrange(x, "b c -> c b")', "`b c` names 2 dims, and `x` (f32[2, 3, 8]) has 3"),
     ('rearrange(x + 1, "b (h w) c -> b h w c", h=2)',
      "`(h w)` is a multiple of 2, and this dim of `x + 1` (f32[2, 3, 8]) is 3")],
)  # fmt: skip
def test_patterns_of_axes(tmp_path: Path, failing: str, wanted: str) -> None:
    source = MODEL.format(built="pass", names="x", failing=failing).replace(
        "\nclass", "from einops import rearrange\nclass"
    )
    failure = trace(tmp_path, source, "Net()(f32[2, 3, 8])").failure
    found = explained(failure) if failure is not None else None
    assert found is not None, failure
    assert (found.code, found.message) == ("axes-pattern", wanted)


def test_a_layer_that_is_told_sizes_of_axes(tmp_path: Path) -> None:
    built = 'self.patch = nn.Sequential(Rearrange("b (h p) (w q) c -> b (h w) (p q c)", p=4, q=4))'
    source = MODEL.format(built=built, names="x", failing="self.patch(x)").replace(
        "\nclass", "from einops.layers.torch import Rearrange\nclass"
    )
    failure = trace(tmp_path, source, "Net()(f32[2, 3, 8, 8])").failure
    found = explained(failure) if failure is not None else None
    assert found is not None, failure
    assert found.code == "axes-pattern"
    assert found.message == "`(h p)` is a multiple of 4, and this dim of its input (f32[2, 3, 8, 8]) is 3"


@pytest.mark.parametrize(
    ("failing", "wanted"),
    [("Categorical(logits=x).log_prob(y)",
      "`Categorical(logits=x).log_prob`: the last dim of `y` (i64[3, 4]) has 4, and that of"
      " `the distribution` (i64[12]) has 12"),
     ("Normal(x, 1.0).log_prob(x[1:])", None)],
)  # fmt: skip
def test_what_a_distribution_is_asked_for(tmp_path: Path, failing: str, wanted: str | None) -> None:
    source = MODEL.format(built="pass", names="x, y", failing=failing).replace(
        "\nclass", "from torch.distributions import Categorical, Normal\nclass"
    )
    failure = trace(tmp_path, source, "Net()(f32[12, 5], i64[3, 4])", engine="real").failure
    assert failure is not None
    found = explained(failure)
    assert found is not None
    assert found.code == "broadcast-sizes"
    assert wanted is None or found.message == wanted


def test_other_values_that_are_unpacked(tmp_path: Path) -> None:
    for statement in ("b, c = x", "b, c = 1, 2, 3", "b, c = self.fc.shape", "b, *c, d, e, f = x.shape"):
        source = MODEL.format(built="self.fc = torch.ones(3)", names="x", failing="0").replace("return 0", statement)
        failure = trace(tmp_path, source, "Net()(f32[2, 3, 8])").failure
        assert failure is None or explained(failure) is None


def of_packed(tmp_path: Path, layer: str, lengths: str, options: str, given: str, shape: str) -> Explanation | None:
    """What is said of a recurrent layer that is given a packed sequence `p`, on real tensors."""
    source = MODEL.format(built=f"self.rnn = {layer}", names="x", failing=f"self.rnn({given})")
    packing = f"nn.utils.rnn.pack_padded_sequence(x, torch.tensor({lengths}), {options})"
    source = source.replace("return self", f"p = {packing}\n        return self")
    failure = trace(tmp_path, source, f"Net()({shape})", engine="real").failure
    return explained(failure) if failure is not None else None


def test_a_packed_sequence(tmp_path: Path) -> None:
    found = of_packed(tmp_path, "nn.GRU(8, 4)", "[3, 2]", "batch_first=True", "p", "f32[2, 3, 6]")
    assert found is not None
    assert found.message == "`self.rnn` takes 8 features in the last dim, and `p.data` (f32[5, 6]) has 6"


def test_lengths_that_are_longer_than_what_they_pack(tmp_path: Path) -> None:
    found = of_packed(tmp_path, "nn.GRU(8, 4)", "[9, 2]", "batch_first=True", "p", "f32[2, 3, 8]")
    assert found is not None
    rows = "`p` has 5 rows, and the lengths that it was made with more"
    wanted = f"`self.rnn` takes as many rows as its lengths are together: {rows}"
    assert (found.code, found.message) == ("packed-lengths", wanted)


@pytest.mark.parametrize(
    ("packed", "state", "code"),
    [
        ("enforce_sorted=False", "(1, 2, 4)", "recurrent-state"),
        ("batch_first=True", "(1, 2, 4)", "recurrent-state"),
        ("batch_first=True, enforce_sorted=False", "(2, 1, 4)", "recurrent-state"),
        ("batch_first=True, enforce_sorted=False", "(2, 2, 3)", "recurrent-state"),
        ("enforce_sorted=False", "(2, 2, 4)", "packed-lengths"),
    ],
)
def test_a_packed_sequence_and_a_state(tmp_path: Path, packed: str, state: str, code: str) -> None:
    given = f"p, (torch.zeros{state}, torch.zeros{state})"
    found = of_packed(tmp_path, "nn.LSTM(8, 4, 2)", "[5, 3]", packed, given, "f32[2, 6, 8]")
    assert found is not None
    assert found.code == code


def test_a_state_beside_sequences_that_nobody_counted(tmp_path: Path) -> None:
    """What is packed in the order of its lengths does not say how many there are, nor does a wrong state."""
    given, lengths = "p, torch.zeros(5, 2, 4)", "[6, 5, 4, 3, 2]"
    found = of_packed(tmp_path, "nn.GRU(8, 4, 2)", lengths, "batch_first=True", given, "f32[5, 6, 8]")
    assert found is not None
    assert found.message.startswith("`self.rnn` takes a state of [2, batch, 4]")


@pytest.mark.parametrize("given", ["p, torch.zeros(1, 5, 4)", "p, torch.zeros(1, 2, 4).double()", "hx=None, input=p"])
def test_other_things_that_are_wrong_with_what_is_packed(tmp_path: Path, given: str) -> None:
    found = of_packed(tmp_path, "nn.GRU(8, 4)", "[3, 2]", "batch_first=True", given, "f32[2, 3, 8]")
    assert found is None or found.code != "packed-lengths"


def test_a_layer_is_made_where_a_function_that_makes_it_is_called(tmp_path: Path) -> None:
    source = MODEL.format(built="self.net = make(4, 8)", names="x", failing="self.net(x)")
    source += "\ndef make(a, b):\n    return nn.Sequential(nn.Linear(a, b), nn.ReLU())\n"
    failure = trace(tmp_path, source, "Net()(f32[2, 3])").failure
    assert failure is not None
    assert failure.layer is not None
    assert failure.layer.built is not None
    line = source.split("\n")[failure.layer.built.line - 1]
    assert line[failure.layer.built.column : failure.layer.built.end_column] == "make(4, 8)"


@pytest.mark.parametrize("engine", ["fake", "real"])
@pytest.mark.parametrize(
    ("statement", "inputs", "wanted"),
    [("a, b = x.chunk(3, dim=-1)", "f32[2, 6]",
      "`x.chunk(3, dim=-1)` gives 3: (f32[2, 2] × 3), and `a, b` takes 2"),
     ("a, b = self.part(x)", "f32[2, 3, 8]", "`self.part(x)` gives 3: (f32[3, 8] × 3), and `a, b` takes 2"),
     ("a, b = x.transpose(0, 1)", "f32[2, 3]",
      "`x.transpose(0, 1)` (f32[3, 2]) has 3 in its first dim, and `a, b` takes 2"),
     ("self.pair = x\n        a, b = self.pair", "f32[3, 6]",
      "`self.pair` (f32[3, 6]) has 3 in its first dim, and `a, b` takes 2"),
     ("y = x.split(2)\n        a, b = y", "f32[6]", "`y` gives 3: (f32[2] × 3), and `a, b` takes 2"),
     ("y = x.chunk(3, dim=-1)\n        a, b = map(lambda t: t + 1, y)", "f32[2, 6]",
      "`y` gives 3: (f32[2, 2] × 3), and `a, b` takes 2"),
     ("a, b = (t + 1 for t in x.chunk(3, dim=-1))", "f32[2, 6]",
      "`x.chunk(3, dim=-1)` gives 3: (f32[2, 2] × 3), and `a, b` takes 2")],
)  # fmt: skip
def test_unpacked_results(tmp_path: Path, statement: str, inputs: str, wanted: str, engine: str) -> None:
    parts = "class Parts(nn.Module):\n    def forward(self, x):\n        return x[0], x[0], x[1]\n\n\nclass"
    source = MODEL.format(built="self.part = Parts()", names="x", failing="0").replace("return 0", statement)
    failure = trace(tmp_path, source.replace("class", parts, 1), f"Net()({inputs})", engine=engine).failure
    found = explained(failure) if failure is not None else None
    assert found is not None, failure
    assert (found.code, found.message) == ("unpack-dims", wanted)


@pytest.mark.parametrize(
    ("built", "code", "wanted"),
    [("self.norm = nn.GroupNorm(groups, 20)", "layer-numbers",
      "`nn.GroupNorm`: `groups` = 8 groups do not divide 20 features"),
     ("self.conv = nn.Conv2d(16, 20, 3, groups=groups)", "layer-numbers",
      "`nn.Conv2d`: `groups` = 8 groups do not divide 20 features"),
     ("self.att = nn.MultiheadAttention(embed_dim=20, num_heads=8)", "layer-numbers",
      "`nn.MultiheadAttention`: 8 heads do not divide 20 features"),
     ("self.conv = nn.Conv2D(16, 20, 3)", "attribute-missing", "`nn` has no `Conv2D`, but `Conv2d`")],
)  # fmt: skip
def test_layers_that_cannot_be_made(tmp_path: Path, built: str, code: str, wanted: str) -> None:
    source = MODEL.format(built=built, names="x", failing="x").replace("__init__(self)", "__init__(self, groups=8)")
    failure = trace(tmp_path, source, "Net()(f32[2])").failure
    found = explained(failure) if failure is not None else None
    assert found is not None, failure
    assert found.code == code
    assert found.message.startswith(wanted)


@pytest.mark.parametrize("beside", [False, True])
def test_a_layer_below_one_of_torch_cannot_be_made(tmp_path: Path, beside: bool) -> None:
    """Where it is written, or, of a package, where it is called."""
    layer = "class Same(nn.Conv2d):\n    def __init__(self, size, *args, {0}):\n        super().__init__(*args, {0})\n"
    source = MODEL.format(built="self.conv = Same(9, 16, 20, kernel_size=3, groups=8)", names="x", failing="x")
    if beside:
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "padded_layers.py").write_text(f"from torch import nn\n\n{layer.format('**named')}")
        added = f"import sys\nsys.path.append({str(tmp_path / 'site')!r})\nfrom padded_layers import Same\n"
        source = source.replace("class Net", f"{added}\nclass Net", 1)
    else:
        source = source.replace("class Net", f"{layer.format('**named')}\n\nclass Net", 1)
    workspace = tmp_path / "work"
    workspace.mkdir()
    failure = trace(workspace, source, "Net()(f32[2])").failure
    found = explained(failure) if failure is not None else None
    assert found is not None, failure
    assert (found.code, "do not divide" in found.message) == ("layer-numbers", True)


def test_a_module_that_was_not_initialised(tmp_path: Path) -> None:
    source = MODEL.format(built="self.fc = nn.Linear(2, 2)", names="x", failing="x").replace("super().__init__()", "")
    failure = trace(tmp_path, source, "Net()(f32[2])").failure
    found = explained(failure) if failure is not None else None
    assert found is not None, failure
    assert (found.code, found.message) == ("init-forgotten", "`Net` has no layers before `super().__init__()` ran")


@pytest.mark.parametrize(
    ("failing", "wanted"),
    [("self.dropuot(x)", "`self` has no `dropuot`, but `dropout`"),
     ("x.premute(1, 0)", "`x` has no `premute`, but `permute`"),
     ("F.crossentropy(x, x)", "`F` has no `crossentropy`, but `cross_entropy`")],
)  # fmt: skip
def test_an_attribute_that_is_not_there(tmp_path: Path, failing: str, wanted: str) -> None:
    source = MODEL.format(built="self.dropout = nn.Dropout()", names="x", failing=failing)
    failure = trace(tmp_path, source, "Net()(f32[2, 3])").failure
    found = explained(failure) if failure is not None else None
    assert found is not None, failure
    assert found.code == "attribute-missing"
    assert found.message.startswith(wanted)


def test_an_attribute_that_is_there_and_fails(tmp_path: Path) -> None:
    source = MODEL.format(built="pass", names="x", failing="self.encode(x)").replace(
        "    def forward", "    def encoder(self):\n        pass\n\n    def forward"
    )
    other = "def lookup(x):\n    return x.nothing_like_it\n\n"
    source += "\n    @property\n    def encode(self):\n        return lookup\n"
    failure = trace(tmp_path, source.replace("class Net", other + "class Net"), "Net()(f32[2])").failure
    assert failure is not None
    assert explained(failure) is None


def test_an_attribute_that_is_like_no_other(tmp_path: Path) -> None:
    failure = trace(tmp_path, MODEL.format(built="pass", names="x", failing="self.zzz(x)"), "Net()(f32[2])").failure
    assert failure is not None
    assert explained(failure) is None


@pytest.mark.parametrize("ids", ["torch.arange(10)", "torch.arange(x.size(1)).clamp(max=9)", "x.long()"])
def test_ids_that_are_in_range_or_not_known(tmp_path: Path, ids: str) -> None:
    source = MODEL.format(built="self.places = nn.Embedding(10, 4)", names="x", failing=f"self.places({ids})")
    reply = trace(tmp_path, source, "Net()(f32[2, 12])")
    assert (reply.failure, reply.fallback) == (None, "")
