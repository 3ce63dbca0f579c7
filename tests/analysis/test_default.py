"""Classes that say themselves how they run."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.analysis.workspaces import found, workspace

HEAD = "import torch\nfrom dataclasses import dataclass\nfrom torch import nn\n"


def calls(files: dict[str, str] | str, path: str = "model.py") -> list[tuple[str, str]]:
    given = {path: files} if isinstance(files, str) else files
    texts = {name: HEAD + dedent(text) for name, text in given.items()}
    return [(example.setup, example.call) for example in found(workspace(texts), "default", path)]


def test_nothing_is_required():
    assert calls("class A(nn.Module):\n    def forward(self, scale=2): return torch.ones(scale)") == [("", "A()()")]


@pytest.mark.parametrize(
    "source",
    [
        "class A(nn.Module):\n    def forward(self, x): return x",
        "class A(nn.Module):\n    def forward(self, *xs): return xs",
        "class A(nn.Module):\n    def __init__(self, n): pass\n    def forward(self): return 1",
        "class A(nn.Sequential): pass",
        "class A(nn.Module): pass",
    ],
)
def test_something_is_missing(source):
    assert calls(source) == []


@pytest.mark.parametrize(
    ("value", "handed"),
    [
        ("torch.randn(2, 3)", "example_input"),
        ("(torch.randn(2), torch.randn(3))", "*example_input"),
        ("{'x': torch.randn(2)}", "**example_input"),
        ("dict(x=torch.randn(2))", "**example_input"),
    ],
)
def test_an_input_next_to_the_class(value, handed):
    source = f"class A(nn.Module):\n    def forward(self, x): return x\nexample_input = {value}\n"
    assert calls(source) == [("", f"A()({handed})")]


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("    example_input_array = torch.randn(2)", "model(model.example_input_array)"),
        ("    def __init__(self):\n        self.example_input_array = (1, 2)", "model(*model.example_input_array)"),
        ("    @property\n    def dummy_inputs(self):\n        return {'x': 1}", "model(**model.dummy_inputs)"),
        ("    @property\n    def dummy_inputs(self):\n        d = {}\n        return d", "model(**model.dummy_inputs)"),
    ],
)
def test_an_input_on_the_instance(body, call):
    source = f"class A(nn.Module):\n{body}\n    def forward(self, x): return x\n"
    assert calls(source) == [("model = A()", call)]


def test_the_convention_of_two_functions():
    source = """
        class Model(nn.Module):
            def __init__(self, n): pass
            def forward(self, x): return x
        def get_inputs(): return [torch.randn(2)]
        def get_init_inputs(): return [3]
    """
    assert calls(source) == [("", "Model(*get_init_inputs())(*get_inputs())")]


MODEL = """
    class A(nn.Module):
        def __init__(self, {argument}): pass
        def forward(self, x): return x
    example_input = torch.randn(2)
"""


@pytest.mark.parametrize(
    ("config", "argument"),
    [
        ("@dataclass\nclass Config:\n    n: int = 3\n", "config: Config"),
        ("@dataclass\nclass Config:\n    n: int = 3\n", "config: 'Config'"),
        ("@dataclass\nclass Config:\n    n: int = 3\n", "cfg"),
        ("class Config:\n    def __init__(self, n=3): pass\n", "config: Config"),
        ("class Base:\n    def __init__(self, **kwargs): pass\nclass Config(Base): pass\n", "config: Config"),
    ],
)
def test_a_configuration_with_defaults(config, argument):
    assert calls(config + dedent(MODEL.format(argument=argument))) == [("", "A(Config())(example_input)")]


@pytest.mark.parametrize(
    ("config", "argument"),
    [
        ("@dataclass\nclass Config:\n    n: int\n", "config: Config"),
        ("class Config:\n    def __init__(self, n): pass\n", "config: Config"),
        ("@dataclass\nclass Config:\n    n: int = 3\n", "width"),
        ("class Config(nn.Module): pass\n", "config: Config"),
    ],
)
def test_a_configuration_without(config, argument):
    assert calls(config + dedent(MODEL.format(argument=argument))) == []


def test_a_configuration_of_another_file():
    files = {
        "pkg/__init__.py": "",
        "pkg/conf.py": "@dataclass\nclass Config:\n    n: int = 3\n",
        "pkg/base.py": "from .conf import Config\nclass Base(nn.Module):\n    config_class = Config\n",
        "pkg/model.py": """
            from .base import Base
            class A(Base):
                dummy_inputs = {}
                def __init__(self, config): pass
                def forward(self, x): return x
        """,
    }
    expected = ("from pkg.conf import Config\nmodel = A(Config())", "model(**model.dummy_inputs)")
    assert calls(files, "pkg/model.py") == [expected]


def test_a_builder():
    source = """
        class A(nn.Module):
            def __init__(self, n): pass
            def forward(self): return torch.ones(1)
        def small(): return A(3)
        def test_small(): return A(4)
    """
    assert calls(source) == [("", "small()()")]
