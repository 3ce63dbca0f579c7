import torch
import torch.nn as nn
import torch.nn.functional as F


class PropertyEncoder(nn.Module):
    def __init__(self, n_props, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_props, dim), nn.Tanh(), nn.Linear(dim, dim))

    def forward(self, props):
        return self.net(props)


class ConvDecoder(nn.Module):
    """Left-padded convolutions over the string so far."""

    def __init__(self, vocab, dim, kernel=3):
        super().__init__()
        self.kernel = kernel
        self.emb = nn.Embedding(vocab, dim)
        self.conv1 = nn.Conv1d(dim, dim, kernel)
        self.conv2 = nn.Conv1d(dim, dim, kernel)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens, cond):
        x = (self.emb(tokens) + cond.unsqueeze(1)).transpose(1, 2)
        for conv in (self.conv1, self.conv2):
            x = x + F.relu(conv(F.pad(x, (self.kernel - 1, 0))))
        return self.out(x.transpose(1, 2))


class SmilesGenerator(nn.Module):
    BOS = 1

    def __init__(self, vocab=24, n_props=4, dim=16, max_len=8):
        super().__init__()
        self.encoder = PropertyEncoder(n_props, dim)
        self.decoder = ConvDecoder(vocab, dim)
        self.max_len = max_len

    def forward(self, props):
        cond = self.encoder(props)
        tokens = torch.full((props.size(0), 1), self.BOS, dtype=torch.long, device=props.device)
        for _ in range(self.max_len):
            logits = self.decoder(tokens, cond)[:, -1]
            nxt = logits.argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, nxt], dim=1)
        return tokens


SmilesGenerator()(torch.randn(3, 4))
