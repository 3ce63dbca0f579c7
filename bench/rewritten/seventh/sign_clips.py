"""Recognises signs from the joints of a hand, frame after frame."""
import torch
from torch import nn


class JointEncoder(nn.Module):
    def __init__(self, joints, dim):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(joints * 3, dim),
            nn.LayerNorm(dim),
            nn.GELU(),
            nn.Linear(dim, dim),
        )

    def forward(self, pose):
        return self.layers(pose)


class SignReader(nn.Module):
    def __init__(self, joints=21, dim=32, signs=12):
        super().__init__()
        self.encoder = JointEncoder(joints, dim)
        self.over_time = nn.GRU(dim, dim, batch_first=True)
        self.classify = nn.Linear(dim, signs)

    def forward(self, clip):
        """clip: (batch, frames, joints * 3)"""
        frames = clip.unbind(dim=1)
        codes = [self.encoder(pose) for pose in frames]
        codes = torch.stack(codes, dim=1)
        _, last = self.over_time(codes)
        return self.classify(last[-1])


if __name__ == "__main__":
    torch.manual_seed(0)
    reader = SignReader()
    clip = torch.randn(2, 10, 63)
    out = reader(clip)
    print(out.shape, out.argmax(1))
