import torch
import torch.nn as nn


class KGEModel(nn.Module):
    """Entities and relations as vectors; `score` of heads and relations against all entities."""

    def __init__(self, num_entities, num_relations, dim, rel_dim=None):
        super().__init__()
        self.num_entities = num_entities
        self.entities = nn.Embedding(num_entities, dim)
        self.relations = nn.Embedding(2 * num_relations, rel_dim or dim)
        nn.init.xavier_normal_(self.entities.weight)
        nn.init.xavier_normal_(self.relations.weight)

    def score(self, head, rel):
        raise NotImplementedError

    def forward(self, head, rel):
        return self.score(self.entities(head), self.relations(rel))


class InteractionConv(nn.Module):
    def __init__(self, height, width, channels=16, kernel=3, drop=0.2):
        super().__init__()
        self.height, self.width = height, width
        self.bn0 = nn.BatchNorm2d(1)
        self.conv = nn.Conv2d(1, channels, kernel)
        self.bn1 = nn.BatchNorm2d(channels)
        self.drop = nn.Dropout2d(drop)
        self.out_features = channels * (2 * height - kernel + 1) * (width - kernel + 1)

    def forward(self, head, rel):
        head = head.view(-1, 1, self.height, self.width)
        rel = rel.view(-1, 1, self.height, self.width)
        x = torch.cat([head, rel], dim=2)
        x = self.drop(torch.relu(self.bn1(self.conv(self.bn0(x)))))
        return x.view(x.size(0), -1)
