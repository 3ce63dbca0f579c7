"""Classes that a constructor looks up by name, and lists of tensors in what holds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

CASES = {
    "a class that is registered": (
        """
        class Small(nn.Module):
            def __init__(self, width=64):
                super().__init__()
                self.fc = nn.Linear(width, 8)
            def forward(self, x):
                return self.fc(x)

        TABLES = types.SimpleNamespace(encoders={"small": Small})

        class Net(nn.Module):
            def __init__(self, encoder: str = None, encoder_conf: Optional[Dict] = None, width: int = 64):
                super().__init__()
                encoder_class = TABLES.encoders.get(encoder)
                self.encoder = encoder_class(width=width, **encoder_conf)
            def forward(self, x):
                y = self.encoder(x)
                return y
        """,
        "encoder='small'",
    ),
    "a list in a table": (
        """
        class Net(nn.Module):
            def forward(self, target, prediction):
                loss = F.mse_loss(torch.cat(prediction["force"]), torch.cat(target["force"]))
                return loss
        """,
        "[f32[2, 16, 64], f32[2, 16, 64]]",
    ),
    "a table by its annotation, with keys of another": (
        """
        class Box(dict):
            def __getitem__(self, key):
                if key not in self:
                    raise KeyError(f'key "{key}" not found in a box with {sorted(self)}')
                return dict.__getitem__(self, key)

        class Net(nn.Module):
            def __init__(self, groups: Dict[str, List[str]], which: str, samples: Dict[str, Tensor], width=8):
                super().__init__()
                self.names, size = self.sizes(Box(samples), groups, which)
                self.fc = nn.Linear(size, width)
            def sizes(self, samples, groups, which):
                names = groups[which]
                return names, sum(samples[name].shape[-1] for name in names)
            def forward(self, samples):
                x = torch.cat([samples[name] for name in self.names], dim=-1)
                return self.fc(x)
        """,
        "['a']",
    ),
    "lengths that are cut at": (
        """
        class Net(nn.Module):
            def __init__(self, width=8):
                super().__init__()
                self.fc = nn.Linear(width, width)
            def forward(self, memory, reach):
                longest = torch.max(reach).item()
                memory = memory[:, :longest]
                return self.fc(memory)
        """,
        "i64[",
    ),
}


@pytest.mark.parametrize("case", CASES, ids=CASES)
def test_it_is_found(case: str, tmp_path: Path) -> None:
    source, expected = CASES[case]
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)
    assert expected in one.call, one
