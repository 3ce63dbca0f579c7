"""Frame encoder for short bird calls of unequal length."""
import torch
from einops import einsum, rearrange
from torch import nn


class TokenMixer(nn.Module):
    def __init__(self, width, heads=4):
        super().__init__()
        self.heads = heads
        self.shrink = (width // heads) ** -0.5
        self.to_qkv = nn.Linear(width, width * 3, bias=False)
        self.merge = nn.Linear(width, width)

    def forward(self, frames, valid):
        q, k, v = rearrange(
            self.to_qkv(frames), "b t (three h d) -> three b h t d", three=3, h=self.heads
        )
        q = q * self.shrink
        sim = einsum(q, k, "b h i d, b h j d -> b h i j")
        keys = rearrange(valid, "b j -> b 1 1 j")
        sim = sim.masked_fill(~keys, -torch.finfo(sim.dtype).max)
        probs = sim.softmax(dim=-1)
        mixed = einsum(probs, v, "b h i j, b h j d -> b h i d")
        return self.merge(rearrange(mixed, "b h t d -> b t (h d)"))


class CallEncoder(nn.Module):
    def __init__(self, mels=20, width=32, species=7):
        super().__init__()
        self.stem = nn.Linear(mels, width)
        self.norm = nn.LayerNorm(width)
        self.mixer = TokenMixer(width)
        self.head = nn.Linear(width, species)

    def forward(self, mel, valid):
        h = self.stem(mel)
        h = h + self.mixer(self.norm(h), valid)
        return self.head(h[:, 0])


if __name__ == "__main__":
    torch.manual_seed(0)
    lengths = torch.tensor([9, 15, 4])
    mel = torch.randn(3, 15, 20)
    valid = torch.arange(15)[None, :] < lengths[:, None]
    logits = CallEncoder()(mel, valid)
    print(logits.shape, logits.sum())
