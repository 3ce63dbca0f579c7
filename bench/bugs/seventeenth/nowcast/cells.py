import torch
import torch.nn as nn


class ConvLSTMCell(nn.Module):
    """One step of a convolutional LSTM."""

    def __init__(self, input_dim, hidden_dim, kernel_size):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.gates = nn.Conv2d(input_dim + hidden_dim, 4 * hidden_dim, kernel_size, padding=kernel_size // 2)
        self.norm = nn.GroupNorm(4, hidden_dim)

    def init_state(self, x):
        b, _, h, w = x.shape
        zeros = x.new_zeros(b, self.hidden_dim, h, w)
        return zeros, zeros

    def forward(self, x, state):
        h, c = state
        stacked = torch.cat([x, h], dim=1)
        i, f, o, g = torch.chunk(self.gates(stacked), 4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(self.norm(c))
        return h, c


class ConvLSTM(nn.Module):
    """A cell over the frames of a clip [B, T, C, H, W]."""

    def __init__(self, input_dim, hidden_dim, kernel_size):
        super().__init__()
        self.cell = ConvLSTMCell(input_dim, hidden_dim, kernel_size)

    def forward(self, frames, state=None):
        if state is None:
            state = self.cell.init_state(frames[:, 0])
        outputs = []
        for t in range(frames.size(1)):
            state = self.cell(frames[:, t], state)
            outputs.append(state[0])
        return torch.stack(outputs, dim=1), state
