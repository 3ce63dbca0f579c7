"""Graph convolution on padded molecules: a batch of dense adjacency matrices."""
import torch
from torch import nn


class BondConv(nn.Module):
    def __init__(self, f_in, f_out):
        super().__init__()
        self.own = nn.Linear(f_in, f_out)
        self.neighbour = nn.Linear(f_in, f_out, bias=False)
        self.act = nn.ELU()

    def forward(self, atoms, bonds):
        degree = bonds.sum(dim=-1, keepdim=True).clamp(min=1)
        gathered = torch.einsum("nuv,nvf->nuf", bonds / degree, atoms)
        return self.act(self.own(atoms) + self.neighbour(gathered))


class Solubility(nn.Module):
    def __init__(self, kinds=9, width=20, rounds=3):
        super().__init__()
        self.kinds = nn.Embedding(kinds, width, padding_idx=0)
        self.convs = nn.ModuleList([BondConv(width, width) for _ in range(rounds)])
        self.read = nn.Linear(width, 1)

    def forward(self, kind, bonds):
        h = self.kinds(kind)
        for conv in self.convs:
            h = conv(h, bonds)
        present = (kind > 0).unsqueeze(-1)
        return self.read((h * present).sum(dim=1)).squeeze(-1)


if __name__ == "__main__":
    torch.manual_seed(12)
    kind = torch.randint(0, 9, (6, 14))
    upper = torch.triu((torch.rand(6, 14, 14) < 0.2).float(), diagonal=1)
    out = Solubility()(kind, upper + upper.mT)
    print(out)
