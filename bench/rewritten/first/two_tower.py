import torch
from torch import nn
from torch.nn import functional as F


class Tower(nn.Module):
    def __init__(self, n_ids: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(n_ids, dim)
        self.fc = nn.Linear(dim, dim)

    def forward(self, ids):
        return F.relu(self.fc(self.emb(ids)))


class TwoTower(nn.Module):
    """Click model with a joint head on top of a user and an item tower."""

    def __init__(self, n_users, n_items, dim=8):
        super().__init__()
        self.users = Tower(n_users, dim)
        self.items = Tower(n_items, dim)
        self.head = nn.Sequential(
            nn.Linear(2 * dim, dim),
            nn.Tanh(),
            nn.Linear(dim, 1),
        )

    def forward(self, user_ids, item_ids):
        user = self.users(user_ids)
        item = self.items(item_ids)

        joint = torch.cat((user, item), dim=-1).contiguous()
        return self.head(joint).squeeze(-1)


TwoTower(20, 30)(torch.randint(0, 20, (5,)), torch.randint(0, 30, (5,)))
