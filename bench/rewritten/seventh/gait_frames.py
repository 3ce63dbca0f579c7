"""Walking styles; every frame is normalised by the walkers of that frame."""
import torch
from torch import nn


class FrameNet(nn.Module):
    def __init__(self, inputs, dim):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inputs, dim, bias=False),
            nn.BatchNorm1d(dim, track_running_stats=False),
            nn.ReLU(),
        )

    def forward(self, frame):
        return self.net(frame)


class Gait(nn.Module):
    def __init__(self, inputs=18, dim=24, styles=3):
        super().__init__()
        self.frame = FrameNet(inputs, dim)
        self.style = nn.Linear(dim, styles)

    def forward(self, walk):
        """walk: (walkers, frames, inputs)"""
        seen = []
        for t in range(walk.shape[1]):
            seen.append(self.frame(walk[:, t]))
        seen = torch.stack(seen, dim=1)
        return self.style(seen.amax(dim=1))


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Gait()
    walk = torch.randn(8, 15, 18) + torch.linspace(0, 5, 15)[:, None]
    loss = nn.functional.cross_entropy(model(walk), torch.randint(0, 3, (8,)))
    loss.backward()
    print(float(loss.detach()))
