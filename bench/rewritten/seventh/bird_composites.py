"""Pastes birds into landscapes, with feathered borders, for a detector's training set."""
import torch
import torch.nn.functional as F


def feather(hard, radius):
    size = 2 * radius + 1
    return F.avg_pool2d(hard, size, stride=1, padding=radius, count_include_pad=False)


def paste(birds, shapes, land, radius=2):
    alpha = (shapes > 0.5).float()
    alpha = feather(alpha, radius)
    return alpha * birds + (1.0 - alpha) * land


def discs(n, size):
    grid = torch.linspace(-1, 1, size)
    far = (grid[:, None].square() + grid[None, :].square()).sqrt()
    radius = 0.3 + 0.4 * torch.rand(n, 1, 1, 1)
    return (far < radius).float()


def training_set(batches, size=24):
    for _ in range(batches):
        shapes = discs(4, size)
        birds, land = torch.rand(4, 3, size, size), torch.rand(4, 3, size, size)
        yield paste(birds, shapes, land), shapes.mean(dim=(1, 2, 3))


if __name__ == "__main__":
    torch.manual_seed(0)
    for images, share in training_set(3):
        print(images.shape, [round(s, 2) for s in share.tolist()])
