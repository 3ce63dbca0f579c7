"""Calls in documentation."""

from __future__ import annotations

from textwrap import dedent

from fx_lsp.analysis.config import Config
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
    space._read, space._files = texts.get, lambda: list(texts)
    assert found(space, "call", "pkg/model.py")[0].call == "Net(3)(torch.randn(2, 3))"
    texts["/w/README.md"] = README.replace("Net(3)", "Net(6)")
    assert found(space, "call", "pkg/model.py")[0].call == "Net(6)(torch.randn(2, 3))"


USAGE = """\
Usage
=====

.. code-block:: python
   :linenos:

   import torch
   from pkg import Net
   net = Net(3)

Then:

.. code:: python

   net(torch.randn(2, 3))

.. code-block:: bash

   net(torch.randn(9, 9))

Or::

    >>> from pkg import Net
    >>> Net(4)(torch.ones(4))
"""


def test_restructured_text_anywhere():
    examples = found(workspace(package(**{"docs/usage.rst": USAGE})), "call", "pkg/model.py")
    assert [(e.setup, e.call) for e in examples] == [
        ("", "Net(3)(torch.randn(2, 3))"),
        ("", "Net(4)(torch.ones(4))"),
    ]
    assert [e.span.line for e in examples if e.span] == [15, 24]


def test_a_block_goes_on_with_the_one_before():
    text = """\
```python
from pkg import Net
net = Net(3)
```
```python
from pkg import Net
net = Net(4)
net.eval()
```
Now call it.
```py
y = net(torch.ones(2))
```
```python
y = other(torch.ones(2))
```
"""
    (example,) = found(workspace(package(**{"README.md": text})), "call", "pkg/model.py")
    assert (example.setup, example.call) == ("", "Net(4)(torch.ones(2))")
    assert example.span is not None
    assert example.span.line == 12


def test_a_directive_in_a_docstring():
    doc = "'''A net.\n\n    .. code-block:: python\n\n        net = Net(4)\n        net(torch.ones(4))\n    '''"
    (example,) = found(workspace(package(doc)), "call", "pkg/model.py")
    assert (example.setup, example.call) == ("", "Net(4)(torch.ones(4))")


def test_documents_that_do_not_speak_of_it_are_not_read_further():
    files = {f"docs/page{n}.md": "```python\nimport torch\nx = torch.ones(2)\n```\n" for n in range(50)}
    space = workspace(package(**files, **{"README.md": README}))
    parsed = space.parsed
    assert found(space, "call", "pkg/model.py")
    assert space.parsed - parsed < 8


def test_excluded_documents():
    space = workspace(package(**{"old/README.md": README}))
    assert found(space, "call", "pkg/model.py")
    assert not found(space, "call", "pkg/model.py", config=Config(exclude=("old/**",)))


def test_a_docstring_with_names_that_its_file_has_not_is_no_example():
    doc = """'''Doc.

    >>> y = Net(3)(image)
    >>> y = Net(4)(torch.ones(scale, 3))
    '''"""
    assert found(workspace(package(doc)), "call", "pkg/model.py") == []
    known = package(doc, **{"pkg/sizes.py": "scale = 2\n"})
    known["pkg/model.py"] = known["pkg/model.py"].replace("import torch\n", "import torch\nfrom .sizes import *\n", 1)
    assert "Net(4)(torch.ones(scale, 3))" in [one.call for one in found(workspace(known), "call", "pkg/model.py")]


def test_what_is_left_to_the_reader_is_no_example():
    doc = """'''Doc.

    >>> width = ...  # of your own
    >>> y = Net(width)(torch.ones(2))
    >>> y = Net(width=...)(torch.ones(2))
    >>> y = Net(3)(...)
    >>> y = Net(4)(torch.ones(2, 3)[..., 0])
    '''"""
    assert [one.call for one in found(workspace(package(doc)), "call", "pkg/model.py")] == [
        "Net(4)(torch.ones(2, 3)[..., 0])"
    ]


def test_what_methods_read_of_a_class_that_a_variable_is_made_of() -> None:
    doc = dedent("""\
        SCALE = 2
        class Part(nn.Module):
            def forward(self, x):
                return x * SCALE
        class Base(Net):
            def make(self):
                return Part()
        base = Base(3)
        used = base.make()
        y = Net(used)(torch.randn(4, 3))""")
    lines = "\n".join(f">>> {line}" if not line.startswith(" ") else f"... {line}" for line in doc.splitlines())
    space = workspace(package(f'''"""A net\n\n{lines}\n"""'''))
    (example,) = found(space, "call", "pkg/model.py")
    assert all(part in example.setup for part in ("SCALE = 2", "class Part", "class Base"))
