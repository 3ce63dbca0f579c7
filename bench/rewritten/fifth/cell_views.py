"""Contrastive loss for microscope crops: two augmented views of every cell."""
import torch
import torch.nn.functional as F
from torch import nn


def augment(crop):
    return crop.flip(-1) + 0.1 * torch.randn_like(crop)


def nt_xent(z, pair, temperature):
    """z: (2n, d) unit vectors, pair[i] is the other view of i."""
    sim = z @ z.T / temperature
    others = ~torch.eye(z.size(0), dtype=torch.bool, device=z.device)
    weight = torch.exp(sim)
    denom = torch.log((weight * others).sum(dim=1))
    positive = sim.gather(1, pair[:, None]).squeeze(1)
    return (denom - positive).mean()


class Projector(nn.Module):
    def __init__(self, side=10, dim=12):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(side * side, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, crop):
        return F.normalize(self.body(crop), dim=1)


if __name__ == "__main__":
    torch.manual_seed(42)
    net = Projector()
    crops = torch.rand(8, 1, 10, 10)
    pair = torch.arange(16).roll(8)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        z = net(torch.cat([crops, augment(crops)]))
        loss = nt_xent(z, pair, 0.2)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())
