"""Names that a constructor wants of what it is given: in lists, in tables of modules and of numbers; and several
arguments of one kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

SYMBOLS = """
import typing
SYMBOLS = ("", "H", "He", "Li")
class Atom(nn.Module):
    def __init__(self, width: int = 8):
        super().__init__()
        self.fc = nn.Linear(width, 1)
    def forward(self, x):
        return self.fc(x)
class Named(nn.Module):
    def __init__(self, modules: dict[str, Atom], alias: bool = False):
        super().__init__()
        if any(one not in SYMBOLS for one in modules):
            raise ValueError("All modules should be mapped to valid symbols")
        self.parts = nn.ModuleDict(modules)
        self.width = next(iter(self.parts.values())).fc.out_features
    def forward(self, x):
        y = sum(part(x) for part in self.parts.values())
        return y
"""
MODELS = {
    "modules under known names": "class Net(Named):\n    pass\n",
    "modules under known names, as the class above says": """
class Net(Named):
    def __init__(self, modules: typing.Any):
        super().__init__(modules, alias=True)
""",
    "known names in a list": """
class Net(nn.Module):
    def __init__(self, symbols: typing.Sequence[str]):
        super().__init__()
        if isinstance(symbols, str):
            raise ValueError("use ['H', 'C']")
        place = {one: number for number, one in enumerate(SYMBOLS)}
        self.register_buffer("table", torch.zeros(len(place)))
        for one in symbols:
            self.table[place[one]] = 1
    def forward(self, species):
        y = self.table[species]
        return y
""",
    "a table of modules of which nothing is said": """
class Net(nn.Module):
    def __init__(self, modules):
        super().__init__()
        self.parts = nn.ModuleDict(modules)
        self.count = len(next(iter(self.parts.values())).state_dict())
    def forward(self, x):
        y = sum(part(x) * 2 for part in self.parts.values())
        return y
""",
    "numbers by names, with one that is looked for": """
class Net(nn.Module):
    def __init__(self, char_to_idx, tag_to_idx, embedding_dim):
        super().__init__()
        self.pad, self.unk = char_to_idx["<PAD>"], char_to_idx["<UNK>"]
        self.words = nn.Embedding(len(char_to_idx), embedding_dim, padding_idx=self.pad)
        self.tags = nn.Linear(embedding_dim, len(tag_to_idx))
    def forward(self, x):
        y = self.tags(self.words(x))
        return y
""",
    "a rate for each of several": """
class Net(nn.Module):
    def __init__(self, embed_dim, dropouts):
        super().__init__()
        self.fc = nn.Linear(embed_dim, 8)
        self.dropouts = dropouts
    def forward(self, x):
        x = F.dropout(self.fc(x), p=self.dropouts[0])
        x = F.dropout(x, p=self.dropouts[1])
        return x
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_names_are_those_that_are_looked_for(tmp_path: Path, name: str) -> None:
    source = SYMBOLS + MODELS[name]
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_what_goes_through_to_a_method_is_found_by_what_that_lacks(tmp_path: Path) -> None:
    source = """
    class Base(nn.Module):
        def build(self, input_size, units, activation, dense_func, norm=None):
            layers = []
            for unit in units:
                layers += [dense_func(input_size, unit), activation()]
                input_size = unit
            return nn.Sequential(*layers)
    class Net(Base):
        def __init__(self, output_dim, log_std_bounds, **mlp_args):
            super().__init__()
            self.bounds = log_std_bounds
            self.trunk = self.build(**mlp_args)
            self.head = nn.Linear(list(self.trunk.children())[-2].out_features, output_dim)
        def forward(self, obs):
            mu, std = self.head(self.trunk(obs)).chunk(2, dim=-1)
            low, high = self.bounds
            std = low + 0.5 * (high - low) * (torch.tanh(std) + 1)
            return mu, std
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_keys_of_a_table_that_gave_nothing(tmp_path: Path) -> None:
    source = """
    class Factory:
        def __init__(self):
            self._builders = {}
        def register(self, name, builder):
            self._builders[name] = builder
        def create(self, name, **kwargs):
            builder = self._builders.get(name)
            if not builder:
                raise ValueError(name)
            return builder(**kwargs)
    class Net(nn.Module):
        def __init__(self, width, activation):
            super().__init__()
            self.acts = Factory()
            self.acts.register("swish", lambda **k: nn.SiLU(**k))
            self.acts.register("none", lambda **k: nn.Identity())
            self.act = self.acts.create(activation)
            self.fc = nn.Linear(width, 4)
        def forward(self, x):
            y = self.act(self.fc(x))
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


PYRAMID = """
class Net(nn.Module):
    def __init__(self, width, num_hierarchies, block_repeats):
        super().__init__()
        widths = [width * 2 ** level for level in range(num_hierarchies + 1)]
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv2d(one, two, 3, 2, 1), *(nn.Conv2d(two, two, 1) for _ in range(block_repeats)))
            for one, two in zip(widths, widths[1:])
        )
    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return x
"""


def test_of_what_is_counted_there_are_few(tmp_path: Path) -> None:
    one = found(tmp_path, PYRAMID)["Net"]
    assert "num_hierarchies=2, block_repeats=2" in one.call
    works(tmp_path, PYRAMID, one)


def test_layers_are_torchs_where_something_else_is_called_nn(tmp_path: Path) -> None:
    source = """
    nn = types.SimpleNamespace(Identity=lambda width_in, width_out: None, Linear=torch.nn.Linear)
    class Net(torch.nn.Module):
        def __init__(self, width: int, gate: Optional[Callable], after):
            super().__init__()
            self.fc = nn.Linear(width, 4)
            self.gate = gate(width) if isinstance(gate, type) else gate
            self.after = after
        def forward(self, x):
            x = self.after(self.gate(self.fc(x)))
            return x
    """
    one = found(tmp_path, source)["Net"]
    assert "nn." in one.call
    works(tmp_path, source, one)
