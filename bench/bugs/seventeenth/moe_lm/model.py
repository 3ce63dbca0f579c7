import torch
import torch.nn as nn
import torch.nn.functional as F

from .attention import GroupedAttention
from .experts import SparseMoE


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln1 = RMSNorm(config["n_embd"])
        self.attn = GroupedAttention(config)
        self.ln2 = RMSNorm(config["n_embd"])
        self.moe = SparseMoE(config)

    def forward(self, x, cache=None):
        y, cache = self.attn(self.ln1(x), cache)
        x = x + y
        y, balance = self.moe(self.ln2(x))
        return x + y, cache, balance


class MoELM(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.tok_emb = nn.Embedding(config["vocab_size"], config["n_embd"])
        self.blocks = nn.ModuleList([Block(config) for _ in range(config["n_layer"])])
        self.ln_f = RMSNorm(config["n_embd"])
        self.lm_head = nn.Linear(config["n_embd"], config["vocab_size"], bias=False)

    def forward(self, idx, targets=None, caches=None):
        x = self.tok_emb(idx)
        new_caches, aux = [], 0.0
        for i, block in enumerate(self.blocks):
            x, cache, balance = block(x, None if caches is None else caches[i])
            new_caches.append(cache)
            aux = aux + balance
        logits = self.lm_head(self.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1)) + 0.01 * aux
        return logits, loss, new_caches

    @torch.no_grad()
    def generate(self, idx, steps):
        logits, _, caches = self(idx)
        for _ in range(steps):
            nxt = logits[:, -1, :].argmax(dim=-1, keepdim=True)
            idx = torch.cat((idx, nxt), dim=1)
            logits, _, caches = self(nxt, caches=caches)
        return idx
