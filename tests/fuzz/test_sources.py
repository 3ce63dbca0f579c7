"""Python sources that no person writes, as the file that is open and as another file of its workspace."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.examples import finders
from fx_lsp.analysis.highlight import highlight
from fx_lsp.analysis.hints import all_hints
from fx_lsp.analysis.modules import modules
from fx_lsp.analysis.plan import next_wave, problems
from fx_lsp.analysis.shallow import MAX_DEPTH, TOO_DEEP
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.source import parse
from fx_lsp.analysis.workspace import Workspace, is_skipped
from fx_lsp.model.example import ExampleError, fill

NET = "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x\n"
USES = "import torch\nfrom model import Net\nmodel = Net()\n"
PATIENCE = 30.0
"""Seconds on a busy machine; what takes time with the square of its size takes far longer."""

DEEP: dict[str, Callable[[int], str]] = {
    "elif": lambda n: "x = 0\nif x: pass\n" + "elif x: y = model(torch.ones(2))\n" * n,
    "attribute": lambda n: "y = x" + ".b" * n + "\n",
    "sum": lambda n: "y = model(" + "torch.ones(2) + " * n + "1)\n",
    "minus": lambda n: "y = model(" + "-" * n + "1)\n",
    "calls": lambda n: "y = model(torch.ones(2))" + "()" * n + "\n",
    "lambda": lambda n: "y = " + "lambda: " * n + "model(torch.ones(2))\n",
    "if": lambda n: "y = " + "1 if x else " * n + "model(torch.ones(2))\n",
    "power": lambda n: "y = model(" + "2**" * n + "1)\n",
    "with": lambda n: (
        "\n".join(" " * i + "with torch.no_grad():" for i in range(min(n, 99))) + "\n" + " " * 99 + "model(1)\n"
    ),
    "classes": lambda n: (
        "\n".join(" " * i + f"class C{i}(Net):" for i in range(min(n, 99))) + "\n" + " " * 99 + "x = 1\n"
    ),
    "brackets": lambda n: "y = model(" + "[" * min(n, 190) + "]" * min(n, 190) + ")\n",
    "strings": lambda n: "y = model(" + "'a' 'b' " * n + ")\n",
    "format": lambda n: "y = model(" + "f'{x!r:>{x}}' " * min(n, 3_000) + ")\n",
}

LONG: dict[str, str] = {
    "numbers": "x = [" + "0," * 40_000 + "]\nmodel(x)\n",
    "statements": "x = 1\n" * 20_000 + "model(x)\n",
    "words": "x\n" * 1_000_000,
    "imports": "from model import (\n" * 10_000,
    "import-names": "from model import Net\n" * 3_000 + "Net()(1)\n",
    "comments": "# fx: Net()(f32[2])\n" * 2_000,
    "directive": NET.replace("class Net", "# fx: Net()(" + "i64[], " * 20_000 + ")\nclass Net"),
    "hash-marks": "#" + " " * 100_000 + "\n" + "# fx:" * 10_000,
    "bindings": "model = Net()\n" * 1_000 + "model(torch.ones(2))\n" * 50,
    "calls": "model(torch.ones(2))\n" * 1_000,
    "digits": "model(0x" + "f" * 5_000 + ")\nmodel(torch.ones(0x" + "f" * 5_000 + "))\n",
    "more-digits": "x = " + "9" * 10_000 + "\n",
    "classes": "from torch import nn\n"
    + "".join(f"class C{i}(nn.Module):\n  def forward(s): pass\n" for i in range(400)),
    "bases": "".join(f"class C{i}(C{i + 1}, C{i + 2}): pass\n" for i in range(400)),
    "circle": "class A(B): pass\nclass B(A): pass\nA = B\nB = A\nclass C(A.B.A.B): pass\n",
    "fences": '"""\n' + "```python\nfrom model import Net\nNet()(1)\n```\n" * 1_000 + '"""\n',
    "open-fences": '"""\n' + "```python\n" * 10_000 + '"""\n',
    "prompts": '"""\n' + ">>> from model import Net; Net()(1)\n" * 3_000 + '"""\n',
    "line": "x = '" + "é" * 100_000 + "'\n",
    "tabs": "\t" * 100_000 + "\n" + " " * 100_000 + "from\n",
    "form-feeds": "\f\r\x0b\x1c\u2028" * 5_000,
    "bidi": "x = '\u202e\u2066'\n# \u202e\n\u200b\n",
    "null": "x = '\0'\n",
    "surrogate": "x = '\ud800'\n",
}


def look_at(texts: dict[str, str]) -> None:
    """Everything that the server asks of the text of `model.py`, run or not."""
    path = "/w/model.py"
    space = Workspace("/w", texts.get, lambda: list(texts))
    config = Config()
    modules(space, path)
    for origin in finders():
        finders()[origin].find(space, config, path)
    next_wave(space, config, path, ())
    snapshot = Snapshot(path, texts[path], modules(space, path), problems=problems(space, config, path))
    all_problems(snapshot)
    all_hints(snapshot)
    if len(texts[path]) < 100_000:
        highlight(texts[path])


@pytest.mark.parametrize("depth", [90, 950])
@pytest.mark.parametrize("kind", DEEP)
def test_depth(kind: str, depth: int) -> None:
    started = time.process_time()
    look_at({"/w/model.py": NET, "/w/use.py": USES + DEEP[kind](depth)})
    look_at({"/w/model.py": NET + USES.replace("from model", "# ") + DEEP[kind](depth)})
    assert time.process_time() - started < PATIENCE


@pytest.mark.parametrize("kind", ["elif", "sum", "minus", "format"])
def test_great_depth(kind: str) -> None:
    test_depth(kind, 20_000)


@pytest.mark.parametrize("kind", LONG)
def test_length(kind: str) -> None:
    started = time.process_time()
    look_at({"/w/model.py": NET, "/w/test_use.py": USES + LONG[kind], "/w/README.md": LONG[kind]})
    look_at({"/w/model.py": NET + LONG[kind]})
    assert time.process_time() - started < PATIENCE


@pytest.mark.parametrize("kind", DEEP)
def test_what_is_too_deep_is_cut_off_and_the_rest_stays(kind: str) -> None:
    source = parse("/w/a.py", "before = 1\n" + DEEP[kind](900) + "after = 2\n")
    if source.tree is None:
        return
    assert {"before", "after"} <= source.bindings.keys()
    assert _depth(source.tree) <= MAX_DEPTH + 3  # a statement, the name in it, its context
    text = ast.unparse(source.tree)
    assert (TOO_DEEP in text) == (kind not in ("strings", "format"))
    compile(text, "a.py", "exec", ast.PyCF_ONLY_AST)


def _depth(tree: ast.AST) -> int:
    layer, depth = [tree], 0
    while layer:
        layer, depth = [child for node in layer for child in ast.iter_child_nodes(node)], depth + 1
    return depth


def test_what_is_too_deep_is_in_no_example() -> None:
    texts = {"/w/model.py": NET, "/w/use.py": USES + DEEP["sum"](300)}
    space = Workspace("/w", texts.get, lambda: list(texts))
    assert finders()["call"].find(space, Config(), "/w/model.py") == ()


_WORDS = """class Net (nn.Module) : self , x ) ( [ ] { } # fx: f32 i64 [] * ** lambda if else for in model import as
from . def forward return f' 0x1 1e999 é match case with async await yield := -> ... @ ` ' \\"""
WORDS = st.sampled_from([*_WORDS.split(), "# fx:", "\n", "\n    ", "\t", " ", "\f", "\u202e", 3 * '"', 3 * "'"])


@given(st.lists(WORDS, max_size=40).map(" ".join), st.booleans())
@example("class Net (nn.Module) : \n def forward ( self , x ) : ...", True)
@example("# fx: i64 []\nclass Net (nn.Module) : ...", True)
@example("# fx: Net(f'''\n''')", False)
def test_any_words(text: str, other: bool) -> None:
    look_at({"/w/model.py": NET, "/w/use.py": USES + text} if other else {"/w/model.py": NET + text})


@given(st.one_of(st.lists(WORDS, max_size=25).map("".join), st.text(max_size=30)))
@example("i64[]\u2028, i64[]")
@example("f32[B:0x" + "f" * 5000 + ",B:1]")
@example("0x" + "f" * 5000)
@example("-" * 5000 + "1")
@example("x" * 100_000)
@example("f32[" + "[]" * 500 + "]")
@example("\ud800")
@example("a\0")
@example("f(i64[])\\")
def test_any_example(call: str) -> None:
    try:
        filled, sizes = fill(call, {"B": 3})
    except ExampleError:
        return
    ast.parse(filled, mode="eval")
    assert all(size < 2**63 for size in sizes.values())


@given(st.text("*?[]!-ab/.", max_size=40), st.text("ab/.", max_size=40))
@example("/".join(["**", "a"] * 60) + "/b", "/".join("a" * 200))
@example("*a" * 300 + "b", "a" * 3000)
@example("[" * 500, "a")
def test_any_glob(pattern: str, path: str) -> None:
    started = time.process_time()
    is_skipped(path, [pattern])
    assert time.process_time() - started < 5
