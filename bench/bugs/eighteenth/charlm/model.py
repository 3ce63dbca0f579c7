"""A language model that reads letters and predicts words, with a mixture of softmaxes."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from .words import CharEncoder


class CharLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        dim, hidden = cfg["word_dim"], cfg["hidden"]
        self.experts, self.out_dim = cfg["experts"], dim
        self.encoder = CharEncoder(cfg["chars"], cfg["char_dim"], cfg["filters"], dim)
        self.rnns = nn.ModuleList()
        for i in range(cfg["layers"]):
            self.rnns.append(nn.LSTM(dim if i == 0 else hidden, hidden, batch_first=True))
        self.prior = nn.Linear(hidden, self.experts, bias=False)
        self.latent = nn.Linear(hidden, self.experts * dim)
        self.decoder = nn.Linear(dim, cfg["words"])
        self.drop = nn.Dropout(cfg["dropout"])

    def init_state(self, batch):
        return [(torch.zeros(1, batch, rnn.hidden_size), torch.zeros(1, batch, rnn.hidden_size)) for rnn in self.rnns]

    def forward(self, chars, states):
        x = self.encoder(chars)
        new = []
        for rnn, state in zip(self.rnns, states):
            x, state = rnn(self.drop(x), state)
            new.append(state)
        b, t, h = x.shape
        latent = torch.tanh(self.latent(x)).view(b * t, self.experts, self.out_dim)
        probs = F.softmax(self.decoder(latent), dim=-1)
        prior = F.softmax(self.prior(x).view(-1, self.experts), dim=-1)
        mixed = torch.bmm(prior.unsqueeze(1), probs).squeeze(1)
        return torch.log(mixed + 1e-8).view(b, t, -1), new
