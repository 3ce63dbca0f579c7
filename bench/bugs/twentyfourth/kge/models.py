import torch
import torch.nn as nn

from .base import InteractionConv, KGEModel

MODELS = {}


def register(name):
    def wrap(cls):
        MODELS[name] = cls
        return cls

    return wrap


def create_model(name, num_entities, num_relations, **kwargs):
    return MODELS[name](num_entities, num_relations, **kwargs)


@register("transe")
class TransE(KGEModel):
    def __init__(self, num_entities, num_relations, dim=64, margin=9.0):
        super().__init__(num_entities, num_relations, dim)
        self.margin = margin

    def score(self, head, rel):
        translated = (head + rel).unsqueeze(1)
        return self.margin - (translated - self.entities.weight).norm(p=1, dim=-1)


@register("complex")
class ComplEx(KGEModel):
    def __init__(self, num_entities, num_relations, dim=64):
        super().__init__(num_entities, num_relations, 2 * dim)

    def score(self, head, rel):
        h_re, h_im = head.chunk(2, dim=-1)
        r_re, r_im = rel.chunk(2, dim=-1)
        query = torch.cat([h_re * r_re - h_im * r_im, h_re * r_im + h_im * r_re], dim=-1)
        return query @ self.entities.weight.t()


@register("tucker")
class TuckER(KGEModel):
    def __init__(self, num_entities, num_relations, dim=48, rel_dim=24):
        super().__init__(num_entities, num_relations, dim, rel_dim)
        self.core = nn.Parameter(torch.randn(rel_dim, dim, dim) * 0.1)
        self.bn0 = nn.BatchNorm1d(dim)
        self.bn1 = nn.BatchNorm1d(dim)
        self.drop = nn.Dropout(0.3)

    def score(self, head, rel):
        x = self.bn0(head).unsqueeze(1)
        w = torch.mm(rel, self.core.view(rel.size(1), -1)).view(-1, head.size(1), head.size(1))
        x = torch.bmm(x, self.drop(w)).squeeze(1)
        return self.bn1(x) @ self.entities.weight.t()


@register("conve")
class ConvE(KGEModel):
    def __init__(self, num_entities, num_relations, dim=64, height=8, drop=0.3):
        super().__init__(num_entities, num_relations, dim)
        self.interaction = InteractionConv(height, dim // height)
        self.fc = nn.Linear(self.interaction.out_features, dim)
        self.drop = nn.Dropout(drop)
        self.bn = nn.BatchNorm1d(dim)
        self.bias = nn.Parameter(torch.zeros(num_entities))

    def score(self, head, rel):
        x = self.fc(self.interaction(head, rel))
        x = torch.relu(self.bn(self.drop(x)))
        return torch.addmm(self.bias, x, self.entities.weight.t())
