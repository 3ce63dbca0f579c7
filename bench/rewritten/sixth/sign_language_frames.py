"""Labels each frame of a signing video, from the positions of the hands' joints."""

import torch
import torch.nn as nn


class FrameLabeller(nn.Module):
    def __init__(self, joints: int = 21, glosses: int = 9, hidden: int = 40):
        super().__init__()
        self.glosses = glosses
        self.embed = nn.Sequential(nn.Linear(joints * 2, hidden), nn.Tanh())
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.readout = nn.Linear(hidden, glosses)

    def forward(self, joints: torch.Tensor) -> torch.Tensor:
        """joints: (batch, frames, joints, 2) -> (batch, frames, glosses)"""
        states, _ = self.gru(self.embed(joints.flatten(2)))
        batch, frames, _ = states.shape
        logits = states.new_zeros(batch, frames, self.glosses)
        for frame in range(frames):
            logits[:, frame] = self.readout(states[:, frame])
        return logits


def videos(n: int, frames: int = 16, glosses: int = 9):
    gloss = torch.randint(0, glosses, (n, frames // 4)).repeat_interleave(4, dim=1)
    hands = torch.randn(glosses, 21, 2)
    return hands[gloss] + 0.1 * torch.randn(n, frames, 21, 2), gloss


if __name__ == "__main__":
    torch.manual_seed(44)
    model = FrameLabeller()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    joints, gloss = videos(10)
    for epoch in range(6):
        logits = model(joints)
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), gloss)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        right = (logits.argmax(dim=-1) == gloss).float().mean()
        print(f"{epoch}: loss {loss.item():.3f}, right {right.item():.2f}")
