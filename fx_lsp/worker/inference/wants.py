"""What is known of an input before anything has run."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Collection, Dict, Iterator, List, Optional, Tuple, Union

import torch
from torch import nn

from fx_lsp.worker.inference.inputs import BATCH, LENGTH, SIDE, WIDTH, Tensor
from fx_lsp.worker.inference.live import integer


@dataclass
class Want:
    """What is known of an input; a dim is counted from the front or, negative, from the end."""

    rank: Optional[int] = None
    least: int = 0
    """Smallest possible rank."""
    dtype: str = ""
    dims: Dict[int, int] = field(default_factory=dict)
    multiple: int = 1
    """Height and width are a multiple of this."""
    wrap: str = ""
    """What holds it, see `Tensor`."""
    each: List[Want] = field(default_factory=list)
    """Of a list of tensors that go into as many modules, what each takes."""

    def add(self, other: Want) -> None:
        """What is known already stays."""
        if self.rank is None:
            self.rank = other.rank
        self.least, self.dtype = max(self.least, other.least), self.dtype or other.dtype
        self.multiple, self.wrap = max(self.multiple, other.multiple), self.wrap or other.wrap
        self.each = self.each or other.each
        for place, size in other.dims.items():
            self.dims.setdefault(place, size)

    def before(self, index: ast.expr, counted: Collection[str]) -> Want:
        """What is known of a tensor of which this is taken with several indices, as in `x[:, t]`; names that are
        `counted` hold numbers."""
        places = index.elts if isinstance(index, ast.Tuple) else []
        single = [integer(one) is not None or getattr(one, "id", None) in counted for one in places]
        if not any(single) or not all(one or isinstance(place, ast.Slice) for one, place in zip(single, places)):
            return Want()
        kept = [number for number, one in enumerate(single) if not one]
        beyond = len(places) - len(kept)
        ends = single[-1] and len(kept) > 1  # `x[:, :, -1]` is the whole of what is taken
        dims: Dict[int, int] = {}
        for place, size in self.dims.items():
            place += self.rank or (len(kept) if ends else 0) if place < 0 else 0
            if place >= 0:
                dims[kept[place] if place < len(kept) else place + beyond] = size
            elif place == -1:
                dims[place] = size
        return Want(
            rank=self.rank + beyond if self.rank is not None else len(places) if ends else None,
            least=len(places) + (single[-1] and not ends and not self.dtype),
            dtype=self.dtype,
            dims=dims,
        )

    @property
    def known(self) -> bool:
        """Whether it says anything."""
        return bool(self.rank or self.dtype or self.dims or self.least or self.wrap)

    def agrees(self, shape: Tuple[int, ...]) -> bool:
        """Whether a shape is one that fits."""
        rank = len(shape)
        sizes = (-rank <= place < rank and shape[place] == size for place, size in self.dims.items())
        return self.rank in (None, rank) and rank >= self.least and all(sizes)

    def tensor(self, side: int = SIDE) -> Tensor:
        """The simplest tensor that fits."""
        rank = self.rank or self._likely()
        side = -(-side // self.multiple) * self.multiple
        shape = {
            0: [], 1: [BATCH], 2: [BATCH, LENGTH if self.dtype == "i64" else WIDTH], 3: [BATCH, LENGTH, WIDTH],
            4: [BATCH, 3, side, side], 5: [BATCH, 3, 8, side, side],
        }.get(rank, [BATCH] * (rank - 1) + [WIDTH])  # fmt: skip
        for place, size in self.dims.items():
            if -rank <= place < rank:
                shape[place] = size
        return Tensor(self.dtype or "f32", tuple(shape), self.wrap or "{0}")

    def levels(self, side: int = SIDE) -> Iterator[Tuple[Tensor, ...]]:
        """Tensors for the modules that a list goes into: maps each half as large as the one before, or of one size."""
        count = len(self.each)
        if count and any(one.known for one in self.each):
            widest = max(side, 1 << count)
            for sides in ([widest >> number for number in range(count)], [side] * count):
                yield tuple(one.tensor(size) for one, size in zip(self.each, sides))

    def _likely(self) -> int:
        if self.dtype == "i64":
            return max(2, self.least)
        return max([3, self.least, *(place + 1 if place >= 0 else -place for place in self.dims)])


def of_pattern(left: str, lengths: Any) -> Want:
    """The left side of an einops pattern: `b c (h p1) (w p2)`."""
    known = dict(lengths) if isinstance(lengths, (dict, tuple, list)) and lengths else {}
    axes = re.findall(r"\([^)]*\)|\S+", left.replace("...", " ... "))
    if "..." in axes or "*" in axes:
        return Want(least=len(axes) - 1)
    want = Want(rank=len(axes))
    for place, axis in enumerate(axes):
        names = axis.strip("()").split()
        sizes = [known.get(name, int(name) if name.isdigit() else 0) for name in names]
        product = 1
        for size in sizes:
            product *= size or 1
        if all(sizes) and sizes:
            want.dims[place] = product
        elif len(names) > 1 and product > 1:
            want.dims[place] = product * (8 if place == 1 and len(axes) == 5 and product < 4 else 4)
    return want


def of_torch(module: nn.Module) -> Optional[Want]:
    """What one of torch's own modules takes; None for one of which nothing is known."""
    for kinds, make in _KINDS:
        if isinstance(module, kinds):
            return make(module)
    name = type(module).__name__
    match = re.search(r"(?:Conv|Pool|BatchNorm|InstanceNorm|Pad|Unpool|ConvTranspose)([123])d", name)
    if match is None or not type(module).__module__.startswith("torch."):
        return None
    size = getattr(module, "in_channels", None) or getattr(module, "num_features", None)
    kernel, stride = getattr(module, "kernel_size", 1), getattr(module, "stride", 0)
    patches = name.startswith("Conv") and kernel == stride
    return Want(
        rank=None if name == "BatchNorm1d" else int(match[1]) + 2,
        dims={1: size} if size else {},
        multiple=max(kernel) if patches and isinstance(kernel, tuple) else 1,
    )


def of_state(module: Union[nn.RNNBase, nn.RNNCellBase], alone: bool, turned: bool) -> Want:
    """The state that a recurrent layer starts with, or, for an LSTM, one of the two where it does not stand `alone`;
    batch and time of the sequence are `turned` on the way."""
    pair = "({0}, {0})" if alone and isinstance(module, (nn.LSTM, nn.LSTMCell)) else ""
    if isinstance(module, nn.RNNCellBase):
        return Want(rank=2, dims={-1: module.hidden_size}, wrap=pair)
    layers = module.num_layers * (2 if module.bidirectional else 1)
    size = module.proj_size or module.hidden_size
    return Want(rank=3, dims={0: layers, 1: BATCH if module.batch_first != turned else LENGTH, -1: size}, wrap=pair)


def _last(*sizes: int) -> Want:
    return Want(dims={place - len(sizes): size for place, size in enumerate(sizes)})


def _sequence(width: int) -> Want:
    return Want(rank=3, dims={-1: width})


_KINDS: Tuple[Tuple[Any, Callable[[Any], Want]], ...] = (
    (nn.Linear, lambda m: _last(m.in_features)),
    (nn.Bilinear, lambda m: _last(m.in1_features)),
    ((nn.LayerNorm, getattr(nn, "RMSNorm", nn.LayerNorm)), lambda m: _last(*m.normalized_shape)),
    ((nn.Embedding, nn.EmbeddingBag), lambda m: Want(dtype="i64")),
    (nn.GroupNorm, lambda m: Want(dims={1: m.num_channels})),
    (nn.MultiheadAttention, lambda m: _sequence(m.embed_dim)),
    (nn.RNNBase, lambda m: _sequence(m.input_size)),
    (nn.RNNCellBase, lambda m: Want(rank=2, dims={-1: m.input_size})),
    ((nn.TransformerEncoderLayer, nn.TransformerDecoderLayer), lambda m: _sequence(m.self_attn.embed_dim)),
    ((nn.TransformerEncoder, nn.TransformerDecoder), lambda m: _sequence(m.layers[0].self_attn.embed_dim)),
    (nn.Transformer, lambda m: _sequence(m.d_model)),
    ((nn.Upsample, nn.PixelShuffle, nn.PixelUnshuffle, nn.Unfold), lambda m: Want(rank=4)),
)

WEIGHTED: Dict[str, Callable[[torch.Tensor], Want]] = {
    "linear": lambda w: _last(w.shape[-1]),
    "embedding": lambda w: Want(dtype="i64"),
    "matmul": lambda w: Want(dims={-1: w.shape[-2]} if w.ndim > 1 else {}),
    "conv1d": lambda w: Want(rank=3, dims={1: w.shape[1]}),
    "conv2d": lambda w: Want(rank=4, dims={1: w.shape[1]}),
    "conv3d": lambda w: Want(rank=5, dims={1: w.shape[1]}),
}
"""By the name of a function, what it takes beside a weight."""
