"""Sparse mixture of experts with top-k routing."""

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MoEOutput:
    hidden_states: torch.Tensor
    router_logits: torch.Tensor
    aux_loss: torch.Tensor | None = None


class Expert(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w2 = nn.Linear(hidden_dim, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden_dim, bias=False)

    def forward(self, x):
        gate = F.silu(self.w1(x))
        return self.w2(gate * self.w3(x))


def load_balancing_loss(router_probs, expert_mask):
    """Switch Transformer, equations 4-6."""
    num_experts = router_probs.size(-1)
    tokens_per_expert = expert_mask.float().mean(dim=0)
    prob_per_expert = router_probs.mean(dim=0)
    return num_experts * torch.sum(tokens_per_expert * prob_per_expert)


class SparseMoE(nn.Module):
    def __init__(self, dim=256, hidden_dim=512, num_experts=8, top_k=2, noisy=False):
        super().__init__()
        self.top_k = top_k
        self.noisy = noisy
        self.num_experts = num_experts
        self.gate = nn.Linear(dim, num_experts, bias=False)
        self.experts = nn.ModuleList([Expert(dim, hidden_dim) for _ in range(num_experts)])

    def route(self, x):
        logits = self.gate(x)
        if self.noisy and self.training:
            logits = logits + torch.randn_like(logits) / self.num_experts
        probs = F.softmax(logits, dim=-1, dtype=torch.float)
        weights, selected = torch.topk(probs, self.top_k, dim=-1)
        weights /= weights.sum(dim=-1, keepdim=True)
        return logits, probs, weights.to(x.dtype), selected

    def forward(self, hidden_states):
        batch, length, dim = hidden_states.shape
        flat = hidden_states.view(-1, dim)
        logits, probs, weights, selected = self.route(flat)

        final = torch.zeros_like(flat)
        expert_mask = F.one_hot(selected, num_classes=self.num_experts).permute(2, 1, 0)
        for expert_idx, expert in enumerate(self.experts):
            idx, top_x = torch.where(expert_mask[expert_idx])
            if top_x.numel() == 0:
                continue
            current = flat[None, top_x].reshape(-1, dim)
            out = expert(current) * weights[top_x, idx, None]
            final.index_add_(0, top_x, out.to(flat.dtype))

        final = final.reshape(batch, length, dim)
        counts = expert_mask.sum(dim=1).t()
        return MoEOutput(
            hidden_states=final,
            router_logits=logits,
            aux_loss=load_balancing_loss(probs, counts) if self.training else None,
        )


class MoEBlock(nn.Module):
    def __init__(self, dim=256, num_heads=4, **moe_kwargs):
        super().__init__()
        self.norms = nn.ModuleDict({name: nn.LayerNorm(dim) for name in ("attn", "moe")})
        self.attn = nn.MultiheadAttention(dim, num_heads, batch_first=True)
        self.moe = SparseMoE(dim, **moe_kwargs)

    def forward(self, x):
        normed = self.norms["attn"](x)
        attended, _ = self.attn(normed, normed, normed, need_weights=False)
        x = x + attended
        output = self.moe(self.norms["moe"](x))
        return x + output.hidden_states, output


if __name__ == "__main__":
    block = MoEBlock(num_experts=4)
    x, info = block(torch.randn(2, 16, 256))
    print(x.shape, info.router_logits.shape)
