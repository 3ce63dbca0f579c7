import torch
import torch.nn as nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.n_head = config.attention.n_head
        self.head_dim = config.attention.head_dim
        inner = self.n_head * self.head_dim
        self.c_attn = nn.Linear(config.n_embd, 3 * inner, bias=False)
        self.c_proj = nn.Linear(inner, config.n_embd, bias=False)
        self.q_norm = RMSNorm(self.head_dim)
        self.k_norm = RMSNorm(self.head_dim)
        mask = torch.tril(torch.ones(config.block_size, config.block_size)).bool()
        self.register_buffer("mask", mask.view(1, 1, config.block_size, config.block_size), persistent=False)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.size()
        qkv = self.c_attn(x)
        q, k, v = qkv.split(self.n_head * self.head_dim, dim=2)
        q = self.q_norm(q.view(B, T, self.n_head, self.head_dim)).transpose(1, 2)
        k = self.k_norm(k.view(B, T, self.n_head, self.head_dim)).transpose(1, 2)
        v = v.view(B, T, self.n_head, self.head_dim).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * self.head_dim**-0.5
        att = att.masked_fill(~self.mask[:, :, :T, :T], float("-inf"))
        if attention_mask is not None:
            att = att + attention_mask[:, None, None, :]
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, self.n_head * self.head_dim)
        return self.c_proj(y)


class MixtureOfExperts(nn.Module):
    def __init__(self, config, top_k=2):
        super().__init__()
        hidden = config.mlp_ratio * config.n_embd
        self.top_k = top_k
        self.num_experts = config.num_experts
        self.router = nn.Linear(config.n_embd, config.num_experts, bias=False)
        self.w1 = nn.Parameter(torch.randn(config.num_experts, config.n_embd, hidden) * 0.02)
        self.w2 = nn.Parameter(torch.randn(config.num_experts, hidden, config.n_embd) * 0.02)

    def forward(self, x):
        B, T, C = x.shape
        flat = x.reshape(-1, C)
        gates, chosen = self.router(flat).softmax(-1).topk(self.top_k, dim=-1)
        weights = torch.zeros(flat.size(0), self.num_experts).scatter(1, chosen, gates)
        h = F.gelu(torch.einsum("nc,ech->enh", flat, self.w1))
        out = torch.einsum("enh,ehc->enc", h, self.w2)
        return (out * weights.t().unsqueeze(-1)).sum(0).view(B, T, C)
