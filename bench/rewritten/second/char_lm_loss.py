from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@dataclass
class LMConfig:
    vocab: int = 19
    dim: int = 12
    pad_id: int = 0


class CharLM(nn.Module):
    def __init__(self, cfg: LMConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocab, cfg.dim, padding_idx=cfg.pad_id)
        self.rnn = nn.LSTM(cfg.dim, cfg.dim, batch_first=True)
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def _log_probs(self, ids: Tensor) -> Tensor:
        hidden, _ = self.rnn(self.embed(ids))
        logits = self.head(hidden).flatten(0, 1)
        return torch.log_softmax(logits, dim=-1)

    def forward(self, ids: Tensor) -> Tensor:
        inputs, targets = ids[:, :-1], ids[:, 1:]
        log_probs = self._log_probs(inputs)
        loss = F.nll_loss(input=log_probs, target=targets.flatten(), ignore_index=self.cfg.pad_id)
        return loss


CharLM(LMConfig())(torch.randint(0, 19, (3, 8)))
