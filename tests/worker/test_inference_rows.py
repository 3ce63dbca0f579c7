"""Lists of lists as arguments, one for each stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

MODELS = {
    "unpacked": """
class Net(nn.Module):
    def __init__(self, plan):
        super().__init__()
        layers, last = [], plan[0][1]
        for expand, c, repeats, kernel, s in plan:
            assert s in (1, 2) and kernel % 2 == 1
            for number in range(repeats):
                layers += [nn.Conv2d(last, last * expand, 1), nn.Conv2d(last * expand, c, kernel, s, kernel // 2)]
                last = c
        self.net = nn.Sequential(*layers)
    def forward(self, x):
        y = self.net(x)
        return y
""",
    "looked into": """
class Net(nn.Module):
    def __init__(self, corners=(), ch=()):
        super().__init__()
        self.count = len(corners[0]) // 2
        self.first = nn.Conv2d(ch[0], 8, 1)
        self.heads = nn.ModuleList(nn.Conv2d(one, 5 * self.count, 1) for one in ch)
        self.register_buffer("corners", torch.tensor(corners).float().view(len(corners), -1, 2))
    def forward(self, x):
        y = self.first(x[0])
        out = [head(one) for head, one in zip(self.heads, x)]
        return y, out
""",
    "gone through": """
class Net(nn.Module):
    def __init__(self, branches):
        super().__init__()
        self.parts = nn.ModuleList()
        for at, branch in enumerate(branches):
            self.parts.append(nn.Sequential(*(nn.Linear(a, b) for a, b in zip(branch[:-1], branch[1:]))))
    def forward(self, x):
        y = sum(one(x) for one in self.parts)
        return y
""",
    "no rows": """
class Net(nn.Module):
    def __init__(self, units, taps):
        super().__init__()
        self.first = nn.ModuleList(nn.Linear(a, b) for a, b in zip(units[:-1], units[1:]))
        self.second = nn.ModuleList(nn.Conv1d(units[0], units[0], taps[at]) for at in range(len(taps)))
    def forward(self, x):
        for one in self.first:
            x = one(x)
        y = sum(one(x.transpose(1, 2)).mean() for one in self.second)
        return y
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_found(tmp_path: Path, name: str) -> None:
    works(tmp_path, MODELS[name], found(tmp_path, MODELS[name])["Net"])
