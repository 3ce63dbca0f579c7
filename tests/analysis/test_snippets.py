"""Calls in documentation."""

from __future__ import annotations

from textwrap import dedent

from tests.analysis.workspaces import found, workspace

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    {doc}
    def __init__(self, width):
        super().__init__()

    def forward(self, x):
        return x
"""

README = """\
# net

Some text `Net(1)`.

```python
import torch
from pkg import Net

net = Net(3)
y = net(torch.randn(2, 3)) # (2, 3)
```

```bash
pip install net
```

```python
from pkg import Net
net = Net(
```

```pycon
>>> import torch
>>> from pkg.model import Net
>>> Net(5)(torch.randn(
...     5))
tensor(...)
```
"""


def package(doc: str = "'''Doc.'''", **more: str) -> dict[str, str]:
    return {"pkg/__init__.py": "from .model import Net\n", "pkg/model.py": NET.format(doc=doc), **more}


def test_readme():
    space = workspace(package(**{"README.md": README}))
    examples = found(space, "call", "pkg/model.py")
    assert [(e.setup, e.call) for e in examples] == [
        ("", "Net(3)(torch.randn(2, 3))"),
        ("", "Net(5)(torch.randn(5))"),
    ]
    spans = [e.span for e in examples]
    assert [(s.path, s.line) for s in spans if s] == [("/w/README.md", 10), ("/w/README.md", 25)]


def test_scripts_say_more_than_documentation_and_tests_most():
    script = "import torch\nfrom pkg import Net\n{}Net({})(torch.randn(2))\n"
    files = {
        "README.md": README,
        "run.py": script.format("", 7),
        "tests/test_net.py": script.format("n = [1]\nn.append(2)\nprint(n)\n", 8),
    }
    calls = [e.call for e in found(workspace(package(**files)), "call", "pkg/model.py")]
    assert calls[0] == "Net(8)(torch.randn(2))"
    assert calls[-1] == "Net(7)(torch.randn(2))"


def test_docstring():
    shown = ">>> net = Net(4)\n        >>> net(torch.ones(4))\n        tensor([1.])"
    doc = f"'''A net.\n\n    Example::\n\n        {shown}\n    '''"
    (example,) = found(workspace(package(doc)), "call", "pkg/model.py")
    assert (example.setup, example.call) == ("", "Net(4)(torch.ones(4))")
    assert example.span is not None
    assert (example.span.path, example.span.line) == ("/w/pkg/model.py", 11)


def test_an_edited_readme_is_read_again():
    texts = {f"/w/{path}": dedent(text) for path, text in package(**{"README.md": README}).items()}
    space = workspace({})
    space._read = texts.get
    assert found(space, "call", "pkg/model.py")[0].call == "Net(3)(torch.randn(2, 3))"
    texts["/w/README.md"] = README.replace("Net(3)", "Net(6)")
    assert found(space, "call", "pkg/model.py")[0].call == "Net(6)(torch.randn(2, 3))"
