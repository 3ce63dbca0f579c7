import torch
import torch.nn as nn
import torch.nn.functional as F


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class Rotary(nn.Module):
    def __init__(self, dim, max_len, base=10000.0):
        super().__init__()
        freqs = 1.0 / base ** (torch.arange(0, dim, 2).float() / dim)
        angles = torch.outer(torch.arange(max_len).float(), freqs)
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x, start):
        t = x.size(2)
        cos, sin = self.cos[start : start + t], self.sin[start : start + t]
        return x * cos + rotate_half(x) * sin


class GroupedAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.n_head = config["n_head"]
        self.n_kv_head = config["n_kv_head"]
        self.head_dim = config["n_embd"] // config["n_head"]
        self.wq = nn.Linear(config["n_embd"], self.n_head * self.head_dim, bias=False)
        self.wk = nn.Linear(config["n_embd"], self.n_kv_head * self.head_dim, bias=False)
        self.wv = nn.Linear(config["n_embd"], self.n_kv_head * self.head_dim, bias=False)
        self.wo = nn.Linear(self.n_head * self.head_dim, config["n_embd"], bias=False)
        self.rotary = Rotary(self.head_dim, config["block_size"])

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.n_head, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(b, t, self.n_kv_head, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(b, t, self.n_kv_head, self.head_dim).transpose(1, 2)
        past = 0 if cache is None else cache[0].size(2)
        q, k = self.rotary(q, past), self.rotary(k, past)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        new_cache = (k, v)
        groups = self.n_head // self.n_kv_head
        k = k.repeat_interleave(groups, dim=1)
        v = v.repeat_interleave(groups, dim=1)
        mask = torch.ones(t, past + t, dtype=torch.bool).tril(diagonal=past)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        y = y.transpose(1, 2).contiguous().view(b, t, -1)
        return self.wo(y), new_cache
