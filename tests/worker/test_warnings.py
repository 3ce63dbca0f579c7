"""Warnings on models that ran: several spellings of each mistake, and near misses that are as they should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.mends import for_warning
from fx_lsp.analysis.snapshot import ModuleClass, Problem, Snapshot, Trace
from fx_lsp.model.example import Example
from fx_lsp.model.span import Span
from tests.worker.tracing import trace

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn

def pair(n):
    return nn.Sequential(nn.Linear(n, n), nn.ReLU())

class Scores(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return self.fc(x).softmax(-1)

class Rate(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 1)

    def forward(self, x):
        return self.fc(x)

class Schedule:
    def __init__(self):
        self.steps = torch.linspace(0, 1, 8)

    def at(self, x):
        return x * self.steps + torch.zeros(8, device="cuda")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.one, self.soft = nn.Linear(8, 8), nn.Linear(8, 1), nn.Softmax(dim=-1)
        self.probs, self.scores = nn.Sequential(nn.Linear(8, 8), nn.Softmax(dim=-1)), Scores()
        self.embedding, self.norm, self.relu = nn.Embedding(30, 8), nn.LayerNorm(8), nn.ReLU()
        self.gru, self.pad_id = nn.GRU(8, 6, num_layers=2, batch_first=True), 0
        self.attention, self.pool = nn.MultiheadAttention(8, 2, batch_first=True), nn.AdaptiveAvgPool1d(1)
        INIT

    def spare(self):
        some = self.fc, self.one, self.soft, self.probs, self.scores
        return some, self.norm, self.relu, self.gru, self.attention, self.pool

    def forward(self, ids, target, weight):
        x = self.embedding(ids)
        real = ids != self.pad_id
        b, t, c = x.shape
        first = x[:, 0]
        s = first[:, None] * x @ x.transpose(1, 2)
        q = x.view(b, t, 2, 4).transpose(1, 2)
        hidden = torch.triu(torch.ones(t, t, device=x.device), diagonal=1).bool()
        some = real, first, s, q, hidden
        BODY
"""
CALL = "Net()(i64[3, 5], i64[3], f32[3])"
TWICE, LOGITS, LOG = "double-softmax", "sigmoid-before-logits", "probabilities-without-log"
CROSS, BATCH, ONE = "softmax-before-cross-entropy", "softmax-over-batch", "softmax-of-one"
VIEW, IN_PLACE, EACH, NORM = "view-mixes-dims", "in-place-on-saved", "silent-broadcast", "norm-of-one"
NUMBERS, INVERTED, THROWN = "mask-of-numbers", "mask-inverted", "result-unused"
BUFFER, DEVICE, UNUSED = "tensor-not-buffer", "device-hard-coded", "unused-parameters"
DTYPE = "dtype-hard-coded"

WRONG = [
    (TWICE, "return «F.softmax(self.soft(x), dim=2)»"),
    (TWICE, "p = torch.softmax(x, -1); p = F.dropout(p, 0.1, self.training); return «p.log_softmax(dim=-1)»"),
    (TWICE, "p = self.probs(x).float(); return «self.soft(p)»"),
    (TWICE, "return «self.scores(x).softmax(-1)»"),
    (TWICE, "p, n = x.softmax(-1), 1; return «p.softmax(-1)»"),
    (CROSS, "p = torch.stack([self.soft(self.fc(x[:, i])) for i in range(t)], 1);"
     " return «F.cross_entropy(p.transpose(1, 2), ids)»"),
    (CROSS, "p = torch.cat([self.soft(first), self.soft(first)]); return «F.cross_entropy(p, target.repeat(2))»"),
    (CROSS, "loss = nn.CrossEntropyLoss(); return «loss(self.probs(first), target)»"),
    (CROSS, "return «F.cross_entropy(self.scores(first), target)»"),
    (CROSS, "p = self.soft(first).clone(); return «F.cross_entropy(input=p, target=target)»"),
    (LOGITS, "return «F.binary_cross_entropy_with_logits(torch.sigmoid(first), first)»"),
    (LOGITS, "y = self.fc(first).sigmoid(); return «nn.BCEWithLogitsLoss()(y, first)»"),
    (LOGITS, "loss = nn.BCEWithLogitsLoss(); p = nn.Sigmoid()(first); return «loss(F.sigmoid(first), p)»"),
    (LOG, "return «F.nll_loss(F.softmax(first, dim=1), target)»"),
    (LOG, "return «nn.NLLLoss()(self.fc(first), target)»"),
    (LOG, "p = self.soft(x); return «F.kl_div(p, x.softmax(-1), reduction='batchmean')»"),
    (BATCH, "self.two = nn.Linear(6, 1)", "y, h = self.gru(x); w = «self.two(y).softmax(0)»; return (w * y).sum(1)"),
    (BATCH, "w = F.softmax(s / 8**0.5, dim=0); return w @ x", "F.softmax(s / 8**0.5, dim=0)"),
    (BATCH, "w = (q @ q.mT).masked_fill(hidden, -1e9).softmax(1); w = F.dropout(w, 0.1, self.training); return w @ q",
     "(q @ q.mT).masked_fill(hidden, -1e9).softmax(1)"),
    (BATCH, "y = «F.log_softmax(first, dim=0)»; return F.nll_loss(y, target)"),
    (BATCH, "p = «first.softmax(0)»; return p.argmax(dim=1)"),
    (BATCH, "p = «torch.softmax(first, dim=-2)»; return p.topk(2).indices"),
    (BATCH, "p = «first.softmax(0)»; return torch.multinomial(p, 1)"),
    (ONE, "return «F.softmax(self.one(x), dim=-1)»"),
    (ONE, "y = self.one(first); return «y.log_softmax(1)»"),
    (ONE, "return «F.cross_entropy(self.one(first), target * 0)»"),
    (VIEW, "return «x.view(t, b, c)»"),
    (VIEW, "return «x.reshape((x.size(1), -1, c))»"),
    (VIEW, "return «x.view(-1, 8, x.shape[1])»"),
    (VIEW, "y = q.softmax(-1); return «y.reshape(b, t, c)»"),
    (VIEW, "i = torch.stack([ids] * 2, -1); b, t, n = i.shape; y = self.embedding(i.view(b * t, n));"
     " return «y.view(b * t, 8, n)»"),
    (VIEW, "y = torch.stack([x] * 2, 1); z = y[:, :, :4].permute(0, 3, 1, 2); n, c, h, w = z.shape;"
     " z = z.flatten(2).transpose(1, 2)[:, :4]; h = w = 2; return «z.reshape(n, c, h, w)»"),
    (VIEW, "z = x.mT[..., :4].unflatten(2, (2, 2)); n, k, h, w = z.shape; y = z.reshape(n, 4, 2, 4).mT.contiguous();"
           " return «y.reshape(n, k, h, w)»"),
    (VIEW, "y, h = self.gru(x); return «h.view(b, -1)»"),
    (VIEW, "y, h = self.gru(x); return «h.reshape(-1, 12)»"),
    (VIEW, "w = self.embedding.weight[ids % 7]; return «w.view(3, 8, 5)»"),
    (VIEW, "y = self.embedding(ids.flatten()); return «y.view(b, 8, 5, 1)»"),
    (VIEW, "y = torch.cat([x, x[..., :1]], -1); return «y.view(b, -1, t)»"),
    (VIEW, "y = F.pad(x, (0, 1)); return «y.view(b, y.shape[2], t)»"),
    (VIEW, "n, k, i, d = q.shape; y = q.transpose(1, 2).reshape(n * i, k, d).relu(); return «y.view(n, k, i, d)»"),
    (IN_PLACE, "y = self.relu(self.fc(x)); «y += x»; return y"),
    (IN_PLACE, "y = torch.exp(self.fc(x)); «y.mul_(2)»; return y"),
    (IN_PLACE, "«x += self.fc(self.norm(x))»; return x"),
    (IN_PLACE, "self.part = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8))", "h = self.part(x); «x += h»; return x"),
    (IN_PLACE, "self.norm.requires_grad_(False)", "h = self.fc(x); «x += h»; return x"),
    (IN_PLACE, "self.part = nn.Sequential(nn.LayerNorm(8))", "h = self.part(x); «x.add_(other=h)»; return x"),
    (IN_PLACE, "y = self.fc(x); z = F.gelu(y); «y.add_(1)»; return y + z"),
    (EACH, "return «self.one(first) * weight»"),
    (EACH, "y = torch.sigmoid(self.one(first)); return «weight - y»"),
    (EACH, "return «self.one(first) / x.sum(dim=(1, 2))»"),
    (EACH, "return «weight + 0.9 * self.one(first)» - 1"),
    (EACH, "y = F.cross_entropy(first, target, reduction='none'); return «self.one(first).sigmoid() * y»"),
    (EACH, "return («x.sum((1, 2)) * real.sum(1, keepdim=True)»).mean()"),
    (EACH, "y = «x.sum((1, 2)) / real.sum(1, keepdim=True)»; return y.sum()"),
    (EACH, "y = «x.sum((1, 2)) / real.sum(1, keepdim=True)»; return -torch.mean(y)"),
    (NORM, "self.group = nn.GroupNorm(8, 8)", "return «self.group(self.pool(x.mT))»"),
    (NORM, "self.group = nn.GroupNorm(8, 8)", "return «self.group(x.mean(1))»"),
    (NORM, "self.group = nn.GroupNorm(8, 8)", "p = F.adaptive_max_pool1d(x.mT, output_size=1); return «self.group(p)»"),
    (
        NORM,
        "self.group, self.squeeze = nn.GroupNorm(8, 8), nn.Conv1d(8, 8, 1)",
        "s = F.adaptive_avg_pool1d(x.mT, 1)\n        return F.relu(«self.group(self.squeeze(s))»)",
    ),
    (NORM, "self.batch = nn.BatchNorm1d(8)", "return «self.batch(first[0].unsqueeze(0))»"),
    (NORM, "self.layer = nn.LayerNorm(1)", "return «self.layer(self.one(x))»"),
    (INVERTED, "near = (ids[:, None] == ids[:, :, None]).float()"
     "; seen = torch.ones(t, t, device=x.device).tril().bool()\n        if b: s = s.masked_fill(«seen», -1e9)"
     "\n        if b: s = s + near\n        return s.softmax(-1)"),
    (NUMBERS, "s = s / 2; mask = real.float()\n        if b: s = s + «mask[:, None]»\n        return s.softmax(-1)"),
    (NUMBERS, "pad = (weight > 0).float()\n        if b: s = s + «pad[:, None, None]»\n        return s.softmax(-1)"),
    (NUMBERS, "m = real[:, None, None].float(); return F.scaled_dot_product_attention(q, q, q, attn_mask=«m»)"),
    (NUMBERS, "m = torch.tril(torch.ones(t, t, device=x.device)); return F.scaled_dot_product_attention(q, q, q, «m»)"),
    (NUMBERS, "y = s + real.to(s.dtype)[:, None]; return y.softmax(-1) @ x", "real.to(s.dtype)[:, None]"),
    (NUMBERS, "self.register_buffer('past', torch.ones(9, 9).tril().view(1, 9, 9))",
     "y = s + «self.past[:, :t, :t]»; return y.softmax(-1) @ x"),
    (INVERTED, "return self.attention(x, x, x, key_padding_mask=«ids != self.pad_id»)"),
    (INVERTED, "return self.attention(x, x, x, «real»)"),
    (INVERTED, "return F.scaled_dot_product_attention(q, q, q, attn_mask=«hidden»)"),
    (INVERTED, "return F.scaled_dot_product_attention(q, q, q, attn_mask=«~real[:, None, None]»)"),
    (INVERTED, "return s.masked_fill(«torch.ones(t, t, device=x.device).tril() == 1», -torch.inf).softmax(-1) @ x"),
    (INVERTED, "self.register_buffer('past', torch.tril(torch.ones(9, 9)))",
     "return s.masked_fill(«self.past[:t, :t].bool()», -1e9).softmax(-1)"),
    (INVERTED, "m = torch.ones(t, t, device=x.device).triu() > 0; return torch.where(«m», -torch.inf, s).softmax(-1)"),
    (ONE, "self.score = nn.Sequential(nn.Conv1d(8, 1, 1), nn.Softmax(dim=1))", "return «self.score(x.mT)»"),
    (BUFFER, "«self.table = torch.linspace(0, 1, 8)»", "return x * self.table"),
    (BUFFER, "«self.past = torch.ones(5, 5).tril()»", "return torch.matmul(self.past, x)"),
    (BUFFER, "«self.m = torch.tril(torch.ones(5, 5)) == 0»", "return s.masked_fill(self.m, 0)"),
    (BUFFER, "«self.table = torch.ones(9, 8)»", "x = x * 1; x += self.table[:t]; return x"),
    (DEVICE, "return x + «torch.zeros(8, device='cuda')»"),
    (DEVICE, "return «x.cuda()» * 2"),
    (DEVICE, "return «x.to('cuda:0')»"),
    (DEVICE, "d = {'x': x}; «d['x'].cuda()»; return x * 2"),
    (DEVICE, "«torch.relu(x).cuda()»; return x * 2"),
    (DEVICE, "return «torch.arange(8, device=torch.device('cuda'))» + x"),
    (BUFFER, "steps = torch.linspace(0, 1, 8); «self.table = steps.sqrt()»", "return x * self.table"),
    (BUFFER, "«self.table = torch.linspace(0, 1, 30)»", "return self.table[ids]"),
    (BUFFER, "table = torch.zeros(30, 8); table[:, 0::2] = 1; «self.table = table.unsqueeze(0)»",
     "return x + self.table[:, :t]"),
    (UNUSED, "«self.forgotten» = nn.Linear(8, 8)", "return x"),
    (UNUSED, "«self.forgotten», self.other = nn.Linear(8, 8), nn.Linear(8, 8)", "return self.other(x)"),
    (THROWN, "y = x.clone(); «y.index_fill(1, target, 0.)»; return y"),
    (THROWN, "«x.sum(1, True)»; return x"),
    (THROWN, "«self.norm(x)»; return x"),
    (THROWN, "y = «self.norm(x)»; return x"),
    (THROWN, "y = «x + self.scores(x)»; y = x * 2; return y"),
    (THROWN, "out = {'a': x}; «out['a'].log_softmax(dim=-1)»; return out"),
    (THROWN, "y = «torch.relu(x)»; y, z = x * 2, 3; return y * z"),
    (THROWN, "with torch.no_grad():;; y = «x.exp() * 2»; return x"),
    (VIEW, "return «x.view(x.mT.shape)»"),
    (VIEW, "y = x[:, :, :5]; b, t, c = y.shape; y = y.clone(); b, t, c = y.shape; return «y.view(b, c, t)»"),
    (VIEW, "y = x[:, :, :6].unflatten(2, (2, 3)); n, d, e, f = y.shape; return «y.reshape(n, e, d * f)»"),
    (ONE, "self.score = nn.Conv1d(8, 1, 1)", "return «self.score(x.mT).softmax(dim=1)»"),
    (BUFFER, "«self.table = torch.linspace(0, 1, 8)»", "x = x + 0.1 * self.table; return x"),
    (BUFFER, "«self.table = torch.ones(9, 8)»", "return x + self.table[:t].unsqueeze(0)"),
    (DTYPE, "return «x.half()».float()"),
    (DTYPE, "y = «x.to(torch.bfloat16)»; return y.sum()"),
    (DTYPE, "kept = x.dtype; y = «x.half()»; assert kept is not None; return y"),
    (BATCH, "w = F.softmax(self.one(x).squeeze(-1), dim=0); return torch.einsum('bt,btd->bd', w, x)",
     "F.softmax(self.one(x).squeeze(-1), dim=0)"),
    (BATCH, "w = «torch.softmax(self.one(x).squeeze(-1), 0)»; return (w.unsqueeze(-1) * x).sum(dim=1)"),
    (BATCH, "s = self.one(x)[..., 0]; w = «torch.softmax(s, 0)»; return (x * w[..., None]).sum(dim=1)"),
    (BATCH, "w = «self.one(x).softmax(dim=0)»; pooled = x * w; return pooled.sum(1)"),
    (BATCH, "self.rate = Rate()", "w = «self.rate(x).squeeze(-1).softmax(dim=0)»; return torch.bmm(w[:, None], x)"),
    (BATCH, "w = «self.one(x).squeeze(2).softmax(0)»; return torch.bmm(w[:, None], x)"),
    (BATCH, "w = «self.one(x).squeeze(2).softmax(0)»; return w[:, None, :] @ x"),
    (BATCH, "w = «torch.softmax(self.one(x), dim=0)»; return torch.matmul(w.transpose(1, 2), x).squeeze(1)"),
    (VIEW, "a, self.k = 5, 3; self.head = nn.Conv2d(2, a * self.k, 1)",
     "return «self.head(q).reshape(b, -1, self.k)»"),
    (VIEW, "a, k = 5, 2; self.k = k; self.head = nn.Sequential(nn.ReLU(), nn.Conv2d(2, k * a, 1))",
     "y = self.head(q); return «y.view(y.shape[0], -1, self.k)»"),
    (UNUSED, "«self.forgotten» = nn.Parameter(torch.ones(8))", "return x"),
    (UNUSED, "«self.forgotten» = pair(8)", "return x"),
    (UNUSED, "«self.forgotten» = nn.Linear(8, 8)", "return x.to(next(iter(self.parameters())).dtype)"),
    (UNUSED, "«self.forgotten» = nn.Linear(8, 8)", "return x.to(list(self.parameters())[0].dtype)"),
    (UNUSED, "«self.forgotten» = Scores()", "return self.scores(x)"),
    (UNUSED, "«self.forgotten» = nn.Sequential(nn.Linear(8, 8), nn.ReLU())", "return x"),
]  # fmt: skip
"""Rule, what `__init__` makes besides (or nothing), the body; the expression stands in guillemets, or is the last."""

NEAR = [
    "p = first.softmax(0); return p.argmax(dim=0), p.topk(2, dim=0), first.softmax(1).max(-1)",
    "p = x.softmax(1); return p.argmax(2), p.argmax()",
    "out = self.probs(x.clone()); x += out; return x",
    "out = self.probs(x.detach() * 2); x += out; return x",
    "w = self.one(x).softmax(0).squeeze(-1); return torch.bmm(w.transpose(0, 1).unsqueeze(1), x.transpose(0, 1))",
    "w = self.one(x).softmax(dim=0); return (w * x).sum(dim=0)",
    "w = self.one(x).softmax(dim=0); return (w * x).sum(0), (w * x).sum(1)",
    "w = self.one(x).softmax(dim=0); return (w * x).sum(-1).sum(0)",
    "w = self.one(x).squeeze(2).softmax(0); return (w[:, None] @ x).sum(0)",
    "w = self.one(x).softmax(dim=1); return (w * x).sum(dim=1)",
    "w = self.one(x).squeeze(-1).softmax(dim=0); return torch.einsum('bt,btd->btd', w, x)",
    "one = x[0]; w = self.one(one).softmax(dim=0); return w.mT @ one, (w * one).sum(0)",
    "one = x[0]; w = self.one(one).squeeze(-1).softmax(dim=0); return torch.einsum('t,td->d', w, one), w[None] @ one",
    "w = self.one(x).squeeze(-1).softmax(dim=0); return (w[1] * x[0, 0, :5]).sum()",
    "w = self.one(x).squeeze(-1).softmax(dim=0); return (w.unsqueeze(0) * x[:, :, :3].permute(2, 0, 1)).sum(1)",
    "return x.view(-1, x.shape[1], 8)",
    "y = self.embedding(ids.flatten()); return y.view(b, t, 2, 4), y.view(b, -1), y.view(-1), y.view(b * t, 4, 2)",
    "y = self.embedding.weight[2:7]; return y.reshape(8, 5)",
    "y, h = self.gru(x[:1]); return h.view(1, -1)",
    "return x.view(-1, 4, x.shape[1])",
    "n = x.shape[0]; y = self.fc(x.reshape(-1, 8))[:, :n]; return y.reshape(n, -1)",
    "n, k, i, d = q.shape; y = q.transpose(1, 2).reshape(n * i, k, d); z = q.reshape(n * k, i, d);"
    " return y.view(n, i, k, d), z.view(n, k, i, d), z.view(n, k * i, d)",
    "n, k, i, d = q.shape; y = q.transpose(1, 2).reshape(n * i, k, d); o = torch.arange(n * i * k).view(n, i, k);"
    " y = y.flatten(0, 1)[o.transpose(1, 2).flatten()].unflatten(0, (n * i, k)); return y.view(n, k, i, d)",
    "return x.half().relu().to(x.dtype)",
    "device, kept = x.device, x.dtype; y = x.half(); return y.to(kept)",
    "return x.view(x.shape)",
    "b, t, c = x.shape; return x.view(b * t, c), x.view(b, c * t), x.view(t * b, c).view(b, t, c)",
    "y = x.mT; b, t, c = x.shape; return y.reshape(b, c, t), y[:, :, :1].reshape(b, 1, c)",
    "y = x.mT.contiguous(); b, c, t = y.shape; y = y.mT; return y.reshape(b, t, c)",
    "y = x[:, :1]; b, o, c = y.shape; return y.view(o, b, c)",
    "if x.dtype == torch.float16:;; x = x.half(); return x.double().float(), x.bool().half()",
    "y = x.half() if x.is_cuda else x; return y",
    "kind = x.dtype; y = x.half().contiguous(); z = y * 2; return z.to(kind)",
    "return self.fc(x[:, :, :1].mT.mT.repeat(1, 1, 8)).softmax(1)",
    "y = x + 1; f = lambda: y; return f()",
    "y = x * 2; del y; return x",
    "y = x * 2; return f'{y}', x",
    "y = x * 2; return locals()['y']",
    "def f():;; return y + 1; y = x * 2; return f()",
    "y = x; for i in range(2):;; y = y * 2; return x",
    "y = x * 2; z = [y for _ in range(2)]; y = x; return z, y",
    "nn = x * 2; return torch.relu(nn)",
    "F = x * 2; z = F.exp(); return z",
    "y = torch.cat((x, x), 1)[:1].expand(4, 10, c).transpose(0, 1); n, e, d = y.shape; y = y.reshape(n, e * 2, 4);"
    " y = y.relu(); return y.view(n, e, d)",
    "_ = x * 2; y = x[:, 0]; z = x.transpose(1, 2); return x",
    "y = x.add_(1) if t > 90 else x; z = self.scores(x); return x",
    "if t > 2:;; y = x * 2; else:;; y = x; return y",
    "try:;; y = x * 2; finally:;; pass; return x, y",
    "w = F.softmax(self.one(x).squeeze(-1), dim=1); return torch.einsum('bt,btd->bd', w, x)",
    "return x.softmax(-1).softmax(0)",
    "p = x.softmax(-1); p = p / p.sum(-1, keepdim=True) * 3; return p.softmax(-1)",
    "return x.log_softmax(-1).softmax(-1)",
    "p, n = x.softmax(-1), 1; p, n = x, 2; return p.softmax(-1)",
    "n, p = 1, 2; p, n = x.softmax(-1), x; p = n; return p.softmax(-1)",
    "p = self.soft(x); if t > 2:;; p = x; return p.softmax(-1)",
    "return F.cross_entropy(self.probs(first).log(), target)",
    "return F.cross_entropy(self.fc(first), self.probs(first))",
    "return F.binary_cross_entropy(first.sigmoid(), first.sigmoid())",
    "return F.binary_cross_entropy_with_logits(first, first.sigmoid())",
    "return F.nll_loss(first.softmax(1).log(), target), F.kl_div(x.log_softmax(-1), x.softmax(-1))",
    "return F.softmax(self.one(x), dim=1) * x, F.softmax(s, dim=-2) @ x",
    "w = F.softmax(first, dim=0); return (w[:, :, None] * x[:, :1]).sum(0)",
    "return F.softmax(x[:, :, :1], dim=-1)",
    "return q.transpose(1, 2).reshape(b, t, c), x.view(b * t, c).view(b, t, c), x.transpose(0, 1).reshape(t, b, c)",
    "return x.view(b, t * c).view(b, t, 2, 4), q.reshape(b * 2, t, 4), q.reshape(b, -1)",
    "y = F.pad(s, (1, 0)); y = y.view(b, t + 1, t); return y[:, 1:].view(b, t, t)",
    "y = q.repeat(1, 1, 1, 2)[..., :6]; y = torch.cat((torch.zeros_like(y[..., :1]), y), dim=-1); n, h, i, j = y.shape;"
    " y = y.reshape(-1, h, j, i)[:, :, 1:]; return y.reshape(-1, h, i, j - 1)",
    "y = q.repeat(1, 1, 1, 3)[..., :10]; n, h, i, j = y.size();"
    " y = torch.cat([y, y.new_zeros(n, h, i, 1)], dim=-1).view(n, h, -1, i);"
    " return y.narrow(dim=2, start=0, length=10).view(n, h, i, -1)",
    "y, h = self.gru(x); return h.transpose(0, 1).reshape(b, -1)",
    "y = self.fc(x); y += x; y.mul_(2); return y",
    "y = torch.exp(self.fc(x)); y = y + 1; y += 1; return y",
    "with torch.no_grad():;; y = torch.exp(self.fc(x)); y += 1; return y",
    "y = torch.exp(self.fc(x).detach()); y += 1; return y",
    "if t > 2:;; y = self.fc(x); else:;; y = x; x += 1; return x + y",
    "if not self.training:;; y = self.fc(x).relu(); y += 1; return x",
    "n = b; n += 1; return x[:n]",
    "return 0.9 * self.one(first) + weight[:, None], (1 - self.one(first)) * F.cross_entropy(first, target)",
    "p = torch.stack([self.soft(first), self.fc(first)], 1); return F.cross_entropy(p.transpose(1, 2), ids[:, :2])",
    "mask = (1 - real.float()) * -1e9\n        if b: s = s + mask[:, None]\n        return s.softmax(-1)",
    "near = (ids[:, None] == ids[:, :, None]).float()\n        if b: s = s + near\n        return s.softmax(-1)",
    "y = F.dropout(x, p=0.2 if self.training else 0.0); return y",
    "return self.one(first) * weight[:, None], self.one(first)[:, 0] * weight, first[:, :1] - first[:, 0]",
    "return (weight[:, None] - weight).mean(), (first[:, :1] * weight).mean(1), (first[:, :1] * weight).relu().mean()",
    "y = first.sum(1, keepdim=True) * weight; return y.mean(), y",
    "return weight[:, None] * weight, self.one(first) + self.fc(first).sum(1)[None]",
    "return self.one(first) - self.one(first).T, self.one(first) * torch.arange(3, device=x.device)",
    "return F.scaled_dot_product_attention(q, q, q, attn_mask=real[:, None, None])",
    "m = (1 - real.float()) * -1e9; return (s + m[:, None]).softmax(-1) @ x, s + real.float()[:, None]",
    "m = real.float().masked_fill(~real, -1e9); return (s + m[:, None]).softmax(-1)",
    "return self.attention(x, x, x, key_padding_mask=~real, attn_mask=hidden)",
    "return s.masked_fill(hidden, float('-inf')).softmax(-1), s.masked_fill(~hidden, 0.0)",
    "return s.masked_fill(torch.tril(torch.ones(t, t, device=x.device)) == 0, -1e9).softmax(-1)",
    "return torch.where(~hidden, s, torch.finfo(s.dtype).min).softmax(-1), s.masked_fill(real[:, None], -1)",
    "m = torch.ones(t, t, device=x.device); return F.scaled_dot_product_attention(q, q, q, attn_mask=m.tril(0).bool())",
    "if torch.cuda.is_available():;; x = x.cuda(); return x",
    "return x.to(weight.device), torch.zeros(8, device=x.device) + x, torch.zeros(8, device='cpu') + x",
]
NEAR_LAYERS = [
    ("table = torch.zeros(30, 8); table = nn.Parameter(table); self.table = table[None]", "return x + 0 * self.fc(x)"),
    (
        "table = torch.zeros(30, 8, device=torch.device('cpu')); table[0] = 1; self.table = table[None]",
        "return x + self.table[:, :t]",
    ),
    ("self.schedule = Schedule()", "return self.schedule.at(x)"),
    (
        "a, self.k = 5, 3; self.head = nn.Conv2d(2, a * self.k, 1)",
        "return self.head(q).permute(0, 2, 3, 1).reshape(b, -1, self.k)",
    ),
    (
        "self.a, self.k = 5, 3; self.head = nn.Conv2d(2, self.a * self.k, 1)",
        "y = self.head(q); return y.view(b, self.a, self.k, t, -1).permute(0, 1, 3, 4, 2)",
    ),
    (
        "a, self.k = 5, 3; self.head = nn.Conv2d(2, a * self.k, 1)",
        "return self.head(q).mean((2, 3), keepdim=True).view(b, -1, self.k)",
    ),
    ("self.conv = self.net = nn.Linear(8, 8)", "return self.conv(x)"),
    ("self.group = nn.GroupNorm(2, 8)", "return self.group(self.pool(x.mT)), self.group(x.mT)"),
    ("self.group = nn.GroupNorm(8, 8)", "return self.group(F.adaptive_avg_pool1d(x.mT, 2)), self.group(x.mT[..., :1])"),
    ("self.batch = nn.BatchNorm1d(8)", "return self.batch(first), self.batch(self.pool(x.mT))"),
    ("self.table = torch.linspace(0, 1, 8)", "return x * self.table.to(x.device), x[:, :, self.table.long()]"),
    ("self.table = torch.tensor(2.0)", "return x * self.table"),
    ("self.table = torch.ones(9, 8)", "return x + self.table[:t].unsqueeze(0).to(x.device)"),
    ("self.score = nn.Conv1d(8, 1, 1)", "return self.score(x.mT).softmax(dim=2)"),
    ("self.register_buffer('table', torch.ones(8))", "return x * self.table"),
    ("self.table = torch.ones(8)", "self.table = self.table.to(x.device); return x * self.table"),
    ("self.table = nn.Parameter(torch.ones(8))", "return x * self.table"),
    ("self.table = torch.ones(8); self.table = nn.Parameter(self.table)", "return x * self.table"),
    ("self.table = torch.ones(8)", "return x[:, :, :self.table.shape[0]], self.table"),
    ("self.used = nn.Linear(8, 8)", "return self.used(x) if t > 100 else x"),
    ("self.used = nn.Linear(8, 8)", "return [layer(x) for name, layer in self.named_children() if name == 'u'], x"),
    ("self.used = nn.Linear(8, 8)", "return getattr(self, 'us' + 'ed')(x)"),
    ("self.tied = nn.Linear(8, 30); self.tied.weight = self.embedding.weight", "return x"),
    ("self.used = nn.Linear(8, 8)\n\n    def other(self, x):\n        return self.used(x)\n", "return x"),
    ("self.used = Scores()", "return self.used.fc(x), self.scores(x)"),
    ("self.bias = nn.Parameter(torch.ones(8))", "return x\n\nclass Tied:\n    ties = {'net.out.bias': 'net.bias'}\n"),
    ("self.act, self.drop = nn.ReLU(), nn.Dropout(0.1)", "return x"),
    ("self.some, self.more = nn.ModuleList(), nn.Sequential()", "return x"),
    ("self.dummy_weight = nn.Parameter(torch.ones(1))", "return x"),
    ("self._DUMMY = nn.Parameter(torch.ones(1))", "return x"),
    ("self.fc.requires_grad_(False)", "x = F.relu(x) + 1; h = self.fc(x); x += h; return self.one(x)"),
    ("self.kept = nn.Parameter(torch.ones(8))", "return x + sum(one.sum() for one in self.parameters())"),
]


def found(folder: Path, body: str, init: str = "", modules: tuple[ModuleClass, ...] = ()) -> list[tuple[str, str]]:
    """Rule and text of each warning, given what `__init__` and `forward` do."""
    text = SOURCE.replace("INIT", laid_out(init)).replace("BODY", laid_out(body))
    reply = trace(folder, text, CALL)
    assert reply.failure is None, reply.failure
    path = str(folder / "model.py")
    snapshot = Snapshot(path, text, modules, traces=(Trace(Example(path, CALL, "call"), CALL, (), reply),))
    lines = text.split("\n")
    problems = [one for one in all_problems(snapshot) if one.severity == "warning"]
    return [(one.code, lines[one.span.line - 1][one.span.column : one.span.end_column]) for one in problems]


@pytest.mark.parametrize(("name", "told"), [("DummyModel", []), ("Norm", ["self.forgotten"])])
def test_the_layer_of_a_dummy_is_there_to_have_a_parameter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: list[str]
) -> None:
    text = f"""
import torch
from torch import nn

class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.forgotten = nn.Parameter(torch.ones(8))

    def forward(self, ids, target, weight):
        x = ids.float() @ torch.ones(5, 8)
        return x / x.norm(dim=-1, keepdim=True)

Net = {name}
"""
    monkeypatch.setattr("tests.worker.test_warnings.SOURCE", text)
    assert [where for rule, where in found(tmp_path, "") if rule == UNUSED] == told


def test_a_weight_that_another_file_reads_is_not_unused(tmp_path: Path) -> None:
    made = "self.table = nn.Parameter(torch.ones(8))"
    for names in ({"table"}, {"other"}):
        module = ModuleClass("Net", 1, 0, 2, Span("model.py", 1, 0, 1, 3), for_others=frozenset(names))
        warned = found(tmp_path, "return x", made, (module,))
        assert warned == ([] if "table" in names else [(UNUSED, "self.table")])


def test_doubles_of_a_class_that_another_file_converts_are_asked_for(tmp_path: Path) -> None:
    for in_double in (True, False):
        module = ModuleClass("Net", 1, 0, 2, Span("model.py", 1, 0, 1, 3), in_double=in_double)
        warned = found(tmp_path, "return x * weight.double()[:, None, None]", modules=(module,))
        assert warned == ([] if in_double else [("hidden-upcast", "x * weight.double()[:, None, None]")])


def test_a_tensor_that_is_moved_and_thrown_away_is_told_of_once(tmp_path: Path) -> None:
    assert found(tmp_path, "x.cuda(); return x * 2") == [(THROWN, "x.cuda()")]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("CastsToBFloat16", True), ("Net_fp16", True), ("HalfPrecision", True), ("Net", False), ("Half", False)],
)
def test_half_precision_that_a_class_or_a_method_is_named_after(
    name: str, meant: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = f"x\n\n    def {name.lower()}(self, x):\n        return x.half()\n"
    assert (found(tmp_path, f"return self.{name.lower()}(x) if t else {method}") == []) is meant
    monkeypatch.setattr("tests.worker.test_warnings.SOURCE", SOURCE.replace("class Net(", f"class {name}("))
    monkeypatch.setattr("tests.worker.test_warnings.CALL", CALL.replace("Net(", f"{name}("))
    assert (found(tmp_path, "return x.half().float()") == []) is meant


def laid_out(code: str) -> str:
    """Statements in lines of their own; `:;;` opens a block, of the one statement after it."""
    return code.replace(":;; ", ":\n            ").replace("; ", "\n        ")


DROPS = "y = F.dropout(x, 0.1)"
MEANT = ("Drops in evaluation as well.", "we make this non deterministic", "It alway drops, even at test time.")


@pytest.mark.parametrize("text", [*MEANT, "Drops some of it.", "Tests whether it drops."])
def test_dropout_that_is_said_to_go_on(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [] if text in MEANT else [("dropout-always", DROPS[4:])]
    for body in (f"# {text}; {DROPS}; return y", f"{DROPS}  # {text}; return y"):
        assert found(tmp_path, body) == wanted
    documented = SOURCE.replace("class Net(nn.Module):\n", f'class Net(nn.Module):\n    """{text}"""\n')
    monkeypatch.setattr("tests.worker.test_warnings.SOURCE", documented)
    assert found(tmp_path, f"{DROPS}; return y") == wanted


@pytest.mark.parametrize(
    "text", ["Pedestrian intention prediction.", "Also gives the features, for inference. Drops some."]
)
def test_what_a_class_says_of_something_else_leaves_dropout_wrong(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documented = SOURCE.replace("class Net(nn.Module):\n", f'class Net(nn.Module):\n    """{text}"""\n')
    monkeypatch.setattr("tests.worker.test_warnings.SOURCE", documented)
    assert found(tmp_path, f"{DROPS}; return y") == [("dropout-always", DROPS[4:])]


@pytest.mark.parametrize(("rule", "parts"), [(rule, parts) for rule, *parts in WRONG])
def test_what_is_wrong(rule: str, parts: list[str], tmp_path: Path) -> None:
    marked = [part for part in parts if "«" in part]
    if marked:
        init, body = [*parts] if len(parts) == 2 else ["", *parts]
        wanted = marked[0].partition("«")[2].partition("»")[0]
    else:
        init, (body, wanted) = "", parts
    clean = [part.replace("«", "").replace("»", "") for part in (body, init)]
    assert found(tmp_path, *clean) == [(rule, wanted)]


@pytest.mark.parametrize("body", NEAR)
def test_what_is_as_it_should_be(body: str, tmp_path: Path) -> None:
    assert found(tmp_path, body) == []


GIVEN = """
import torch
from torch import nn

class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        return self.fc(x).softmax(0)

class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = Policy()

    def forward(self, x):
        return self.policy(x).mT @ x

class Pictures(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 8, 3), nn.Linear(8, 4)

    def forward(self, x):
        return self.fc(self.conv(x).mean((2, 3))).softmax(0)
"""


@pytest.mark.parametrize(
    ("call", "origin", "told"),
    [
        ("Policy()(f32[3, 8])", "call", True),
        ("Policy()(f32[8])", "call", False),
        ("Policy()(f32[3, 8])", "inferred", False),
        ("Pooled()(f32[3, 8])", "call", False),
        ("Pictures()(f32[2, 3, 9, 9])", "inferred", True),
    ],
)
def test_classes_that_a_model_gives(call: str, origin: str, told: bool, tmp_path: Path) -> None:
    """Of one observation, dim 0 is the classes: whether there are samples has to be said; and a part may weigh them."""
    found = [one.code for one in _warned(tmp_path, GIVEN, call, origin)[1]]
    assert found == [BATCH] * told


CLASSES = """
import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.one = nn.Linear(8, 8), nn.Linear(8, 1)
        self.net = INIT

    def forward(self, x):
        BODY
"""


@pytest.mark.parametrize(
    ("init", "body", "told"),
    [
        ("None", "return F.softmax(self.fc(x), dim=0)", True),
        ("None", "y = self.fc(x).relu() / 0.5; return y.log_softmax(-2)", True),
        ("nn.Softmax(dim=0)", "y = self.fc(x); p = self.net(y); return p", True),
        ("nn.Sequential(nn.Linear(8, 4), nn.Softmax(dim=0))", "return self.net(x)", True),
        ("nn.Sequential(nn.ReLU(), nn.Linear(8, 4))", "return torch.softmax(self.net(x), 0)", True),
        ("None", "return F.softmax(self.fc(x[0]), dim=0)", False),
        ("None", "return F.softmax(self.fc(x), dim=1), F.softmax(self.fc(x), dim=0)", False),
        ("None", "if x.shape[0] > 90:;; return self.fc(x); return F.softmax(self.fc(x), dim=0)", False),
        ("None", "return self.fc(x).exp().softmax(0)", False),
        ("None", "return F.softmax(self.one(x), dim=0)", False),
        ("nn.Softmax(dim=1)", "return self.net(self.fc(x))", False),
        ("None", "nodes = x; return F.softmax(self.fc(nodes), dim=0)", False),
    ],
)
def test_classes_that_are_given_in_other_words(init: str, body: str, told: bool, tmp_path: Path) -> None:
    """And the quick fix leaves nothing of it."""
    text = CLASSES.replace("INIT", init).replace("BODY", laid_out(body))
    snapshot, warned = _warned(tmp_path, text)
    found = [one for one in warned if one.code == BATCH]
    assert [one.code for one in found] == [BATCH] * told
    for one in found:
        edit = for_warning(one, snapshot)[0]
        assert BATCH not in [left.code for left in _warned(tmp_path, applied(text, edit.changes))[1]]


def _warned(
    folder: Path, text: str, call: str = "Net()(f32[3, 8])", origin: str = "call"
) -> tuple[Snapshot, list[Problem]]:
    path = str(folder / "model.py")
    ran = Trace(Example(path, call, origin), call, (), trace(folder, text, call))
    snapshot = Snapshot(path, text, traces=(ran,))
    return snapshot, [one for one in all_problems(snapshot) if one.severity == "warning"]


@pytest.mark.parametrize(("init", "body"), NEAR_LAYERS)
def test_layers_that_are_as_they_should_be(init: str, body: str, tmp_path: Path) -> None:
    assert found(tmp_path, body, init) == []
