"""Bytes of text by a selective state space model, without any attention."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class SelectiveSSM(nn.Module):
    def __init__(self, d_model: int, d_state: int = 6, d_conv: int = 4, expand: int = 2, dt_rank: int = 3):
        super().__init__()
        self.d_inner = expand * d_model
        self.d_state, self.dt_rank = d_state, dt_rank
        self.in_proj = nn.Linear(d_model, 2 * self.d_inner, bias=False)
        self.conv1d = nn.Conv1d(self.d_inner, self.d_inner, d_conv, padding=d_conv - 1, groups=self.d_inner)
        self.x_proj = nn.Linear(self.d_inner, dt_rank + 2 * d_state, bias=False)
        self.dt_proj = nn.Linear(dt_rank, self.d_inner)
        self.A_log = nn.Parameter(torch.log(torch.arange(1, d_state + 1).float()).repeat(self.d_inner, 1))
        self.D = nn.Parameter(torch.ones(self.d_inner))
        self.out_proj = nn.Linear(self.d_inner, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        x, gate = self.in_proj(x).chunk(2, dim=-1)
        x = self.conv1d(x.transpose(1, 2))[:, :, :length].transpose(1, 2)
        y = self.scan(F.silu(x))
        return self.out_proj(y * F.silu(gate))

    def scan(self, u: Tensor) -> Tensor:
        delta, B, C = self.x_proj(u).split([self.dt_rank, self.d_state, self.d_state], dim=-1)
        delta = F.softplus(self.dt_proj(delta))
        A = -torch.exp(self.A_log)
        dA = torch.exp(torch.einsum("bld,dn->bldn", delta, A))
        dBu = torch.einsum("bld,bln,bld->bldn", delta, B, u)
        state = torch.zeros(u.size(0), self.d_inner, self.d_state)
        ys = []
        for t in range(u.size(1)):
            state = dA[:, t] * state + dBu[:, t]
            ys.append((state * C[:, t].unsqueeze(1)).sum(-1))
        return torch.stack(ys, dim=1) + u * self.D


class Residual(nn.Module):
    def __init__(self, d_model: int, **kwargs):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.mixer = SelectiveSSM(d_model, **kwargs)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.mixer(self.norm(x))


class ByteModel(nn.Module):
    def __init__(self, vocab: int = 256, d_model: int = 20, n_layers: int = 2, patch: int = 2):
        super().__init__()
        self.patch = patch
        self.embed = nn.Embedding(vocab, d_model // patch)
        self.layers = nn.Sequential(*[Residual(d_model, d_state=6) for _ in range(n_layers)])
        self.norm_f = nn.LayerNorm(d_model)
        self.unpatch = nn.Linear(d_model, patch * d_model)
        self.head = nn.Linear(d_model, vocab)

    def forward(self, ids: Tensor) -> Tensor:
        b, n = ids.shape
        x = self.embed(ids).reshape(b, n // self.patch, -1)
        x = self.norm_f(self.layers(x))
        x = self.unpatch(x).view(b, n, -1)
        return self.head(x)


class Lightning:
    def __init__(self, lr: float = 3e-4):
        self.model = ByteModel()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)

    def training_step(self, batch: Tensor) -> Tensor:
        inputs, targets = batch[:, :-1], batch[:, 1:]
        logits = self.model(inputs)
        return F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))


if __name__ == "__main__":
    module = Lightning()
    batch = torch.randint(0, 256, (2, 25))
    module.training_step(batch).backward()
