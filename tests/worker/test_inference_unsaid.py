"""Arguments of which little is said: lists of objects and of tables, and those with a default that does not do."""

from __future__ import annotations

from pathlib import Path

from tests.worker.test_inference import found, works

FIELDS = """
class Sequences:
    def __init__(self, name, vocab_size, embed_dim=16):
        self.name, self.vocab_size, self.embed_dim = name, vocab_size, embed_dim
class Numbers:
    def __init__(self, name, embed_dim=1):
        self.name = name
        self.embed_dim = embed_dim
class Mask(nn.Module):
    def forward(self, x, features):
        mask = []
        for fea in features:
            held = x[fea.name].long() != -1
            mask.append(held.unsqueeze(1).float())
        return torch.cat(mask, dim=1)
class Table(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.mask = Mask()
        self.tables = nn.ModuleDict()
        for fea in features:
            if isinstance(fea, Sequences):
                self.tables[fea.name] = nn.Embedding(fea.vocab_size, fea.embed_dim)
    def forward(self, x, features):
        found = []
        for fea in features:
            if isinstance(fea, Sequences):
                mask = self.mask(x, [fea])
                y = self.tables[fea.name](x[fea.name].long())
                found.append((y * mask.transpose(1, 2)).sum(1))
        return torch.cat(found, dim=1)
"""


def test_objects_in_a_list_are_those_that_have_what_is_read_of_each(tmp_path: Path) -> None:
    source = f"""{FIELDS}
class Net(nn.Module):
    def __init__(self, user_features, item_features):
        super().__init__()
        self.user_features = user_features
        self.width = sum([fea.embed_dim for fea in user_features])
        self.table = Table(user_features + item_features)
# a comment at the left
        self.mlp = nn.Linear(self.width, 4)
    def forward(self, x):
        y = self.mlp(self.table(x, self.user_features))
        return y
"""
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_a_table_for_each_of_several_tasks(tmp_path: Path) -> None:
    source = """
    class Mlp(nn.Module):
        def __init__(self, width, dims=(4,)):
            super().__init__()
            self.parts = nn.ModuleList(nn.Linear(width, dim) for dim in dims)
        def forward(self, x):
            y = sum(part(x).sum(1, keepdim=True) for part in self.parts)
            return y
    class Net(nn.Module):
        def __init__(self, n_task, tower_params_list):
            super().__init__()
            self.towers = nn.ModuleList(Mlp(8, **tower_params_list[i]) for i in range(n_task))
        def forward(self, x):
            ys = torch.cat([tower(x) for tower in self.towers], dim=1)
            return ys
    class Keyed(nn.Module):
        def __init__(self, n_task, tower_params_list):
            super().__init__()
            self.towers = nn.ModuleList(nn.Linear(8, tower_params_list[i]["dims"][-1]) for i in range(n_task))
        def forward(self, x):
            ys = torch.cat([tower(x) for tower in self.towers], dim=1)
            return ys
    """
    for one in found(tmp_path, source, "Net", "Keyed").values():
        works(tmp_path, source, one)


def test_a_default_that_does_not_do(tmp_path: Path) -> None:
    source = """
    class Upsample(nn.Module):
        def __init__(self, scale_factor=2, mode='nearest', align_corners=False):
            super().__init__()
            self.scale_factor, self.mode, self.align_corners = scale_factor, mode, align_corners
        def forward(self, x):
            y = F.interpolate(x, scale_factor=self.scale_factor, mode=self.mode, align_corners=self.align_corners)
            return y
    class Kernels(nn.Module):
        def __init__(self, channels, kernels=None):
            super().__init__()
            self.ranks = [len(k) for k in kernels]
            self.layers = nn.ModuleList([nn.Conv2d(channels, channels, k) for k in kernels])
        def forward(self, x):
            for one in self.layers:
                x = one(x)
            return x
    """
    for one in found(tmp_path, source, "Upsample", "Kernels").values():
        works(tmp_path, source, one)


def test_a_module_that_has_a_parameter(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model
            self.place = next(model.parameters()).device
        def forward(self, x):
            y = self.model(x.to(self.place))
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])
