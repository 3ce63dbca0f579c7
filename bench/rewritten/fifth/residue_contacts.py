"""Toy contact predictor: residues attend to one another with a learned offset bias."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def look_up(query, key, value, bias):
    # T5 style: no division, the initialisation takes care of the scale
    affinity = torch.matmul(query, key.mT)
    affinity = affinity + bias
    share = F.softmax(affinity, dim=-1)
    return torch.matmul(share, value)


class ResidueLayer(nn.Module):
    def __init__(self, dim=24, n_head=3, reach=8, longest=64):
        super().__init__()
        self.n_head = n_head
        self.qkv = nn.Linear(dim, 3 * dim)
        self.back = nn.Linear(dim, dim)
        self.offset = nn.Embedding(2 * reach + 1, n_head)
        place = torch.arange(longest)
        gap = (place[None] - place[:, None]).clamp(-reach, reach) + reach
        self.register_buffer("gap", gap, persistent=False)

    def forward(self, residues):
        n, length, dim = residues.shape
        qkv = self.qkv(residues).view(n, length, 3, self.n_head, dim // self.n_head)
        query, key, value = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        bias = self.offset(self.gap[:length, :length]).permute(2, 0, 1).unsqueeze(0)
        out = look_up(query, key, value, bias)
        return residues + self.back(out.transpose(1, 2).flatten(2))


class ContactNet(nn.Module):
    def __init__(self, letters=21, dim=24):
        super().__init__()
        self.letters = nn.Embedding(letters, dim)
        self.layers = nn.ModuleList([ResidueLayer(dim) for _ in range(2)])

    def forward(self, seq):
        h = self.letters(seq)
        for layer in self.layers:
            h = layer(h)
        return h @ h.transpose(1, 2) / h.size(-1)


if __name__ == "__main__":
    torch.manual_seed(1)
    chains = torch.randint(0, 21, (2, 30))
    contacts = ContactNet()(chains)
    print(contacts.shape, contacts.mean())
