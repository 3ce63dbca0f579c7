"""Mends of patterns of axes on the way, of parameters without a batch, and of views that make other rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fx_lsp.model.failure import Argument, Failure
from fx_lsp.model.value import Group, TensorType
from tests.analysis.test_mends import attempt, edited, place

TEXT = """import torch
from einops import rearrange, repeat
from torch import einsum, nn
class Attention(nn.Module):
    def __init__(self, dim, inner):
        self.to_out = nn.Linear(inner, dim)
    def forward(self, x, context):
        q, k = self.to_q(x), self.to_k(context)
        q, k = (rearrange(t, "b n (h d) -> (b h) n d", h=self.heads) for t in (q, k))
        out = einsum("b i d, b j d -> b i j", q, k)
        return self.to_out(rearrange(out, "(b h) n d -> b n (h d)", b=self.heads))
class Perceiver(nn.Module):
    def __init__(self, n, dim):
        self.latents = nn.Parameter(torch.randn(n, dim))
        self.layer = Attention(dim, 64)
    def forward(self, video):
        b = video.shape[0]
        x = self.latents
        return self.layer(x, video)
class Places(nn.Module):
    def forward(self, video, grid):
        places = repeat(grid.sin(), "... f -> ... b f", b=video.size(0))
        return torch.cat([video, places], dim=-1)
class Lm(nn.Module):
    def forward(self, ids, targets):
        logits = self.head(self.body(ids))
        return nn.functional.cross_entropy(logits.view(-1, self.width), targets.view(-1))
    def named(self, ids, targets):
        logits = self.head(self.body(ids))
        flat = logits.reshape(-1, self.width)
        return nn.functional.cross_entropy(flat, targets)
"""


def _function(part: str, target: str, *arguments: Any, calls: tuple[str, ...] = ()) -> list[str]:
    spans = tuple(place(TEXT, one) for one in calls)
    return edited(Failure("trace", "no", place(TEXT, part), spans, operation=attempt(target, arguments)), TEXT)


def test_a_number_is_that_of_the_other_axis_of_its_dim() -> None:
    part = 'self.to_out(rearrange(out, "(b h) n d -> b n (h d)", b=self.heads))'
    layer = attempt("Linear", ("f32[4, 16, 32]",), "self.to_out", in_features=64, out_features=8)
    layer = replace(layer, built=place(TEXT, "nn.Linear(inner, dim)"))
    found = edited(Failure("trace", "no", place(TEXT, part), layer=layer), TEXT)
    assert 'return self.to_out(rearrange(out, "(b h) n d -> b n (h d)", h=self.heads))' in found[:4]


def test_an_ellipsis_changes_places_with_the_axis_beside_it() -> None:
    shapes = ["f32[2, 6, 12, 10, 3]", "f32[6, 12, 10, 2, 27]"]
    found = _function("torch.cat([video, places], dim=-1)", "torch.cat", shapes, {"dim": -1})
    assert 'places = repeat(grid.sin(), "... f -> b ... f", b=video.size(0))' in found[:4]


def test_a_parameter_that_a_pattern_finds_without_a_batch_is_expanded() -> None:
    part = 'rearrange(t, "b n (h d) -> (b h) n d", h=self.heads)'
    pattern = "b n (h d) -> (b h) n d"
    calls = ("self.layer(x, video)",)
    found = _function(part, "einops.rearrange", "f32[32, 64]", pattern, {"h": 4}, calls=calls)
    assert "x = self.latents.expand(video.size(0), -1, -1)" in found[:4]


def test_rows_of_a_loss_are_as_wide_as_what_is_viewed() -> None:
    loss = "nn.functional.cross_entropy"
    given = ("f32[16768, 768]", "i64[256]")
    found = _function(f"{loss}(logits.view(-1, self.width), targets.view(-1))", f"torch.{loss}", *given)
    assert found[0] == f"return {loss}(logits.view(-1, logits.size(-1)), targets.view(-1))"
    found = _function(f"{loss}(flat, targets)", f"torch.{loss}", *given)
    assert found[0] == "flat = logits.reshape(-1, logits.size(-1))"
    found = _function(f"{loss}(flat, targets)", f"torch.{loss}", "f32[255, 771]", "i64[256]")
    assert not any("logits.size(-1)" in one for one in found)


MORE = """import torch
from torch import nn
class Pool(nn.Module):
    def forward(self, outputs, weights, query):
        pooled = torch.bmm(weights, outputs)
        scores = torch.bmm(outputs, query)
        return pooled
class Embed(nn.Module):
    def forward(self, tokens, places):
        return self.drop(torch.cat([tokens, places], dim=-1))
class Net(nn.Module):
    def __init__(self, fed, hidden):
        self.lstm = nn.LSTM(hidden, fed, batch_first=True)
    def forward(self, packed):
        y, _ = self.lstm(packed)
        return y
class Backbone(nn.Module):
    def forward(self, x):
        x = self.features(x)
        x = self.pool(x)
        return x
"""


def _more(part: str, target: str, *arguments: Any) -> list[str]:
    return edited(Failure("trace", "no", place(MORE, part), operation=attempt(target, arguments)), MORE)


def test_a_weight_for_each_step_is_a_matrix_of_one_row() -> None:
    found = _more("torch.bmm(weights, outputs)", "torch.bmm", "f32[3, 6]", "f32[3, 6, 8]")
    assert found[0] == "pooled = torch.bmm(weights.unsqueeze(1), outputs).squeeze(1)"
    found = _more("torch.bmm(outputs, query)", "torch.bmm", "f32[3, 6, 8]", "f32[3, 8]")
    assert found[0] == "scores = torch.bmm(outputs, query.unsqueeze(-1)).squeeze(-1)"


def test_what_may_be_added_and_not_joined_is_added() -> None:
    part = "torch.cat([tokens, places], dim=-1)"
    found = _more(part, "torch.cat", ["f32[4, 64, 768]", "f32[64, 768]"], {"dim": -1})
    assert "return self.drop(tokens + places)" in found[:3]
    found = _more(part, "torch.cat", ["f32[4, 64, 768]", "f32[32, 768]"], {"dim": -1})
    assert "return self.drop(tokens + places)" not in found


def test_sizes_of_a_recurrent_layer_are_swapped_for_a_packed_sequence() -> None:
    packed = Argument("0", Group("object", (TensorType("f32", (13, 8)),), ("data",), "PackedSequence"))
    layer = attempt("LSTM", (), "self.lstm", input_size=16, hidden_size=8, batch_first=True)
    layer = replace(
        layer, arguments=(packed, *layer.arguments), built=place(MORE, "nn.LSTM(hidden, fed, batch_first=True)")
    )
    found = edited(Failure("trace", "no", place(MORE, "self.lstm(packed)"), layer=layer), MORE)
    assert "self.lstm = nn.LSTM(fed, hidden, batch_first=True)" in found[:3]


def test_of_several_maps_the_last_is_taken_early() -> None:
    maps = [f"f32[2, {8 * n}, 4, 4]" for n in (1, 2, 4, 8)]
    layer = attempt("AdaptiveAvgPool2d", (maps,), "self.pool", output_size=1)
    found = edited(Failure("trace", "no", place(MORE, "self.pool(x)"), layer=layer), MORE)
    assert "x = self.features(x)[-1]" in found[:4]


GRAPHS = """import torch
from torch import nn
class Layer(nn.Module):
    def __init__(self, fed, made, heads=4, concat=True):
        self.lin = nn.Linear(fed, heads * made)
        self.att = nn.Parameter(torch.empty(1, heads, made))
        self.heads, self.made = heads, made
    def forward(self, x):
        h = self.lin(x).view(-1, self.made)
        return h * self.att
class Net(nn.Module):
    def __init__(self, fed, hidden=8, heads=8, concat=True):
        self.first = Layer(fed, hidden)
        self.second = Layer(hidden * heads, 7, heads=1)
    def forward(self, x):
        return self.second(self.first(x))
"""


def test_a_number_that_a_part_takes_too_is_handed_on() -> None:
    layer = attempt("Linear", ("f32[100, 32]",), "self.lin", in_features=64, out_features=7)
    layer = replace(layer, built=place(GRAPHS, "nn.Linear(fed, heads * made)"))
    calls = (place(GRAPHS, "self.second(self.first(x))"),)
    found = edited(Failure("trace", "no", place(GRAPHS, "self.lin(x)"), calls, layer=layer), GRAPHS)
    assert "self.first = Layer(fed, hidden, heads=heads)" in found[:6], found


def test_a_view_has_the_dim_of_what_it_meets() -> None:
    operation = attempt("torch.Tensor.mul", ("f32[800, 8]", "f32[1, 4, 8]"))
    found = edited(Failure("trace", "no", place(GRAPHS, "h * self.att"), operation=operation), GRAPHS)
    assert "h = self.lin(x).view(-1, self.heads, self.made)" in found[:4], found


LEVELS = """import torch
from torch import nn
def pad_to(x, like):
    dy, dx = (a - b for a, b in zip(like.shape[:2], x.shape[:2]))
    if dy == 0 and dx == 0:
        return x
    return nn.functional.pad(x, [0, dx, 0, dy])
class Net(nn.Module):
    def __init__(self, mult):
        self.down = nn.ModuleList()
        for level, by in enumerate(mult):
            if level != len(mult):
                self.down.append(nn.Conv2d(8, 8, 3, stride=2, padding=1))
    def forward(self, h, skip):
        return torch.cat([h, skip], dim=1)
class Up(nn.Module):
    def forward(self, x, skip):
        x = pad_to(x, skip)
        return torch.cat([skip, x], dim=1)
"""


def _levels(part: str) -> list[str]:
    operation = attempt("torch.cat", (["f32[2, 8, 4, 4]", "f32[2, 8, 8, 8]"], {"dim": 1}))
    return edited(Failure("trace", "no", place(LEVELS, part), operation=operation), LEVELS)


def test_the_number_of_a_round_never_is_how_many_there_are() -> None:
    assert "if level != len(mult) - 1:" in _levels("torch.cat([h, skip], dim=1)")[:3]


def test_sizes_are_counted_from_the_other_end() -> None:
    found = _levels("torch.cat([skip, x], dim=1)")
    assert "dy, dx = (a - b for a, b in zip(like.shape[-2:], x.shape[-2:]))" in found[:5], found


CROSSED = """from torch import nn
class Layer(nn.Module):
    def __init__(self, latent_dim, data_dim, heads=1):
        self.norm = nn.LayerNorm(latent_dim)
    def forward(self, latents, data):
        return self.norm(latents)
class Net(nn.Module):
    def __init__(self, cfg, data_dim):
        self.layers = nn.ModuleList(Layer(data_dim, cfg.latent_dim, heads=2) for _ in range(2))
    def forward(self, x, data):
        for layer in self.layers:
            x = layer(x, data)
        return x
"""


def test_arguments_that_are_named_after_each_others_parameters_are_exchanged() -> None:
    layer = attempt("LayerNorm", ("f32[2, 32, 64]",), "self.norm", normalized_shape=(30,))
    layer = replace(layer, built=place(CROSSED, "nn.LayerNorm(latent_dim)"))
    calls = (place(CROSSED, "layer(x, data)"),)
    found = edited(Failure("trace", "no", place(CROSSED, "self.norm(latents)"), calls, layer=layer), CROSSED)
    wanted = "self.layers = nn.ModuleList(Layer(cfg.latent_dim, data_dim, heads=2) for _ in range(2))"
    assert wanted in found


IMAGES = """import torch
from torch import nn
class Stem(nn.Module):
    def __init__(self):
        self.conv = nn.Conv2d(3, 8, 3)
    def forward(self, x):
        return self.conv(x)
class Net(nn.Module):
    def __init__(self):
        self.stem = Stem()
    def forward(self, images):
        images = torch.cat(images)
        return self.stem(images)
"""


def test_a_list_further_back_is_stacked() -> None:
    layer = attempt("Conv2d", ("f32[6, 64, 64]",), "self.conv", in_channels=3, out_channels=8)
    layer = replace(layer, built=place(IMAGES, "nn.Conv2d(3, 8, 3)"))
    calls = (place(IMAGES, "self.stem(images)"),)
    found = edited(Failure("trace", "no", place(IMAGES, "self.conv(x)"), calls, layer=layer), IMAGES)
    assert "images = torch.stack(images)" in found[:6], found


def test_nothing_is_turned_so_that_every_number_meets_every_other() -> None:
    text = "def snr(estimate, target):\n    return estimate * target\n"
    operation = attempt("torch.Tensor.mul", ("f32[4, 2, 1, 7984]", "f32[4, 1, 2, 4000]"))
    found = edited(Failure("trace", "no", place(text, "estimate * target"), operation=operation), text)
    assert not any("movedim" in one or "transpose" in one for one in found), found
