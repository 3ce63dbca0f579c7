from typing import List

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class EventEmbedding(nn.Module):
    def __init__(self, n_items, n_events, dim):
        super().__init__()
        self.item = nn.Embedding(n_items, dim, padding_idx=0)
        self.event = nn.Embedding(n_events, dim)

    def forward(self, items, events):
        return self.item(items) + self.event(events)


class SessionRNN(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.gru = nn.GRU(dim, hidden, batch_first=True)

    def forward(self, x, lengths: List[int]):
        lens = torch.tensor(lengths)
        packed = pack_padded_sequence(x, lens, batch_first=True, enforce_sorted=False)
        out, last = self.gru(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=x.size(1))
        return out, last.squeeze(0)


class PurchaseHead(nn.Module):
    def __init__(self, hidden, n_items):
        super().__init__()
        self.next_item = nn.Linear(hidden, n_items)
        self.buy = nn.Linear(2 * hidden, 1)

    def forward(self, out, last):
        both = torch.cat([last, out.amax(dim=1)], dim=-1)
        return self.next_item(last), self.buy(both).squeeze(-1)


class SessionModel(nn.Module):
    def __init__(self, n_items=30, n_events=4, dim=12, hidden=16):
        super().__init__()
        self.embedding = EventEmbedding(n_items, n_events, dim)
        self.rnn = SessionRNN(dim, hidden)
        self.head = PurchaseHead(hidden, n_items)

    def forward(self, items, events, lengths):
        out, last = self.rnn(self.embedding(items, events), lengths)
        return self.head(out, last)


SessionModel()(torch.randint(1, 30, (3, 7)), torch.randint(0, 4, (3, 7)), [7, 4, 5])
