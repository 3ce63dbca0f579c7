import torch
from torch import nn
from torch.nn import functional as F


class CharLM(nn.Module):
    def __init__(self, vocab: int, dim: int = 24, pad: int = 0):
        super().__init__()
        self.pad = pad
        self.emb = nn.Embedding(vocab, dim, padding_idx=pad)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        inp, tgt = tokens[:, :-1], tokens[:, 1:]
        hidden, _ = self.gru(self.emb(inp))
        logits = self.out(hidden)

        logp = logits.log_softmax(-1)
        # one row per character, padding does not count
        logp = logp.reshape(-1, logp.size(-1))
        loss = F.nll_loss(logp, tgt.reshape(-1), ignore_index=self.pad)
        return loss


CharLM(20)(torch.randint(0, 20, (3, 11)))
