"""Finds learned templates in X-ray images, and tells matches at the border from those inside."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class TemplateMatcher(nn.Module):
    """The same templates are laid over the whole image, and over only what they fit into."""

    def __init__(self, templates=6, size=5):
        super().__init__()
        self.reach = size // 2
        self.templates = nn.Conv2d(1, templates, size)
        self.score = nn.Linear(2 * templates, 2)

    def forward(self, image):
        r = self.reach
        wide = F.pad(image, (r, r, r, r))
        everywhere = self.templates(wide)
        inside = self.templates(image)
        best = torch.cat([everywhere.amax(dim=(2, 3)), inside.amax(dim=(2, 3))], dim=1)
        return self.score(best)


def images(n):
    picture = 0.3 * torch.randn(n, 1, 20, 20)
    broken = torch.randint(0, 2, (n,))
    picture[broken == 1, :, 8:12, 9:11] += 2.0
    return picture, broken


if __name__ == "__main__":
    torch.manual_seed(71)
    model = TemplateMatcher()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(6):
        picture, broken = images(8)
        loss = F.cross_entropy(model(picture), broken)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.4f}")
