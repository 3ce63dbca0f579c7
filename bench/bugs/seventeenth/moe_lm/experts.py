import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class SparseMoE(nn.Module):
    """Each token goes to the best `top_k` experts."""

    def __init__(self, config):
        super().__init__()
        self.top_k = config["top_k"]
        self.n_expert = config["n_expert"]
        self.router = nn.Linear(config["n_embd"], config["n_expert"], bias=False)
        self.experts = nn.ModuleList([Expert(config["n_embd"], config["d_expert"]) for _ in range(config["n_expert"])])

    def forward(self, x):
        b, t, c = x.shape
        flat = x.view(-1, c)
        probs = self.router(flat).softmax(dim=-1)
        top, chosen = probs.topk(self.top_k, dim=-1)
        top = top / top.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            weight = (top * (chosen == i)).sum(dim=-1)
            out = out + weight.unsqueeze(-1) * expert(flat)
        share = F.one_hot(chosen, self.n_expert).float().sum(dim=1).mean(dim=0)
        balance = self.n_expert * (share * probs.mean(dim=0)).sum()
        return out.view(b, t, c), balance
