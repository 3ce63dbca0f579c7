"""Subclasses of `nn.Module`, found in the text."""

from __future__ import annotations

import pytest

from fx_lsp.analysis.modules import modules
from tests.analysis.workspaces import marked, workspace


def names(files: dict[str, str] | str, path: str = "model.py") -> list[str]:
    return [module.name for module in modules(workspace(files), f"/w/{path}")]


@pytest.mark.parametrize(
    "source",
    [
        "from torch import nn\nclass A(nn.Module): pass",
        "import torch\nclass A(torch.nn.Module): pass",
        "import torch.nn as nn\nclass A(nn.Module): pass",
        "import torch as t\nclass A(t.nn.Module): pass",
        "from torch.nn import Module\nclass A(Module): pass",
        "from torch.nn import Module as M\nclass A(M): pass",
        "from torch.nn import *\nclass A(Module): pass",
        "import torch.nn as nn\nBase = nn.Module\nclass A(Base): pass",
        "from torch import nn\nclass A(nn.Sequential): pass",
        "from torch import nn\nclass A(nn.Linear): pass",
        "from torch.nn.modules.conv import Conv2d\nclass A(Conv2d): pass",
        "from torch.nn.modules.loss import _Loss\nclass A(_Loss):\n    def forward(self, x): return x",
        "import torch.nn as nn\nclass A(nn.modules.batchnorm._BatchNorm): pass",
        "from typing import Generic\nfrom torch import nn\nclass A(nn.Module, Generic[T]): pass",
        "import framework as fw\nclass A(fw.FrameworkModule): pass",
        "from framework import PreTrained\nclass A(PreTrained):\n    def forward(self, x): return x",
        "from torch import nn\nif True:\n    class A(nn.Module): pass",
        "class A(nn.Module): pass",
    ],
)
def test_is_a_module(source):
    assert names(source) == ["A"]


@pytest.mark.parametrize(
    "source",
    [
        "class A: pass",
        "class A:\n    def forward(self, x): return x",
        "class A(dict):\n    def forward(self, x): return x",
        "import torch\nclass A(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): return x",
        "import torch\nclass A(torch.utils.data.Dataset): pass",
        "import torch\nclass A(torch.optim.Optimizer): pass",
        "from torch import nn\nclass A(nn.Parameter): pass",
        "from unittest import TestCase\nclass A(TestCase):\n    def test_forward(self): pass",
        "from framework import Trainer\nclass A(Trainer): pass",
        "text = 'class A(nn.Module): pass'",
        "class A(nn.Module",
    ],
)
def test_is_no_module(source):
    assert names(source) == []


def test_bases_of_other_files():
    files = {
        "pkg/__init__.py": "",
        "pkg/base.py": "from torch import nn\nclass Base(nn.Module):\n    def forward(self, x): return x\n",
        "pkg/mid.py": "from .base import Base as B\nclass Mid(B): pass\n",
        "pkg/sub/__init__.py": "",
        "pkg/sub/top.py": "from ..mid import Mid\nfrom ... import nothing\nclass Top(Mid): pass\n",
        "sibling.py": "import pkg.mid\nclass A(pkg.mid.Mid): pass\nclass B(A): pass\n",
    }
    assert names(files, "pkg/sub/top.py") == ["Top"]
    assert names(files, "sibling.py") == ["A", "B"]


def test_classes_that_inherit_each_other_end():
    assert names("class A(B): pass\nclass B(A): pass") == []


def test_nested():
    source = """
        from torch import nn
        class Outer(nn.Module):
            class Inner(nn.Module):
                def forward(self, x): return x
            class User(Inner): pass
        class Box:
            class Held(nn.Module): pass
    """
    assert names(source) == ["Outer", "Outer.Inner", "Outer.User", "Box.Held"]


def test_places():
    space = workspace("""
        from torch import nn
        @register("é")
        class  Näme(nn.Module):
            '''é'''
            @torch.no_grad()
            def forward(self, x):
                return x
    """)
    (module,) = modules(space, "/w/model.py")
    assert (module.line, module.column, module.end_line, module.forward_line) == (4, 0, 8, 7)
    assert marked(space, module.name_span) == "Näme"


@pytest.mark.parametrize(
    ("body", "abstract"),
    [
        ("    pass", True),
        ("    def forward(self, x): raise NotImplementedError", True),
        ("    def forward(self, x):\n        '''Doc.'''\n        raise NotImplementedError('later')", True),
        ("    @abstractmethod\n    def forward(self, x): ...", True),
        ("    @abc.abstractmethod\n    def forward(self, x): return x", True),
        ("    def forward(self, x): pass", True),
        ("    def forward(self, x): return x", False),
        ("    forward = other", False),
    ],
)
def test_abstract(body, abstract):
    (module,) = modules(workspace(f"from torch import nn\nclass A(nn.Module):\n{body}\n"), "/w/model.py")
    assert module.abstract is abstract


@pytest.mark.parametrize(("base", "abstract"), [("loss._Loss", True), ("batchnorm._BatchNorm", False)])
def test_bases_of_torch_that_have_a_forward_or_not(base, abstract):
    space = workspace(f"from torch import nn\nclass A(nn.modules.{base}): pass")
    assert [one.abstract for one in modules(space, "/w/model.py")] == [abstract]


def test_inherited_forward_is_not_abstract():
    space = workspace("""
        from torch import nn
        class A(nn.Module):
            def forward(self, x): return x
        class B(A): pass
        class C(nn.Sequential): pass
        class D(nn.ModuleList): pass
    """)
    found = {m.name: (m.abstract, m.forward_line) for m in modules(space, "/w/model.py")}
    assert found == {"A": (False, 4), "B": (False, None), "C": (False, None), "D": (True, None)}
