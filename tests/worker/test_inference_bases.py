"""Classes that leave a method to those below them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

LEFT = {
    "by an error": ("", "raise NotImplementedError('for those below')"),
    "by a decorator": ("@abc.abstractmethod", "..."),
}


@pytest.mark.parametrize("name", LEFT)
def test_one_below_runs_its_forward(tmp_path: Path, name: str) -> None:
    decorator, body = LEFT[name]
    source = f"""
    import abc
    class Model(nn.Module, abc.ABC):
        def __init__(self, n_words: int, width: int):
            super().__init__()
            self.embed = nn.Embedding(n_words, width)
        {decorator}
        def score(self, x):
            {body}
        def forward(self, ids):
            x = self.embed(ids)
            y = self.score(x)
            return y
    class Other(Model):
        def score(self, x):
            return x
        def forward(self, ids):
            return ids + 1
    class Sum(Model):
        def __init__(self, n_words, width, scale):
            super().__init__(n_words, width)
            self.scale = scale
        def score(self, x):
            return x.sum(-1) * self.scale
    """
    one = found(tmp_path, source, "Model")["Model"]
    works(tmp_path, source, one)
    assert one.call.startswith("Sum(")
