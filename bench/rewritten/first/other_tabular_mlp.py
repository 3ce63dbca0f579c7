import torch
import torch.nn as nn
import torch.nn.functional as F


class TabularMLP(nn.Module):
    """MLP on a handful of numeric features plus one categorical one."""

    def __init__(self, n_num, n_cat, width=32, p_drop=0.2):
        super().__init__()
        self.emb = nn.Embedding(n_cat, 4)
        self.fc1 = nn.Linear(n_num + 4, width)
        self.fc2 = nn.Linear(width, width)
        self.head = nn.Linear(width, 1)
        self.p_drop = p_drop

    def forward(self, num, cat):
        h = torch.cat((num, self.emb(cat)), dim=1)
        h = F.relu(self.fc1(h))

        # regularise
        h = F.dropout(h, self.p_drop)
        h = F.relu(self.fc2(h))
        return self.head(h).squeeze(1)


TabularMLP(6, 5)(torch.randn(8, 6), torch.randint(0, 5, (8,)))
