"""Parts of the recommender."""

import torch
from torch import nn


def mlp(in_features, sizes, final_activation=True):
    layers = []
    for i, size in enumerate(sizes):
        layers.append(nn.Linear(in_features, size))
        if final_activation or i < len(sizes) - 1:
            layers.append(nn.ReLU())
        in_features = size
    return nn.Sequential(*layers)


class DotInteraction(nn.Module):
    """All pairs of products, each once."""

    def __init__(self, num_features):
        super().__init__()
        rows, cols = torch.triu_indices(num_features, num_features, offset=1)
        self.register_buffer("rows", rows)
        self.register_buffer("cols", cols)
        self.out_features = num_features * (num_features - 1) // 2

    def forward(self, features):
        stacked = torch.stack(features, dim=1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        return products[:, self.rows, self.cols]


class CrossLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(dim) * 0.01)
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x0, x):
        return x0 * (x @ self.weight).unsqueeze(-1) + self.bias + x


class HistoryEncoder(nn.Module):
    def __init__(self, dim, heads, max_len):
        super().__init__()
        self.position = nn.Embedding(max_len, dim)
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, history, target, mask):
        history = history + self.position(torch.arange(history.size(1)))
        attended, _ = self.attention(target.unsqueeze(1), history, history, key_padding_mask=mask)
        return self.norm(target + attended.squeeze(1))


class MultiGateMixture(nn.Module):
    def __init__(self, in_features, expert_dim, num_experts, num_tasks):
        super().__init__()
        self.experts = nn.ModuleList([mlp(in_features, [expert_dim]) for _ in range(num_experts)])
        self.gates = nn.ModuleList([nn.Linear(in_features, num_experts) for _ in range(num_tasks)])

    def forward(self, x):
        experts = torch.stack([expert(x) for expert in self.experts], dim=1)
        outputs = []
        for gate in self.gates:
            weights = gate(x).softmax(dim=-1)
            outputs.append(torch.einsum("be,bed->bd", weights, experts))
        return outputs
