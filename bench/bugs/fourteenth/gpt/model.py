import torch
import torch.nn as nn
from torch.nn import functional as F

from .configuration import GPTConfig
from .layers import CausalSelfAttention, MixtureOfExperts, RMSNorm


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = RMSNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = RMSNorm(config.n_embd)
        self.mlp = MixtureOfExperts(config)

    def forward(self, x, **kwargs):
        x = x + self.attn(self.ln_1(x), **kwargs)
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, config: GPTConfig):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(config.vocab_size, config.n_embd),
                wpe=nn.Embedding(config.block_size, config.n_embd),
                drop=nn.Dropout(config.dropout),
                h=nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
                ln_f=RMSNorm(config.n_embd),
            )
        )
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight

    def forward(self, idx, attention_mask=None, labels=None):
        b, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device)
        x = self.transformer.drop(self.transformer.wte(idx) + self.transformer.wpe(pos))
        bias = None
        if attention_mask is not None:
            bias = (1.0 - attention_mask.float()) * -1e9
        for block in self.transformer.h:
            x = block(x, attention_mask=bias)
        logits = self.lm_head(self.transformer.ln_f(x))
        loss = None
        if labels is not None:
            shifted = logits[:, :-1].reshape(-1, self.config.vocab_size)
            loss = F.cross_entropy(shifted, labels[:, 1:].reshape(-1))
        return logits, loss
