"""A language model with multi-scale retention, in its parallel and its recurrent form."""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class RetNetArgs:
    vocab_size: int = 300
    dim: int = 64
    n_layers: int = 2
    n_heads: int = 4
    value_factor: int = 2
    ffn_dim: int = 160
    max_len: int = 128


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rotate_half(x):
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


class Decay(nn.Module):
    """Angles of the rotation and, for each head, how fast it forgets."""

    def __init__(self, dim, heads, max_len):
        super().__init__()
        angle = 1.0 / (10000 ** torch.linspace(0, 1, dim // heads // 2))
        angle = angle.repeat_interleave(2)
        index = torch.arange(max_len)
        gamma = torch.log(1 - 2 ** (-5 - torch.arange(heads, dtype=torch.float)))
        self.register_buffer("sin", torch.sin(index[:, None] * angle[None, :]), persistent=False)
        self.register_buffer("cos", torch.cos(index[:, None] * angle[None, :]), persistent=False)
        self.register_buffer("gamma", gamma, persistent=False)

    def forward(self, length):
        index = torch.arange(length, device=self.gamma.device)
        distance = index[:, None] - index[None, :]
        mask = torch.exp(self.gamma[:, None, None] * distance.clamp(min=0)) * (distance >= 0)
        mask = mask / mask.sum(dim=-1, keepdim=True).sqrt()
        return self.sin[:length], self.cos[:length], mask


class Retention(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.heads = args.n_heads
        self.key_dim = args.dim // args.n_heads
        self.value_dim = args.dim * args.value_factor // args.n_heads
        self.q_proj = nn.Linear(args.dim, args.dim, bias=False)
        self.k_proj = nn.Linear(args.dim, args.dim, bias=False)
        self.v_proj = nn.Linear(args.dim, args.dim * args.value_factor, bias=False)
        self.g_proj = nn.Linear(args.dim, args.dim * args.value_factor, bias=False)
        self.out_proj = nn.Linear(args.dim * args.value_factor, args.dim, bias=False)
        self.group_norm = RMSNorm(self.value_dim)

    def forward(self, x, sin, cos, mask):
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, self.heads, self.key_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.heads, self.key_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.heads, self.value_dim).transpose(1, 2)
        k = k / math.sqrt(self.key_dim)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        scores = q @ k.transpose(-1, -2) * mask
        out = self.group_norm(scores @ v).transpose(1, 2).reshape(b, t, -1)
        return self.out_proj(F.silu(self.g_proj(x)) * out)

    def step(self, x, state, sin, cos, decay):
        """One token (B, dim), with the state (B, heads, key_dim, value_dim) of those before it."""
        b = x.size(0)
        q = self.q_proj(x).view(b, self.heads, self.key_dim)
        k = self.k_proj(x).view(b, self.heads, self.key_dim) / math.sqrt(self.key_dim)
        v = self.v_proj(x).view(b, self.heads, self.value_dim)
        q, k = (a * cos + rotate_half(a) * sin for a in (q, k))
        state = decay[:, None, None] * state + torch.einsum("bhk,bhv->bhkv", k, v)
        out = torch.einsum("bhk,bhkv->bhv", q, state)
        out = self.group_norm(out).reshape(b, -1)
        return self.out_proj(F.silu(self.g_proj(x)) * out), state


class GLU(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(dim, hidden), nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x):
        return self.down(F.gelu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.retention, self.ffn = Retention(args), GLU(args.dim, args.ffn_dim)
        self.norm1, self.norm2 = RMSNorm(args.dim), RMSNorm(args.dim)

    def forward(self, x, sin, cos, mask):
        x = x + self.retention(self.norm1(x), sin, cos, mask)
        return x + self.ffn(self.norm2(x))


class RetNet(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.embed = nn.Embedding(args.vocab_size, args.dim)
        self.decay = Decay(args.dim, args.n_heads, args.max_len)
        self.layers = nn.ModuleList(Layer(args) for _ in range(args.n_layers))
        self.norm = RMSNorm(args.dim)
        self.head = nn.Linear(args.dim, args.vocab_size, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens, targets=None):
        x = self.embed(tokens)
        sin, cos, mask = self.decay(tokens.size(1))
        for layer in self.layers:
            x = layer(x, sin, cos, mask)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def generate(self, tokens, count):
        b, n = tokens.shape
        value_dim = self.args.dim * self.args.value_factor // self.args.n_heads
        states = [torch.zeros(b, self.args.n_heads, self.args.dim // self.args.n_heads, value_dim) for _ in self.layers]
        decay = self.decay.gamma.exp()
        for i in range(n + count - 1):
            x = self.embed(tokens[:, i])
            for j, layer in enumerate(self.layers):
                out, states[j] = layer.retention.step(
                    layer.norm1(x), states[j], self.decay.sin[i], self.decay.cos[i], decay
                )
                x = x + out
                x = x + layer.ffn(layer.norm2(x))
            if i >= n - 1:
                best = self.head(self.norm(x)).argmax(dim=-1, keepdim=True)
                tokens = torch.cat([tokens, best], dim=1)
        return tokens


def main():
    model = RetNet(RetNetArgs())
    tokens = torch.randint(0, 300, (3, 33))
    loss = model(tokens[:, :-1], tokens[:, 1:])
    loss.backward()
    print(loss.item(), model.generate(tokens[:1, :5], 4))


if __name__ == "__main__":
    main()
