"""A file of a workspace of 3,000 files costs the parsing of a few."""

from __future__ import annotations

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.plan import next_wave, problems
from fx_lsp.analysis.workspace import Workspace

HEAD = "import torch\nfrom torch import nn\n"
FAMILY = (
    HEAD
    + """
from ..base import Base
class Attention(nn.Module):
    def __init__(self, dim): pass
    def forward(self, x): return x
class Net{0}(Base):
    def __init__(self, dim):
        self.attention = Attention(dim)
    def forward(self, x): return self.attention(x)
"""
)


def large() -> dict[str, str]:
    texts = {"/w/zoo/__init__.py": "", "/w/zoo/base.py": HEAD + "class Base(nn.Module):\n    pass\n"}
    for number in range(1000):
        folder = f"/w/zoo/net{number}"
        texts[f"{folder}/__init__.py"] = f"from .model import *\n# Net{number}\n"
        texts[f"{folder}/model.py"] = FAMILY.format(number)
        texts[f"/w/tests/test_net{number}.py"] = (
            f"{HEAD}from zoo.net{number}.model import Net{number}\ndef test():\n    Net{number}(4)(torch.ones(2, 4))\n"
        )
    return texts


def test_few_files_are_parsed():
    texts = large()
    space = Workspace("/w", texts.get, lambda: list(texts))
    path = "/w/zoo/net7/model.py"
    (example,) = next_wave(space, Config(), path, ())
    assert example.call == "Net7(4)(torch.ones(2, 4))"
    assert not problems(space, Config(), path)
    assert space.parsed <= 8


def test_nothing_is_parsed_again():
    texts = large()
    space = Workspace("/w", texts.get, lambda: list(texts))
    path = "/w/zoo/net7/model.py"
    next_wave(space, Config(), path, ())
    parsed = space.parsed
    next_wave(space, Config(), path, ())
    assert space.parsed == parsed
    texts[path] += "# a keystroke\n"
    next_wave(space, Config(), path, ())
    assert space.parsed == parsed + 1


def test_a_common_name_without_any_call():
    texts = {path: text for path, text in large().items() if "/tests/" not in path}
    space = Workspace("/w", texts.get, lambda: list(texts))
    assert next_wave(space, Config(), "/w/zoo/net7/model.py", ()) == ()
    assert space.parsed <= 8
