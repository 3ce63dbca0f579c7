"""Calls in notebooks."""

from __future__ import annotations

import json

import pytest

from fx_lsp.analysis.examples._notebook import notebook_code
from tests.analysis.workspaces import NET, found, workspace


def code(*lines: str) -> dict[str, object]:
    """A code cell as the tools write it."""
    parts = [*(f"{line}\n" for line in lines[:-1]), *lines[-1:]]
    output = {"data": {"image/png": "A" * 200_000, "text/plain": ["source"]}, "output_type": "display_data"}
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [output], "source": parts}


def text(*lines: str) -> dict[str, object]:
    """A cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": [f"{line}\n" for line in lines]}


def notebook(*cells: dict[str, object], indent: int | None = 1) -> str:
    """The file."""
    return json.dumps({"cells": list(cells), "metadata": {"kernelspec": {}}, "nbformat": 4}, indent=indent)


DEMO = (
    text("# Demo", "`net = Net(9)`"),
    code("%matplotlib inline", "!pip install net", "import torch", "from model import Net"),
    code("%%time", 'name = "größe \\"3\\""', "net = Net(5)", "", "net?"),
    code("%%bash", "net = Net(6)"),
    code("this is (no python"),
    code(
        "files = !ls",
        "x = torch.randn(",
        "    2, 3)",
        "with torch.no_grad():",
        "    %time",
        "    y = net(x)",
        "y.shape",
    ),
)


def test_a_call_over_several_cells():
    space = workspace({"model.py": NET, "demo.ipynb": notebook(*DEMO)})
    (example,) = found(space, "call")
    assert (example.setup, example.call) == ("", "Net(5)(torch.randn(2, 3))")
    span = example.span
    assert span is not None
    assert span.path == "/w/demo.ipynb"
    assert "y = net(x)" in notebook(*DEMO).split("\n")[span.line - 1]


@pytest.mark.parametrize("indent", [None, 0, 1, 4])
def test_however_the_file_is_laid_out(indent):
    space = workspace({"model.py": NET, "demo.ipynb": notebook(*DEMO, indent=indent)})
    assert [example.call for example in found(space, "call")] == ["Net(5)(torch.randn(2, 3))"]


def test_a_cell_that_is_one_text():
    cell = {"cell_type": "code", "source": "import torch\nfrom model import Net\nNet()(torch.ones(2))\n"}
    assert [e.call for e in found(workspace({"model.py": NET, "a/demo.ipynb": notebook(cell)}), "call")] == [
        "Net()(torch.ones(2))"
    ]


def test_what_leads_out_of_the_process_is_not_run():
    cell = code("import torch", "from model import Net", "x = torch.load('x.pt')", "Net()(x)")
    assert not found(workspace({"model.py": NET, "demo.ipynb": notebook(cell)}), "call")


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "null",
        "[]",
        "{",
        '{"cells": 3}',
        '{"cells": [3, "source", {"cell_type": "code"}, {"source": ["x\\q"], "cell_type": "code"}]}',
        '{"cells": [{"cell_type": "code", "source": [["x = 1"]]}]}',
        '{"metadata": [{"cell_type": "code", "source": ["x = 1"]}]}',
        "]" * 1000,
        '"' * 1001,
        '{"cells": [{"cell_type": "raw", "source": ["x = 1"]}]}',
    ],
)
def test_what_is_no_notebook(broken):
    assert not found(workspace({"model.py": NET, "demo.ipynb": broken}), "call")
    assert not broken.startswith("{") or notebook_code(broken).strip() == ""


def test_a_notebook_that_is_open_is_read_as_python() -> None:
    text = "from model import Net\nimport torch\nNet()(torch.randn(2, 8))\n"
    space = workspace({"model.py": NET, "demo.ipynb": text})
    assert len(found(space, "call")) == 1
