"""A notebook's cells as one text: lines, magics, cells that do not parse; and what of it runs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.analysis.executed import executed
from fx_lsp.analysis.notebook import plain, whole
from fx_lsp.analysis.source import parse

CELLS = st.lists(
    st.text(st.sampled_from("ab=1 (\n\r%!é#'"), max_size=12)
    | st.sampled_from(["x = 1\n", "%%bash\nls", "f(", "y = f(1)"])
)


@given(CELLS, st.integers(-1, 4))
def test_every_line_of_a_cell_has_its_place(cells: list[str], typed: int) -> None:
    found = whole(cells, typed)
    lines = found.text.split("\n")[:-1]
    assert len(found.starts) == len(cells)
    for number, cell in enumerate(cells):
        mine = re.split("\r\n|\r|\n", cell)
        assert found.lines(number) == range(found.starts[number], found.starts[number] + len(mine))
        assert {found.cell(line) for line in found.lines(number)} == {number}
        if parse("", cell).error is None:
            assert [lines[line - 1] for line in found.lines(number)] == mine
    assert sum(len(found.lines(number)) for number in range(len(cells))) == len(lines)
    if not 0 <= typed < len(cells):
        assert parse("", found.text).error is None


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!ls *.py\nx = 1", "pass\nx = 1"),
        ("if True:\n    !ls\n    %cd ..", "if True:\n    pass\n    pass"),
        ("files = !ls\nx = %time f()", "files = None\nx = None"),
        ("?model\nmodel?\nmodel.fc??", "pass\npass\npass"),
        ("!pip install \\\n  torch\nx = 1", "pass\n\nx = 1"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%capture out\nx = 1\n", "\n\nx = 1\n"),
        ("%%bash\nls -l", "\n"),
        ("x = (a\n  % b)", "x = (a\n  % b)"),
        ("'''\n!ls\n'''", "'''\n!ls\n'''"),
        ("await f()", "await f()"),
        ("x = (\n", "x = (\n"),
    ],
)
def test_magics(cell: str, expected: str) -> None:
    assert plain(cell) == expected.split("\n")


def test_a_cell_that_does_not_parse_is_left_out_unless_it_is_typed() -> None:
    cells = ["x = 1", "é = (\n", "y = 2"]
    found = whole(cells)
    assert found.text == "x = 1\n\n\ny = 2\n"
    assert [(error.line, error.column) for error in found.errors] == [(2, 5)]
    assert whole(cells, 1).text == "x = 1\né = (\n\ny = 2\n"
    assert whole(cells, 1).errors == ()


def test_no_cells() -> None:
    assert (whole([]).text, whole([]).starts) == ("", ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a; from b import c", "import a; from b import c"),
        ("train(model)", "            "),
        ("for x in y:\n    é()", "           \n        "),
        ("a = 1; run(); b = [a, -2]", "a = 1; (   ); b = [a, -2]"),
        ("model = Net()\nout = model(x)", "             \n              "),
        ("try:\n    import a\nexcept ImportError:\n    a = None", None),
        ("try:\n    run()\nexcept E:\n    pass", "    \n         \n         \n        "),
        ("if DEBUG:\n    import a", None),
        ("if test():\n    import a", "          \n            "),
        ("@mark\ndef f(x=1):\n    return g(x)", None),
        ("import sys\nsys.path.append('..')", None),
        ("import a\nfrom __future__ import annotations", "import a\n                                  "),
        ("from __future__ import annotations\nimport a", None),
        ("x: int = 3\ny: str\nx += 2", None),
        ("x = (y := 1)", "            "),
        ("while 1: pass", "             "),
        ("'text'", "      "),
        ("x", " "),
        ("x;x = 1", "0;x = 1"),
        ("run();", "(   );"),
        ("run()  # é", "       # é"),
        ("f(\n1); a = 1", "( \n ); a = 1"),
        ("x = (", "x = ("),
    ],
)
def test_what_runs(text: str, expected: str | None) -> None:
    assert executed("/w/book.ipynb", text) == (text if expected is None else expected)


def test_what_a_model_needs_runs() -> None:
    text = """
device = torch.device("cpu")
config = make(depth)
depth = count()
def make(n): return n + offset
offset = count()
unused = count()
data = load()
def train(): return data
class Base(found()): pass
class Net(Base):
    size = config
    def forward(self, x):
        return x.to(device)
class Trainer:
    rate = count2(rates)
    def fit(self): return data
rates = count()
"""
    lines = executed("/w/book.ipynb", text).split("\n")
    gone = [line for line, now in zip(text.split("\n"), lines, strict=True) if line != now]
    assert gone == ["unused = count()", "data = load()"]


STATEMENTS = ("a = 1", "é = f(1)", "f('é')", "class A: pass", "import b", "x = f(\n 1)")


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1))
def test_nothing_moves(statements: list[str]) -> None:
    text = ";".join(one for one in statements if not one.startswith("class"))
    text += "\n" + "\n".join(statements)
    now = executed("/w/book.ipynb", text)
    assert [len(line.encode()) for line in now.split("\n")] == [len(line.encode()) for line in text.split("\n")]
    assert parse("", now).error is None or not text.strip(";\n")
