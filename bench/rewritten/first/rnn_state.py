import torch
import torch.nn as nn


class FrameEncoder(nn.Module):
    def __init__(self, n_mels, hidden):
        super().__init__()
        self.n_hidden = hidden
        self.cell = nn.GRUCell(n_mels, hidden)

    def init_state(self, frames):
        state = torch.zeros(
            frames.size(0), self.n_hidden, dtype=frames.dtype, device=frames.device
        )
        return state

    def forward(self, frames):
        h = self.init_state(frames).to(frames.dtype)
        outputs = []
        for t in range(frames.size(1)):
            h = self.cell(frames[:, t], h)
            outputs.append(h)
        return torch.stack(outputs, dim=1)


class KeywordSpotter(nn.Module):
    def __init__(self, n_mels=10, hidden=16, words=4):
        super().__init__()
        self.encoder = FrameEncoder(n_mels, hidden)
        self.head = nn.Linear(hidden, words)

    def forward(self, mel):
        return self.head(self.encoder(mel).amax(dim=1))


KeywordSpotter()(torch.randn(2, 7, 10))
