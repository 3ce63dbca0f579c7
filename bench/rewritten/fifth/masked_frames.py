"""Self-supervised pretraining on log-mel frames: hide some, predict them."""
import torch
import torch.nn as nn


class FrameHider(nn.Module):
    def __init__(self, mels, ratio=0.3):
        super().__init__()
        self.ratio = ratio
        self.blank = nn.Parameter(torch.zeros(mels))

    def forward(self, frames):
        noise = torch.rand(frames.shape[:2], device=frames.device)
        hidden = noise.lt(self.ratio)
        m = hidden.unsqueeze(-1).float()
        visible = frames * (1.0 - m)
        filled = self.blank * m
        return visible + filled, hidden


class Pretrainer(nn.Module):
    def __init__(self, mels=16, width=24):
        super().__init__()
        self.hide = FrameHider(mels)
        self.rnn = nn.GRU(mels, width, batch_first=True, bidirectional=True)
        self.predict = nn.Linear(2 * width, mels)

    def forward(self, frames):
        corrupted, hidden = self.hide(frames)
        states, _ = self.rnn(corrupted)
        err = (self.predict(states) - frames).square().mean(-1)
        weight = hidden.to(err.dtype)
        return (err * weight).sum() / weight.sum().clamp(min=1)


if __name__ == "__main__":
    torch.manual_seed(6)
    model = Pretrainer()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for it in range(4):
        loss = model(torch.randn(5, 30, 16))
        loss.backward()
        opt.step()
        opt.zero_grad()
        print(it, round(loss.item(), 4))
