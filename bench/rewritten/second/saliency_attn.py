import torch, torch.nn as nn
import torch.nn.functional as F


class SalAttn(nn.Module):
    def __init__(self, d, nh=2):
        super().__init__()
        self.nh = nh
        self.dh = d // nh
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.nh, self.dh).permute(2, 0, 3, 1, 4)
        attn = (q @ k.transpose(-2, -1)) * self.dh ** -0.5
        attn = attn.softmax(dim=-1)
        out = (attn @ v).transpose(1, 2).reshape(B, N, C)
        # which tokens get looked at, for pruning in the next layer
        sal = attn.mean(1).sum(1)
        return self.proj(out), sal


class PruneNet(nn.Module):
    def __init__(self, d, keep=4):
        super().__init__()
        self.att = SalAttn(d)
        self.keep = keep
        self.fc = nn.Linear(d, 5)

    def forward(self, x):
        y, sal = self.att(x)
        idx = sal.topk(self.keep, dim=-1).indices
        y = y.gather(1, idx.unsqueeze(-1).expand(-1, -1, y.size(-1)))
        return self.fc(y.mean(1))


PruneNet(16)(torch.randn(2, 7, 16))
