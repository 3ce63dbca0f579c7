"""Fit a cloud of points to a laser scan by the Chamfer distance."""
import torch


def pair_distances(a, b):
    n, m = a.size(0), b.size(0)
    left = a.unsqueeze(1).repeat(1, m, 1)
    right = b.unsqueeze(0).repeat(n, 1, 1)
    return (left - right).pow(2).sum(dim=-1)


def chamfer(a, b):
    d = pair_distances(a, b)
    return d.min(dim=1).values.mean() + d.min(dim=0).values.mean()


def sphere(n):
    p = torch.randn(n, 3)
    return p / p.norm(dim=1, keepdim=True)


def fit(scan, points=40, rounds=25):
    cloud = torch.randn(points, 3, requires_grad=True)
    opt = torch.optim.Adam([cloud], lr=0.05)
    history = []
    for _ in range(rounds):
        opt.zero_grad()
        loss = chamfer(cloud, scan)
        loss.backward()
        opt.step()
        history.append(loss.detach())
    return cloud.detach(), torch.stack(history)


if __name__ == "__main__":
    torch.manual_seed(9)
    scan = sphere(70)
    cloud, history = fit(scan)
    print("first", float(history[0]), "last", float(history[-1]))
    print("radius", float(cloud.norm(dim=1).mean()))
