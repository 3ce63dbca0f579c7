import torch
import torch.nn as nn


class FrameEncoder(nn.Module):

    def __init__(self, in_dim, hidden, out_dim):
        super(FrameEncoder, self).__init__()
        self.fc_in = nn.Linear(in_dim, hidden)
        self.ln = nn.LayerNorm(hidden)
        self.fc_out = nn.Linear(hidden, out_dim)

    def encode(self, frame):
        h = torch.relu(self.ln(self.fc_in(frame)))
        return self.fc_out(h)

    def forward(self, x):
        # x is (batch, time, features)
        T = x.size(1)
        codes = []
        for t in range(T):
            frame = x[:, t, :]
            code = self.encode(frame)
            codes.append(code)
        codes = torch.stack(codes, dim=1)

        return codes


class FrameTagger(nn.Module):
    def __init__(self):
        super(FrameTagger, self).__init__()
        self.enc = FrameEncoder(10, 24, 16)
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.tag = nn.Linear(16, 4)

    def forward(self, x):
        out, _ = self.rnn(self.enc(x))
        return self.tag(out)


FrameTagger()(torch.randn(2, 7, 10))
