"""Classes of texts: experts that are chosen per token, positions from a table, attention pooling."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_model, d_hidden), nn.GELU(), nn.Linear(d_hidden, d_model))

    def forward(self, x):
        return self.net(x)


class MoE(nn.Module):
    def __init__(self, d_model, d_hidden, num_experts=5, top_k=2):
        super().__init__()
        self.top_k = top_k
        self.num_experts = num_experts
        self.gate = nn.Linear(d_model, num_experts, bias=False)
        self.experts = nn.ModuleList(Expert(d_model, d_hidden) for _ in range(num_experts))

    def forward(self, x):
        scores = F.softmax(self.gate(x), dim=-1)
        top_scores, top_idx = scores.topk(self.top_k, dim=-1)
        top_scores = top_scores / top_scores.sum(dim=-1, keepdim=True)
        weights = torch.zeros_like(scores).scatter(-1, top_idx, top_scores)
        outputs = torch.stack([expert(x) for expert in self.experts], dim=-2)
        y = (weights.unsqueeze(-1) * outputs).sum(dim=-2)
        load = scores.mean(dim=(0, 1)) * F.one_hot(top_idx, self.num_experts).float().mean(dim=(0, 1, 2))
        return y, load.sum() * self.num_experts


class Layer(nn.Module):
    def __init__(self, d_model, n_heads, d_hidden):
        super().__init__()
        self.attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.moe = MoE(d_model, d_hidden)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x, pad):
        h = self.norm1(x)
        a, _ = self.attn(h, h, h, key_padding_mask=pad)
        x = x + a
        y, aux = self.moe(self.norm2(x))
        return x + y, aux


class TextClassifier(nn.Module):
    def __init__(self, vocab=300, d_model=60, n_heads=5, n_layers=2, max_len=64, n_classes=8):
        super().__init__()
        self.tok = nn.Embedding(vocab, d_model, padding_idx=0)
        self.pos = nn.Parameter(torch.randn(1, max_len, d_model) * 0.02)
        self.cls = nn.Parameter(torch.zeros(1, 1, d_model))
        self.layers = nn.ModuleList([Layer(d_model, n_heads, 4 * d_model) for _ in range(n_layers)])
        self.query = nn.Parameter(torch.randn(d_model))
        self.fc = nn.Linear(2 * d_model, n_classes)

    def forward(self, ids):
        b, t = ids.shape
        x = self.tok(ids)
        x = torch.cat([self.cls.expand(b, -1, -1), x], dim=1)
        x = x + self.pos[:, : t + 1]
        pad = torch.cat([torch.zeros(b, 1, dtype=torch.bool), ids == 0], dim=1)
        aux = 0.0
        for layer in self.layers:
            x, loss = layer(x, pad)
            aux = aux + loss
        scores = (x @ self.query).masked_fill(pad, float("-inf"))
        pooled = torch.einsum("bt,btd->bd", scores.softmax(dim=-1), x)
        return self.fc(torch.cat([x[:, 0], pooled], dim=-1)), aux


if __name__ == "__main__":
    ids = torch.randint(0, 300, (4, 33))
    model = TextClassifier()
    logits, aux = model(ids)
    loss = F.cross_entropy(logits, torch.randint(0, 8, (4,))) + 0.01 * aux
    loss.backward()
