"""Feed-forward part of a small language model for source code, gated."""
import torch
import torch.nn as nn


class GatedFeedForward(nn.Module):
    def __init__(self, d_model, expansion=2, p=0.1):
        super().__init__()
        d_ff = d_model * expansion
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        self.act_fn = nn.SiLU()
        self.dropout = nn.Dropout(p)

    def forward(self, hidden_states):
        gate = self.act_fn(self.gate_proj(hidden_states))
        up = self.up_proj(hidden_states)
        return self.dropout(self.down_proj(gate * up))


class Block(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.norm = nn.RMSNorm(d_model)
        self.ff = GatedFeedForward(d_model)

    def forward(self, x):
        return x + self.ff(self.norm(x))


class TinyLM(nn.Module):
    def __init__(self, vocab=80, d_model=32, depth=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, d_model)
        self.blocks = nn.Sequential(*(Block(d_model) for _ in range(depth)))
        self.unembed = nn.Linear(d_model, vocab, bias=False)

    def forward(self, ids):
        return self.unembed(self.blocks(self.tok(ids)))


if __name__ == "__main__":
    torch.manual_seed(21)
    lm = TinyLM().eval()
    with torch.no_grad():
        print(lm(torch.randint(0, 80, (2, 12))).std())
