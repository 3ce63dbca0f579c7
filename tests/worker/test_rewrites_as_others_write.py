"""Rewrites of what other hands wrote: code that says the same at greater length, or in helpers of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from tests.worker.test_rewrites import compared, found, source

HELPERS = """
def conv_norm(cin, cout):
    return nn.Sequential(nn.Conv1d(cin, cout, 3), nn.BatchNorm1d(cout))

def either(cin, cout):
    return nn.ModuleList([nn.Conv1d(cin, cout, 3), nn.BatchNorm1d(cin)])

def future(n, like):
    return torch.full((n, n), float('-inf'), dtype=like.dtype).to(like.device).triu(1)

def steps(like):
    places = torch.arange(like.shape[-1]) / 2
    return places.exp()

def wide(n, like):
    return torch.full((n, like.shape[-1]), float('-inf')).triu(1)

def two(cin, cout):
    return [nn.Conv1d(cin, cout, 3), nn.BatchNorm1d(cout)]

def local(n):
    return torch.ones(n, n).tril().triu(-64)

class Probe(nn.Module):
    def __init__(self, layer):
        super().__init__()
        layer.register_forward_hook(lambda module, args, result: None)

def frozen(body):
    for one in body.parameters():
        one.requires_grad_(False)
    return nn.Linear(8, 8)

class Grid:
    def __init__(self, n):
        self.coords = torch.arange(n)

def exists(item):
"""
ATTENTION, LOSS, ENTROPY = "attention-by-hand", "nll-of-log-softmax", "bce-of-sigmoid"
STEPS, TWICE, NUMPY = "loop-over-time", "computed-twice", "numpy-in-forward"
SELECT, BRANCH, DEVICE = "select-then-reduce", "data-dependent-if", "default-device"
ITEM = "item-in-arithmetic"
BIAS, CAST = "bias-before-batch-norm", "cast-to-itself"
MASKED = "s = q @ k.mT; s = s + future(5, s); return s.softmax(-1) @ v"
SAME = [
    (DEVICE, "return x + steps(x)", "torch.arange(like.shape[-1], device=like.device)"),
    (ATTENTION, "q = q * 0.5; s = q @ k.mT; s = s.masked_fill(x.mean(-1)[:, None] > 1e4, -torch.finfo(s.dtype).max); "
     "return s.softmax(-1) @ v", "torch.finfo(q.dtype).min"),
    (STEPS, "x = x * 2; outs = []; for t in range(x.size(1)):;; h = self.q(x[:, t]);; outs.append(h); "
     "outs = torch.stack(outs, dim=1); return outs + 1", "outs = self.q(x)\n        return outs + 1\n"),
    (LOSS, "p = q.log_softmax(-1); p = p.view(-1, p.size(-1)); return F.nll_loss(p, mask[:, :, 0].reshape(-1))",
     "return F.cross_entropy(q.reshape(-1, q.size(-1)), mask[:, :, 0].reshape(-1))\n"),
    (LOSS, "t = mask[0, :2].flatten(); p = q.log_softmax(-1); return F.nll_loss(p.reshape(-1, p.shape[-1]), t) + p",
     "p = q.log_softmax(-1)\n        return F.cross_entropy(q.reshape(-1, q.shape[-1]), t) + p\n"),
    (LOSS, "return F.nll_loss(q.log_softmax(-1).view(10, 8), mask[:, :, 0].reshape(10))",
     "return F.cross_entropy(q.reshape(10, 8), mask[:, :, 0].reshape(10))\n"),
    (ENTROPY, "p = q.sigmoid(); return F.binary_cross_entropy(p.view(-1), torch.ones(80))",
     "return F.binary_cross_entropy_with_logits(q.reshape(-1), torch.ones(80))\n"),
    (BRANCH, "n = q.norm(); if n > 2:;; q = q * (0.5 / (n + 1)); return q",
     "q = torch.where(n > 2, q * (0.5 / (n + 1)), q)\n"),
    (NUMPY, "o = np.argsort(-q.detach().cpu().numpy(), axis=1); return q.gather(1, torch.from_numpy(o))",
     "q.gather(1, torch.argsort(-q.detach(), dim=1))\n"),
    (NUMPY, "a = q.detach().numpy(); return q - torch.from_numpy(a.mean(axis=1, keepdims=True))",
     "return q - torch.mean(q.detach(), dim=1, keepdim=True)\n"),
    (NUMPY, "a = q.detach().numpy(); return q - torch.from_numpy(np.max(a, axis=-1, keepdims=True))",
     "return q - torch.amax(q.detach(), dim=-1, keepdim=True)\n"),
    (NUMPY, "a = np.linalg.norm(q.detach().cpu().numpy(), axis=-1, keepdims=True); "
     "a = torch.from_numpy(a).to(q.device); "
     "return q * a", "a = torch.linalg.norm(q.detach(), dim=-1, keepdim=True).to(q.device)\n"),
    (NUMPY, "a = np.concatenate([q.detach().numpy(), np.exp(k.detach().numpy())], axis=-1); return torch.from_numpy(a)",
     "return torch.cat([q.detach(), torch.exp(k.detach())], dim=-1)\n"),
    (NUMPY, "return q + torch.from_numpy(np.maximum(q.detach().numpy(), -1.0))", "torch.clamp(q.detach(), min=-1.0)"),
    (NUMPY, "a = q.detach().numpy(); b = np.exp(a); b = np.minimum(b, b.max(axis=(1, 2), keepdims=True) - 1.0); "
     "return torch.from_numpy(b)", "a = q.detach()\n        b = torch.exp(a)\n        "
     "b = torch.minimum(b, torch.amax(b, dim=(1, 2), keepdim=True) - 1.0)\n        return b\n"),
    (NUMPY, "a = q.detach().cpu().numpy(); return torch.from_numpy((a - a.mean(axis=1, keepdims=True)) * 2)",
     "a = q.detach()\n        return (a - torch.mean(a, dim=1, keepdim=True)) * 2\n"),
    (STEPS, "outs: list = []; for t in range(x.size(1)):;; h = x[:, t, :];; outs.append(self.q(h)); "
     "return torch.stack(outs, dim=1)", "return self.q(x)\n"),
    (ITEM, "n = x.abs().max().item(); gain = 2 / (n + 1e-8); y = self.q(x * gain); return y / gain",
     "n = x.abs().max().detach()\n        gain = 2 / (n + 1e-8)\n"),
    (TWICE, "y = x + 1; a = (y.exp()[..., None] - 1) ** 2; b = y.exp(); return a.mean(-1) * (b + 1)",
     "a = (exp[..., None] - 1) ** 2\n        b = exp\n"),
    (SELECT, "n = len(torch.nonzero(x > 0)); return x.sum() / (n + 1)", "n = torch.count_nonzero(x > 0)\n"),
    (TWICE, "y = x + 1; a = self.q(y).tanh(); b = self.q(y).exp(); return a * b",
     "a = q_1.tanh()\n        b = q_1.exp()\n"),
    (CAST, "return x + torch.zeros(8, dtype=x.dtype).to(x.dtype)", "return x + torch.zeros(8, dtype=x.dtype)\n"),
    (ATTENTION, "s = q @ k.mT; s = s.masked_fill(local(x.shape[1]) == 0, float('-inf')); return s.softmax(-1) @ v",
     "attn_mask=local(x.shape[1]) != 0"),
    (LOSS, "p = q[:, :, 2:].log_softmax(-1); return F.nll_loss(p.view(-1, 6), mask[:, :, 0].reshape(-1))",
     "q[:, :, 2:].reshape(-1, 6), mask[:, :, 0].reshape(-1))\n"),
    (ATTENTION, MASKED, "return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)\n"),
    (ATTENTION, "s = q @ k.mT; return (s + s.new_full((5, 5), -2.0)).softmax(-1) @ v",
     "            q, k, v, attn_mask=q.new_full((5, 5), -2.0), scale=1.0\n"),
    (LOSS, "soft = nn.LogSoftmax(dim=-1); p = soft(q[:, 0]); loss = nn.NLLLoss(reduction='sum'); "
     "return loss(p, mask[:, 0, 0])",
     "loss = nn.CrossEntropyLoss(reduction='sum')\n        return loss(q[:, 0], mask[:, 0, 0])\n"),
    (LOSS, "soft = nn.LogSoftmax(-1); return nn.NLLLoss()(soft(q[:, 0]), mask[:, 0, 0])",
     "return F.cross_entropy(q[:, 0], mask[:, 0, 0])\n"),
    (ENTROPY, "loss = nn.BCELoss(reduction='none'); p = q.sigmoid(); return loss(p, torch.zeros_like(x)) * p",
     "loss = nn.BCEWithLogitsLoss(reduction='none')\n        p = q.sigmoid()\n"
     "        return loss(q, torch.zeros_like(x)) * p\n"),
    (STEPS, "parts = x.unbind(dim=1); outs = [self.q(one) for one in parts]; outs = torch.stack(outs, dim=1); "
     "return outs", "        outs = self.q(x)\n        return outs\n"),
    ("log-of-softmax", "p = q.softmax(-1); p = p.gather(2, mask[:, :, :1]).squeeze(2); return p.log().mean()",
     "return F.log_softmax(q, dim=-1).gather(2, mask[:, :, :1]).squeeze(2).mean()\n"),
    ("clone-of-result", "y = torch.cat([q, k], 2); z = y.clone(); z[:, :, 2:4] = 0.0; return z",
     "z = torch.cat([q, k], 2)\n        z[:, :, 2:4] = 0.0\n"),
    ("double-transpose", "y = einops.rearrange(q, 'b n d -> b d n'); y = einops.rearrange(y, 'b d n -> b n d'); "
     "return y + 1",
     "y = q\n        return y + 1\n"),
    (ATTENTION, "s = q @ einops.rearrange(k, 'b n d -> b d n'); return s.softmax(-1) @ v",
     "return F.scaled_dot_product_attention(q, k, v, scale=1.0)\n"),
]  # fmt: skip
NEAR = [
    (LOSS, "loss = nn.NLLLoss(reduction='sum'); p = q[:, 0].log_softmax(-1); "
     "return loss(p, mask[:, 0, 0]) + loss(x[:, 0], mask[:, 0, 0])"),
    (LOSS, "loss = nn.NLLLoss(); loss = nn.NLLLoss(reduction='sum'); "
     "return loss(q[:, 0].log_softmax(-1), mask[:, 0, 0])"),
    ("clone-of-result", "y = torch.cat([q, k], 2); z = y.clone(); z[:, :, 2:4] = 0.0; return z + y"),
    (STEPS, "outs = [self.q(one) for one in x.unbind(1)]; y = torch.stack(outs, dim=1); return y + outs[0][:, None]"),
    ("log-of-softmax", "p = q.softmax(-1); p = p.gather(2, mask[:, :, :1]).sum(2); return p.log().mean()"),
    ("double-transpose", "y = einops.rearrange(q, 'b n d -> n b d'); return einops.rearrange(y, 'b n d -> b d n')"),
    ("activation-by-function", "return F.leaky_relu(x, x.shape[1] / 10)"),
    (STEPS, "outs = []; for t in range(x.size(1)):;; outs.append(self.q(x[:, t])); y = torch.stack(outs, dim=1); "
     "return y + len(outs)"),
    (STEPS, "outs = []; for t in range(x.size(1)):;; outs.append(self.q(x[:, t])); outs[0] = outs[1]; "
     "outs = torch.stack(outs, dim=1); return outs"),
    (LOSS, "p = q.log_softmax(-1).mean(1); return F.nll_loss(p, mask[:, 0, 0])"),
    (BRANCH, "n = q.norm(); if n > 2:;; q = q * x[0, 0, 0].item(); return q"),
    (NUMPY, "return q - torch.from_numpy(np.std(q.detach().numpy(), axis=1, keepdims=True))"),
    (NUMPY, "return q - torch.from_numpy(np.argmax(q.detach().numpy(), keepdims=True))"),
    (NUMPY, "return q - torch.from_numpy(np.where(q.detach().numpy() > 0, 1.0, 0.0))"),
    (SELECT, "n = len(torch.nonzero(x > 0)); return x.sum() / (n + 1e-6)"),
    (TWICE, "self.batch = nn.BatchNorm1d(5); return self.batch(x) * self.batch(x)"),
    (TWICE, "a = self.drop(x); b = self.drop(x); return a * b"),
    (CAST, "return x + torch.zeros(8, dtype=torch.float64).to(x.dtype)"),
    (DEVICE, "n = torch.full((2,), 5); return nn.utils.rnn.pack_padded_sequence(x, n, batch_first=True).data"),
    (DEVICE, "n = torch.tensor([5, 3]); "
     "return nn.utils.rnn.pack_padded_sequence(x, lengths=n, batch_first=True, enforce_sorted=False).data"),
    (DEVICE, "return x + torch.from_numpy(np.sin(torch.arange(8).numpy())).to(x)"),
    (DEVICE, "g = torch.Generator(); return x + torch.rand(8, generator=g)"),
    ("tensor-attribute", "return x + Grid(8).coords"),
    (ATTENTION, "s = (q @ k.mT).float(); s = s + s.new_full((5, 5), -1e9); return s.softmax(-1).to(q.dtype) @ v"),
    (TWICE, "a = x.exp(); b = x.exp(); if x.shape[0] > 64:;; a += 1; return a * b"),
    (TWICE, "return self.q(x), self.q(x)"),
    (TWICE, "y = x + 1; a = y.exp(); a += 1; return a * y.exp()"),
    (TWICE, "y = x + 1; a = y.exp(); b = y.exp() * 2; return a, b"),
    (TWICE, "y = x + 1; b = y.exp()[0] * 2; a = y.exp(); if x.shape[0] > 64:;; a.view(-1).add_(1); return a * b"),
    (TWICE, "y = x + 1; a = self.q(y).exp(); b = self.q(y).exp(); b.register_hook(print); return a * b"),
    (TWICE, "y = x + 1; a = y.exp(); b = y.exp(); if x.shape[0] > 64:;; torch.clamp(b, min=0, out=b); return a * b"),
    (TWICE, "y = x + 1; a = y.exp(); b = y.exp(); c = torch.squeeze(b); return a * b + c"),
    (ITEM, "n = x.max().item(); gain = 2 / (n + 1); return x * gain, gain"),
    (ITEM, "n = x.max().item(); gain = 2 / (n + 1); gain = gain + 1; return x * gain"),
    (STEPS, "outs: list = [x[:, 0]]; for t in range(x.size(1)):;; outs.append(self.q(x[:, t])); "
     "return torch.stack(outs, dim=1)"),
    (NUMPY, "return q + torch.from_numpy(np.concatenate([q.detach().numpy()], 1))"),
    (TWICE, "y = x + 1; a = self.q(y).view(-1); if x.shape[0] > 64:;; a += 1; return a.sum() * self.q(y).exp()"),
    (TWICE, "y = x + 1; a = self.q(y).exp(); b = self.q(  # again\n            y).tanh(); return a * b"),
    (TWICE, "a = self.drop(self.q(x)); b = exists(self.q(x)); return a, b"),
    (NUMPY, "a = q.detach().numpy(); b = np.exp(a); print(b); return torch.from_numpy(a * b)"),
    (NUMPY, "a = q.detach().numpy(); b = np.exp(a); c = b + b; b = np.sort(b); return torch.from_numpy(c + b)"),
    (NUMPY, "return q + torch.from_numpy(np.where(q.detach().numpy() > 0, 1.0, -1.0))"),
    (NUMPY, "return q.flatten() + torch.from_numpy(np.argsort(q.detach().numpy(), axis=None))"),
    (DEVICE, "n = torch.tensor([5, 3]); m = n.clamp(min=1); "
     "return nn.utils.rnn.pack_padded_sequence(x, m, batch_first=True, enforce_sorted=False).data"),
    (DEVICE, "return x + torch.from_numpy(np.asarray(torch.arange(8.0))).to(x)"),
    (ATTENTION, "s = q @ k.mT; s = s + wide(5, s); return s.softmax(-1) @ v"),
    (ATTENTION, "s = q @ k.mT; s = s + future(5, s); return s.softmax(-1) @ v, s"),
]  # fmt: skip


def written(body: str, init: str = "pass") -> str:
    return (
        source(body, init)
        .replace("\ndef exists(item):\n", HELPERS)
        .replace("import math\n", "import math\nimport einops\n", 1)
    )


@pytest.mark.parametrize(("rule", "body", "after"), SAME)
def test_what_is_said_at_greater_length_is_found_and_computes_the_same(
    tmp_path: Path, rule: str, body: str, after: str
) -> None:
    text = written(body)
    offer, path = found(tmp_path, text, rule)
    assert offer is not None
    assert after in applied(text, offer.edit.changes)
    assert compared(tmp_path, path, text, offer).rows or compared(tmp_path, path, text, offer).why == ""
    says = "the scores of a row that is masked as a whole get a gradient" if "finfo" in body else ""
    assert offer.unsafe == ("in half precision small numbers beside it are lost" if "1e-8" in body else says)


@pytest.mark.parametrize(("rule", "body"), NEAR)
def test_what_only_looks_like_it_is_no_offer(tmp_path: Path, rule: str, body: str) -> None:
    assert found(tmp_path, written(body), rule)[0] is None


@pytest.mark.parametrize(
    ("init", "offered"),
    [
        ("self.net = conv_norm(5, 5)", True),
        ("parts = [nn.Conv1d(5, 5, 3), nn.BatchNorm1d(5)]\n        self.net = nn.Sequential(*parts)", True),
        ("a, b = [nn.Conv1d(5, 5, 3), nn.BatchNorm1d(5)]\n        self.net, self.b = a, b", False),
        ("self.net = nn.Sequential(*two(5, 5), nn.ReLU())", True),
        ("self.net = two(5, 5)[0]", False),
        ("both = [nn.Conv1d(5, 5, 3), nn.BatchNorm1d(5)]\n        self.net = nn.ModuleList(both)[0]", False),
        (
            "parts = []\n        for _ in range(2):\n            parts.append(nn.Conv1d(5, 5, 3))\n"
            "            parts.append(nn.BatchNorm1d(5))\n        self.net = nn.Sequential(*parts)",
            True,
        ),
        (
            "parts = []\n        parts += [nn.Conv1d(5, 5, 3), nn.BatchNorm1d(5)]\n"
            "        self.net = nn.Sequential(*parts)",
            True,
        ),
        (
            "parts = []\n        parts.extend([nn.Conv1d(5, 5, 3), nn.BatchNorm1d(5)])\n"
            "        self.net = nn.Sequential(*parts)",
            True,
        ),
        (
            "parts = []\n        parts.append(nn.Conv1d(5, 5, 3))\n        parts.append(nn.BatchNorm1d(5))\n"
            "        self.net = nn.ModuleList(parts)[0]",
            False,
        ),
        ("self.both = either(5, 5); self.net = nn.Identity()".replace("; ", "\n        "), False),
    ],
)
def test_a_bias_in_what_a_helper_makes(tmp_path: Path, init: str, offered: bool) -> None:
    text = written("return self.net(x)", init)
    offer, path = found(tmp_path, text, BIAS)
    assert (offer is not None) == offered
    if offer is not None:
        assert "3, bias=False)" in applied(text, offer.edit.changes)
        assert "in eval()" in compared(tmp_path, path, text, offer).why


@pytest.mark.parametrize(
    ("made", "offered"),
    [
        ("conv_norm(5, 5)", True),
        ("Part()", True),
        ("Grid(3)", False),
        ("Probe(self.q)", False),
        ("frozen(self.q)", False),
    ],
)
def test_a_part_that_nothing_uses(tmp_path: Path, made: str, offered: bool) -> None:
    text = written("return self.net(x)", f"self.net = nn.Identity()\n        self.extra = {made}")
    text = text.replace("class Grid:", "class Part(nn.Module):\n    pass\n\nclass Grid:")
    offer, _ = found(tmp_path, text, "layer-unused")
    assert (offer is not None) == offered
    if offer is not None:
        assert "self.extra" not in applied(text, offer.edit.changes)


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("y = x * 2\n\n        p = y.exp()\n\n        return y", "y = x * 2\n\n        return y\n"),
        ("y = x * 2\n\n        p = y.exp()\n        return y", "y = x * 2\n\n        return y\n"),
        ("y = x * 2\n        p = y.exp()\n\n        return y", "y = x * 2\n\n        return y\n"),
        (
            "y = x * 2\n\n        p = y.exp()  # why\n\n        return y",
            "y = x * 2\n\n        # why\n\n        return y\n",
        ),
    ],
)
def test_one_blank_line_is_left_where_a_statement_was(tmp_path: Path, body: str, left: str) -> None:
    text = written(body)
    offer, _ = found(tmp_path, text, "result-unread")
    assert offer is not None
    assert left in applied(text, offer.edit.changes)


def test_numbers_that_the_module_holds(tmp_path: Path) -> None:
    body = "n = x.detach().numpy(); n = np.clip(n, self.low, self.high); return torch.from_numpy(10 * np.log10(n))"
    text = written(body, "self.low, self.high = 1e-7, 1e3")
    offer, path = found(tmp_path, text, NUMPY)
    assert offer is not None
    after = applied(text, offer.edit.changes)
    assert "return 10 * torch.log10(torch.clamp(x.detach(), self.low, self.high))\n" in after
    assert compared(tmp_path, path, text, offer).why == ""


@pytest.mark.parametrize("value", ["w / w.sum()", "-w", "w > 0"])
def test_a_computed_attribute(tmp_path: Path, value: str) -> None:
    text = written("return x * self.window", f"w = torch.hann_window(8)\n        self.window = {value}")
    offer, path = found(tmp_path, text, "tensor-attribute")
    assert offer is not None
    assert f'self.register_buffer("window", {value}, persistent=False)' in applied(text, offer.edit.changes)
    assert compared(tmp_path, path, text, offer).why == ""
