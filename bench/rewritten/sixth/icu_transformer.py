"""Mortality from vital signs of an ICU stay (pre-norm transformer, one token per hour)."""
import torch
import torch.nn as nn


class HourBlock(nn.Module):

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.ln_1 = nn.LayerNorm(d_model)
        self.attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))

    def forward(self, x, padding):
        x = x + self.attn(self.ln_1(x), self.ln_1(x), self.ln_1(x), key_padding_mask=padding, need_weights=False)[0]
        x = x + self.mlp(self.ln_2(x))
        return x


class StayModel(nn.Module):

    def __init__(self, n_vitals=9, d_model=32, n_heads=4, n_blocks=2):
        super().__init__()
        self.embed = nn.Linear(n_vitals, d_model)
        self.blocks = nn.ModuleList([HourBlock(d_model, n_heads, 64) for _ in range(n_blocks)])
        self.risk = nn.Linear(d_model, 1)

    def forward(self, vitals, padding):
        x = self.embed(vitals)
        for block in self.blocks:
            x = block(x, padding)
        x = x.masked_fill(padding[..., None], 0.0).sum(1)
        return self.risk(x)[:, 0]


if __name__ == '__main__':
    torch.manual_seed(17)
    vitals = torch.randn(5, 24, 9)
    hours = torch.tensor([24, 12, 18, 7, 24])
    padding = torch.arange(24)[None, :] >= hours[:, None]
    died = torch.tensor([0., 1., 0., 1., 0.])
    model = StayModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for i in range(3):
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(vitals, padding), died)
        loss.backward()
        optimizer.step()
        print(i, loss.item())
