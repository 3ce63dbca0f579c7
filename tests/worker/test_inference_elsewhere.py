"""Arguments without which nothing is known but what they are by default in other classes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

SOURCES = {
    "a table": (
        """
        class Registry:
            def __init__(self):
                self.kinds = {"Plain": nn.Tanh, "Squared": nn.Softplus}
            def build(self, cfg):
                if not isinstance(cfg, dict):
                    raise TypeError(f"a dict is needed, not {type(cfg)}")
                rest = dict(cfg)
                made = self.kinds.get(rest.pop("flavour", ""))
                if made is None:
                    raise LookupError("nothing is called so")
                return made(**rest)

        ACTS = Registry()

        class Net(nn.Module):
            def __init__(self, width, act_cfg):
                super().__init__()
                self.fc = nn.Linear(width, width)
                self.act = ACTS.build(act_cfg)
            def forward(self, x):
                x = self.act(self.fc(x))
                return x

        class Other(nn.Module):
            def __init__(self, act_cfg=dict(flavour="Squared")):
                super().__init__()
                self.act = ACTS.build(act_cfg)
            def forward(self, x):
                return self.act(x)
        """,
        "act_cfg={'flavour': 'Squared'}",
    ),
    "a text": (
        """
        class Other(nn.Module):
            def __init__(self, width, squash="softly"):
                super().__init__()
            def forward(self, x):
                return x * 2

        class Frame:
            def __eq__(self, other):
                raise ValueError("of another length")

        class Another(nn.Module):
            def __init__(self, table=Frame(), tables=[torch.ones(2)], rate=float("inf")):
                super().__init__()

        class Net(nn.Module):
            def __init__(self, width, squash):
                super().__init__()
                self.fc = nn.Linear(width, width)
                self.squash = getattr(self, f"squash_{squash}")
            def squash_softly(self, x):
                return x.tanh()
            def forward(self, x):
                x = self.squash(self.fc(x))
                return x
        """,
        "squash='softly'",
    ),
    "of its kind": (
        """
        class Other(nn.Module):
            def __init__(self, width, decay="slow"):
                super().__init__()
            def forward(self, x):
                return x * 2

        class Another(nn.Module):
            def __init__(self, decay=0.75):
                super().__init__()
            def forward(self, x):
                return x * 2

        class Net(nn.Module):
            def __init__(self, width: int, decay: float):
                super().__init__()
                self.fc = nn.Linear(width, width)
                self.decay = decay
            def forward(self, x):
                x = self.fc(x) * self.decay
                return x
        """,
        "decay=0.75",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_default_elsewhere(tmp_path: Path, name: str) -> None:
    source, expected = SOURCES[name]
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert expected in one.call
