"""Arguments that a constructor tells apart without saying what else it takes: names that no branch bound, keys that are
missing, numbers in whose place there was a group."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.worker.inference import search
from tests.worker.test_inference import found, works


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found is looked at, not how soon: a busy machine takes more of the processor for the same."""
    monkeypatch.setattr(search, "PER_CLASS", 2 * search.PER_CLASS)


MODELS = {
    "a layer of a kind that no branch is for": """
class Held:
    def __init__(self, base_layer):
        self.base_layer = base_layer
        base_layer = self.base()
        if isinstance(base_layer, nn.Linear):
            rows, columns = base_layer.in_features, base_layer.out_features
        elif isinstance(base_layer, nn.Embedding):
            rows, columns = base_layer.num_embeddings, base_layer.embedding_dim
        self.rows, self.columns = rows, columns

    def base(self):
        base_layer = self
        while hasattr(base_layer, "base_layer"):
            base_layer = base_layer.base_layer
        return base_layer

class Net(nn.Module, Held):
    def __init__(self, base_layer, r: int):
        super().__init__()
        Held.__init__(self, base_layer)
        self.down, self.up = nn.Linear(self.rows, r), nn.Linear(r, self.columns)
    def forward(self, x: Tensor):
        y = self.base_layer(x) + self.up(self.down(x))
        return y
""",
    "a layer that a message names": """
def sizes(layer):
    return (layer.in_features, layer.out_features) if isinstance(layer, nn.Linear) else (None, None)

class Net(nn.Module):
    def __init__(self, base_layer, r: int):
        super().__init__()
        self.base_layer = base_layer
        rows, columns = sizes(base_layer)
        if None in (rows, columns):
            raise TypeError("Only nn.Linear layers supported currently")
        self.down, self.up = nn.Linear(rows, r), nn.Linear(r, columns)
    def forward(self, x):
        y = self.base_layer(x) + self.up(self.down(x))
        return y
""",
    "a number in whose place there was a group": """
class Net(nn.Module):
    def __init__(self, *, dim, num_levels=None, levels=None):
        super().__init__()
        self.num_levels = num_levels if num_levels is not None else max(levels.keys()) + 1
        assert num_levels is not None or levels is not None, "either num_levels or levels must be specified"
        sizes = (dim,) * num_levels
        self.layers = nn.ModuleList([nn.Linear(size, size) for size in sizes])
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
""",
    "keys that are listed before it raises": """
class Net(nn.Module):
    def __init__(self, algo_params: Dict[str, float]):
        super().__init__()
        missing = []
        if "step_size" not in algo_params:
            missing.append("step_size")
        if "alpha" not in algo_params:
            missing.append("alpha")
        if missing:
            raise ValueError(f"Missing required parameters of this one: {', '.join(missing)}")
        self.step, self.alpha = algo_params["step_size"], algo_params["alpha"]
        self.fc = nn.Linear(8, 8)
    def forward(self, x):
        y = x + self.step * self.fc(x) * self.alpha
        return y
""",
    "maps that are gone through from the last one": """
class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.up = nn.Linear(width, width)
    def forward(self, coefficients):
        low, highs = coefficients
        assert low.ndim == 3, "only of three dims"
        for high in highs[::-1]:
            low = self.up(low + high)
        return low
""",
    "tables that must not be empty": """
class BufferDict(nn.Module):
    def __init__(self, buffers=None):
        super().__init__()
        for name, value in (buffers or {}).items():
            self.register_buffer(name, value)
    def __len__(self):
        return len(self._buffers)
    def values(self):
        return self._buffers.values()
    def forward(self):
        return list(self.values())

class Net(nn.Module):
    def __init__(self, width: int, shared_a: BufferDict, shared_b: BufferDict):
        super().__init__()
        if len(shared_a) < 1:
            raise ValueError("The `shared_a` and `shared_b` buffers are empty. This should not happen.")
        self.first, self.second = next(iter(shared_a.values())), next(iter(shared_b.values()))
        self.fc = nn.Linear(width, len(self.first))
    def forward(self, x):
        y = self.fc(x) @ self.first @ self.second
        return y
""",
    "one level of maps": """
class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.up = nn.ConvTranspose1d(width, width, 2, stride=2)
    def forward(self, coefficients):
        low, highs = coefficients
        for high in highs[::-1]:
            low = self.up(low + high)
        return low
""",
    "a dict with the keys of the parts": """
class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.parts = nn.ModuleDict({kind: nn.Linear(width, 4) for kind in ("word", "image")})
    def forward(self, features):
        made = {}
        for kind, one in features.items():
            made[kind] = self.parts[kind](one)
        y = torch.cat(list(made.values()), 1)
        return y
""",
    "a condition on what was given": """
class Net(nn.Module):
    def __init__(self, width: int, mask):
        super().__init__()
        self.register_buffer("chosen", torch.logical_not(mask == 1.0))
        self.fc = nn.Linear(width, 64)
    def forward(self, x):
        y = self.fc(x) * self.chosen[:1]
        return y
""",
    "columns of a table that has them only sometimes": """
class Net(nn.Module):
    def __init__(self, plain_dim: int, embedding_dims: List[Tuple[int, int]]):
        super().__init__()
        self.plain_dim = plain_dim
        self.norm = nn.BatchNorm1d(plain_dim)
        self.embed = nn.ModuleList([nn.Embedding(a, b) for a, b in embedding_dims])
    def forward(self, x: Dict[str, Tensor]):
        assert "continuous" in x or "categorical" in x, "x must have either continuous or categorical features"
        plain = x.get("continuous", torch.empty(0, 0))
        kinds = x.get("categorical", torch.empty(0, 0))
        assert kinds.shape[1] == len(self.embed), "as many columns as there are embeddings"
        assert plain.shape[1] == self.plain_dim, "as many columns as there are numbers"
        parts = [self.norm(plain), *(one(kinds[:, at]) for at, one in enumerate(self.embed))]
        y = torch.cat(parts, 1)
        return y
""",
    "an argument that has to be in the rest": """
class Net(nn.Module):
    def __init__(self, depth: int, **kwargs):
        super().__init__()
        assert "hidden_width" in kwargs, "not found among the arguments"
        width = kwargs["hidden_width"]
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_models(tmp_path: Path, name: str) -> None:
    works(tmp_path, MODELS[name], found(tmp_path, MODELS[name])["Net"])
