import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLM(nn.Module):
    MASK = 1

    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids, labels):
        h = self.emb(ids)
        h = h + F.gelu(self.mix(h.permute(0, 2, 1))).permute(0, 2, 1)
        logits = self.out(h)

        per_tok = F.cross_entropy(logits.permute(0, 2, 1), labels, reduction="none")
        picked = ids == self.MASK
        # only the masked positions count
        return per_tok[picked].mean()


ids = torch.randint(2, 25, (3, 10))
labels = ids.clone()
ids[:, ::4] = 1
MaskedLM(25, 12)(ids, labels)
