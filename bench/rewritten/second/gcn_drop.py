import torch
from torch import nn
import torch.nn.functional as F


class GConv(nn.Module):
    def __init__(self, di, do):
        super().__init__()
        self.lin = nn.Linear(di, do, bias=False)
        self.b = nn.Parameter(torch.zeros(do))

    def forward(self, x, A):
        return A @ self.lin(x) + self.b


class GCN(nn.Module):
    """Kipf & Welling, 2 layers"""
    def __init__(self, di, dh, nc, p=0.5):
        super().__init__()
        self.g1, self.g2 = GConv(di, dh), GConv(dh, nc)
        self.p = p

    def forward(self, x, A):
        # sym. norm. adjacency w/ self loops
        A = A + torch.eye(A.size(0), device=A.device, dtype=A.dtype)
        r = A.sum(1).rsqrt()
        A = r[:, None] * A * r

        h = F.dropout(F.relu(self.g1(x, A)), self.p)
        return F.log_softmax(self.g2(h, A), dim=-1)


GCN(8, 16, 3)(torch.randn(6, 8), (torch.rand(6, 6) > .5).to(torch.get_default_dtype()))
