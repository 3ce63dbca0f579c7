"""Mends by what stands beside: another order of the same, another name of those unpacked, the next entry of a list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.causes import said
from fx_lsp.analysis.mends import proposals
from fx_lsp.model.failure import Argument, Failure
from fx_lsp.model.value import Group, TensorType
from tests.analysis.test_mends import PATH, attempt, edited, place

TEXT = """import torch
from torch import nn
class Attention(nn.Module):
    def forward(self, x):
        b, t, c = x.shape
        k = self.k(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
        v = self.v(x).view(b, t, c // self.heads, self.heads).transpose(1, 2)
        att = (k @ k.transpose(-2, -1)).softmax(-1)
        return att @ v
class Vit(nn.Module):
    def __init__(self, size, patch, dim):
        image_height, image_width = pair(size)
        patch_height, patch_width = pair(patch)
        num = (image_width // patch_height) * (image_width // patch_width)
        self.pos = nn.Parameter(torch.randn(1, num, dim))
        self.places = nn.Embedding(100, dim)
    def forward(self, img):
        x = self.patches(img)
        return x + self.pos
    def named(self, ids):
        b, t = ids.shape
        at = torch.arange(0, b, device=ids.device)
        return self.words(ids) + self.places(at)
class Decoder(nn.Module):
    def forward(self, x, skips):
        for i in range(len(self.ups)):
            x = torch.cat([self.ups[i](x), skips[i]], dim=1)
        return x
class Net(nn.Module):
    def forward(self, x):
        feats = self.encoder(x)
        return self.decoder(feats[-1], feats[::-1])
class Score(nn.Module):
    def forward(self, a, b):
        return a & b
"""


def _function(part: str, target: str, *arguments: Any, calls: tuple[str, ...] = ()) -> list[str]:
    spans = tuple(place(TEXT, one) for one in calls)
    return edited(Failure("trace", "no", place(TEXT, part), spans, operation=attempt(target, arguments)), TEXT)


def test_what_a_call_is_given_is_in_the_order_of_the_one_beside() -> None:
    found = _function("att @ v", "torch.Tensor.matmul", "f32[4, 12, 64, 64]", "f32[4, 64, 64, 12]")
    assert found[0] == "v = self.v(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)"


def test_the_name_that_is_never_used_is_meant_where_another_one_is_used_twice() -> None:
    found = _function("x + self.pos", "torch.Tensor.add", "f32[3, 32, 64]", "f32[1, 16, 64]")
    assert found[0] == "num = (image_height // patch_height) * (image_width // patch_width)"


def test_places_are_numbered_by_the_other_size() -> None:
    part = "self.words(ids) + self.places(at)"
    found = _function(part, "torch.Tensor.add", "f32[4, 64, 768]", "f32[4, 768]")
    assert found[0] == "at = torch.arange(0, t, device=ids.device)"


def test_a_list_that_starts_one_earlier_is_passed_without_its_first() -> None:
    part, calls = "torch.cat([self.ups[i](x), skips[i]], dim=1)", ("self.decoder(feats[-1], feats[::-1])",)
    shapes = ["f32[4, 64, 48, 48]", "f32[4, 128, 24, 24]"]
    found = _function(part, "torch.cat", shapes, {"dim": 1}, calls=calls)
    assert found[0] == "return self.decoder(feats[-1], feats[::-1][1:])"
    assert "x = torch.cat([self.ups[i](x), skips[i + 1]], dim=1)" in found


RETURNED = """import torch.nn.functional as F
class Vae:
    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.sample(mu, logvar)), mu, logvar
def loss_of(recon, x):
    return F.binary_cross_entropy(recon, x)
def train(vae, images):
    mu, logvar, recon = vae(images)
    return loss_of(recon, images)
"""


def test_results_are_unpacked_in_the_order_that_they_are_returned_in() -> None:
    part, given = "F.binary_cross_entropy(recon, x)", ("f32[32, 20]", "f32[32, 1, 28, 28]")
    calls = (place(RETURNED, "loss_of(recon, images)"),)
    target = "torch.nn.functional.binary_cross_entropy"
    found = edited(Failure("trace", "no", place(RETURNED, part), calls, operation=attempt(target, given)), RETURNED)
    assert found[0] == "recon, mu, logvar = vae(images)"


GAN = """import torch
def train(G, D, images, criterion):
    batch = images.size(0)
    real, fake = torch.ones(batch), torch.zeros(batch)
    for _ in range(2):
        made = G(images)
        d_loss = criterion(D(images), real) + criterion(D(made), fake)
        g_loss = criterion(D(made), real)
"""


def test_what_is_made_of_sizes_is_made_with_a_dim_more() -> None:
    target = "torch.nn.functional.binary_cross_entropy_with_logits"
    given = attempt(target, ("f32[32, 1]", "f32[32]"))
    found = edited(Failure("trace", "no", place(GAN, "criterion(D(images), real)"), operation=given), GAN)
    assert found[0] == "real, fake = torch.ones(batch, 1), torch.zeros(batch, 1)"


def test_what_a_loop_uses_is_changed_before_the_loop() -> None:
    text = GAN.replace("torch.ones(batch), torch.zeros(batch)", "labels(batch)")
    target = "torch.nn.functional.binary_cross_entropy_with_logits"
    given = attempt(target, ("f32[32, 1]", "f32[32]"))
    failure = Failure("trace", "no", place(text, "criterion(D(images), real)"), operation=given)
    changed = [applied(text, edit.changes) for edit in proposals(failure, {PATH: text}.get)]
    assert any("    real = real.unsqueeze(-1)\n    for _ in range(2):" in one for one in changed)


CLIP = """from torch import nn
class Clip(nn.Module):
    def __init__(self, vision, text, dim=96):
        self.vision, self.text = vision, text
        self.text_proj = nn.Linear(vision.width, dim)
    def forward(self, images, tokens):
        return self.text_proj(self.text(tokens))
"""


def test_a_layer_is_made_with_the_size_of_the_part_whose_result_it_gets() -> None:
    layer = attempt("Linear", ("f32[8, 128]",), "self.text_proj", in_features=192, out_features=96)
    layer = replace(layer, built=place(CLIP, "nn.Linear(vision.width, dim)"))
    failure = Failure("trace", "no", place(CLIP, "self.text_proj(self.text(tokens))"), layer=layer)
    assert edited(failure, CLIP)[0] == "self.text_proj = nn.Linear(text.width, dim)"


RESNET = """from torch import nn
class Block(nn.Module):
    def __init__(self, inplanes, planes, stride=1, downsample=None):
        self.downsample = downsample
    def forward(self, x):
        out = self.conv(x)
        out += x
        return out
class Net(nn.Module):
    def layer(self, block, planes, stride):
        downsample = nn.Sequential(nn.Conv2d(self.inplanes, planes, 1)) if stride > 1 else None
        return nn.Sequential(block(self.inplanes, planes, stride))
    def forward(self, x):
        return self.layer1(x)
class Graph(nn.Module):
    def edges(self, nodes, weights, src, dst):
        left = nodes[src]
        return scatter(nodes * weights, dst)
    def both(self, x):
        out = self.body(x)
        return x + out
"""


def test_what_is_made_and_never_used_is_passed() -> None:
    given = attempt("torch.Tensor.add_", ("f32[2, 256, 8, 8]", "f32[2, 64, 8, 8]"))
    calls = (place(RESNET, "self.layer1(x)"),)
    found = edited(Failure("trace", "no", place(RESNET, "out += x"), calls, operation=given), RESNET)
    assert found[0] == "return nn.Sequential(block(self.inplanes, planes, stride, downsample))"


def test_nodes_are_taken_at_the_places_of_something_else_in_the_function() -> None:
    given = attempt("torch.Tensor.mul", ("f32[100, 8, 8]", "f32[500, 8, 1]"))
    found = edited(Failure("trace", "no", place(RESNET, "nodes * weights"), operation=given), RESNET)
    assert found[0] == "return scatter(nodes[src] * weights, dst)"


def test_a_field_is_taken_of_an_object() -> None:
    held = Group("object", (TensorType("f32", (2, 16, 8)), TensorType("f32", (2, 4))), ("hidden", "logits"), "Output")
    given = replace(attempt("operator", ("f32[2, 16, 8]",)), called="+")
    given = replace(given, arguments=(*given.arguments, Argument("1", held, "out")))
    failure = Failure("trace", "no", place(RESNET, "x + out"), operation=given)
    assert "return x + out.hidden" in edited(failure, RESNET)[:2]
    assert said(failure).endswith("is `Output` with `hidden`, `logits`")


LOOPS = """import torch
from torch import nn
class Dense(nn.Module):
    def __init__(self, layers, width, growth):
        self.parts = nn.ModuleList()
        for i in range(layers):
            self.parts.append(nn.BatchNorm2d(width + growth))
    def forward(self, x, i):
        return self.parts[i](x)
class Aspp(nn.Module):
    def __init__(self, rates, width, widths):
        self.convs = nn.ModuleList()
        self.project = nn.Conv2d(len(rates) * width, width, 1)
        self.head = nn.Linear(num_classes, 4 * width)
        self.downs = nn.ModuleList(nn.Conv2d(b, a, 1) for a, b in zip(widths, widths[1:]))
    def forward(self, x):
        return self.project(x)
    def last(self, x):
        return self.head(x)
    def down(self, x):
        return self.downs[0](x)
class Body(nn.Module):
    def __init__(self, width):
        self.body = nn.Sequential(nn.Conv2d(width, 2 * width, 3), nn.ReLU(), nn.BatchNorm2d(width))
    def forward(self, x, emb):
        emb = emb[None]
        return self.body(x) + emb
class Pooled(nn.Module):
    def forward(self, x, count):
        tokens = x[:, :count]
        return x.transpose(1, 2).reshape(2, 8, 4, 4), tokens
"""


def _layer(part: str, target: str, given: str, built: str, **settings: Any) -> list[str]:
    layer = replace(attempt(target, (given,), "layer", **settings), built=place(LOOPS, built))
    return edited(Failure("trace", "no", place(LOOPS, part), layer=layer), LOOPS)


def test_a_sum_in_a_loop_grows_with_it() -> None:
    found = _layer(
        "self.parts[i](x)", "BatchNorm2d", "f32[2, 32, 8, 8]", "nn.BatchNorm2d(width + growth)", num_features=48
    )
    assert found[0] == "self.parts.append(nn.BatchNorm2d(width + i * growth))"


def test_as_many_as_another_list_has() -> None:
    sizes = {"in_channels": 384, "out_channels": 128}
    found = _layer("self.project(x)", "Conv2d", "f32[2, 640, 8, 8]", "nn.Conv2d(len(rates) * width, width, 1)", **sizes)
    assert "self.project = nn.Conv2d(len(self.convs) * width, width, 1)" in found


def test_variables_of_a_loop_are_passed_in_its_order() -> None:
    sizes = {"in_channels": 32, "out_channels": 16}
    found = _layer("self.downs[0](x)", "Conv2d", "f32[2, 16, 8, 8]", "nn.Conv2d(b, a, 1)", **sizes)
    assert "self.downs = nn.ModuleList(nn.Conv2d(a, b, 1) for a, b in zip(widths, widths[1:]))" in found


def test_the_rest_is_left_where_the_first_are_taken_off() -> None:
    given = attempt("torch.Tensor.reshape", ("f32[2, 8, 20]", 2, 8, 4, 4))
    failure = Failure("trace", "no", place(LOOPS, "x.transpose(1, 2).reshape(2, 8, 4, 4)"), operation=given)
    assert edited(failure, LOOPS)[:1] == ["x = x[:, count:]"]


def test_a_layer_that_takes_classes_has_its_sizes_exchanged() -> None:
    sizes = {"in_features": 5, "out_features": 32}
    found = _layer("self.head(x)", "Linear", "f32[2, 32]", "nn.Linear(num_classes, 4 * width)", **sizes)
    assert found[0] == "self.head = nn.Linear(4 * width, num_classes)"


def test_a_part_of_a_sequence_has_the_size_of_the_part_before_it() -> None:
    found = _layer("self.body(x)", "BatchNorm2d", "f32[2, 32, 8, 8]", "nn.BatchNorm2d(width)", num_features=16)
    assert found[0].endswith("nn.ReLU(), nn.BatchNorm2d(2 * width))")


def test_a_dim_of_one_is_put_at_the_end() -> None:
    given = attempt("torch.Tensor.add", ("f32[2, 32, 8]", "f32[1, 2, 32]"))
    found = edited(Failure("trace", "no", place(LOOPS, "self.body(x) + emb"), operation=given), LOOPS)
    assert "emb = emb[..., None]" in found


SCRIPT = """import torch
output = model(src, trg)
output = output.reshape(-1, 40)
loss = torch.nn.functional.cross_entropy(output, trg[:, 1:].reshape(-1))
"""


def test_what_a_script_makes_flat_is_cut_before() -> None:
    given = attempt("torch.nn.functional.cross_entropy", ("f32[176, 40]", "i64[160]"))
    part = "torch.nn.functional.cross_entropy(output, trg[:, 1:].reshape(-1))"
    found = edited(Failure("trace", "no", place(SCRIPT, part), operation=given), SCRIPT)
    assert "output = output[:, 1:].reshape(-1, 40)" in found[:3]


def test_a_variable_of_a_loop_that_is_never_used_is_a_factor() -> None:
    text = """from torch import nn
class Head(nn.Module):
    def __init__(self, pairs):
        self.reg = nn.ModuleList([nn.Conv2d(c, 4, 3) for c, a in pairs])
def decode(reg, wh):
    return reg * wh
"""
    failure = Failure(
        "trace", "no", place(text, "reg * wh"), operation=attempt("torch.mul", ("f32[4, 9, 2]", "f32[7, 2]"))
    )
    assert edited(failure, text)[0] == "self.reg = nn.ModuleList([nn.Conv2d(c, a * 4, 3) for c, a in pairs])"
