"""Style of brush strokes: match the Gram matrices of two pictures."""
import torch
from torch import nn


def gram(feats):
    f = feats.flatten(start_dim=2)
    c, n = f.shape[1:]
    return torch.einsum("bcn,bdn->bcd", f, f) / (c * n)


def style_distance(layers, picture, wanted):
    total = picture.new_zeros(())
    h = picture
    for layer, goal in zip(layers, wanted):
        h = layer(h)
        total = total + (gram(h) - goal).square().sum()
    return total


def targets(layers, painting):
    out, h = [], painting
    with torch.no_grad():
        for layer in layers:
            h = layer(h)
            out.append(gram(h))
    return out


def main():
    torch.manual_seed(13)
    layers = [nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU()),
              nn.Sequential(nn.Conv2d(8, 12, 3, stride=2), nn.ReLU())]
    for layer in layers:
        layer.requires_grad_(False)
    wanted = targets(layers, torch.rand(1, 3, 24, 24))
    picture = torch.rand(1, 3, 24, 24, requires_grad=True)
    opt = torch.optim.Adam([picture], lr=0.03)
    for i in range(8):
        opt.zero_grad()
        loss = style_distance(layers, picture, wanted)
        loss.backward()
        opt.step()
        print(i, f"{loss.detach():.6f}")


if __name__ == "__main__":
    main()
