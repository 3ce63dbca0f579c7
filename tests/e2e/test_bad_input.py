"""Code and examples wrong in every way: one clear diagnostic at its place, and the other modules still work."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from lsprotocol import types

from tests.e2e.editor import Editor, shown
from tests.e2e.sources import NET, NET_HINTS, model

pytestmark = pytest.mark.asyncio(loop_scope="module")

LINEAR = "return self.fc(x)"
"""A body that is right."""


@dataclass(frozen=True)
class Bad:
    """A source, the one diagnostic it must give, and the hints that are there all the same."""

    id: str
    source: str
    at: str
    """Text that the diagnostic underlines; empty: any place."""
    says: str
    """Pattern of severity, code and message."""
    hints: tuple[str, ...] = ()


BEFORE = ("def forward(self, x⟦: f32[2, 8]⟧):", "h⟦: f32[2, 4]⟧ = self.fc(x)")

CASES = [
    Bad(
        "import",
        model(LINEAR, head="import no_such_module"),
        "import no_such_module",
        r"warning package-missing: .*No module named 'no_such_module'",
        ("def forward(self, x⟦: f32[2, 8]⟧):", "return⟦: f32[2, 4]⟧ self.fc(x)"),
    ),
    Bad(
        "constructor",
        model(LINEAR).replace("nn.Linear(8, 4)", "nn.Linear(8, 'four')"),
        "nn.Linear(8, 'four')",
        r"error trace-failure: .*must be tuple of ints",
    ),
    Bad(
        "constructor-raises",
        model(LINEAR).replace("self.fc = nn", "raise ValueError('no *width* <b>')\n        self.fc = nn"),
        "raise ValueError('no *width* <b>')",
        r"error trace-failure: .*no \*width\* <b>",
    ),
    Bad(
        "forward-raises",
        model("h = self.fc(x)\ny = h.view(3)\nreturn y"),
        "h.view(3)",
        r"error view-elements: `h` \(f32\[2, 4\]\) has 8 elements, and \[3\] has 3",
        BEFORE,
    ),
    Bad(
        "exits",
        model("import sys\nh = self.fc(x)\nsys.exit(3)\nreturn h"),
        "sys.exit(3)",
        r"error trace-failure: .*sys\.exit",
        BEFORE,
    ),
    Bad(
        "loops-forever",
        model("h = self.fc(x)\nwhile h is not None:\n    pass"),
        "",
        r"(warning|error) trace-failure: .*did not finish within 5 s",
        BEFORE,
    ),
    Bad(
        "dies",
        model("import os\nh = self.fc(x)\nos._exit(0)"),
        "Net()(f32[2, 8])",
        r"(warning|error) trace-failure: .*ended without an answer",
    ),
    Bad(
        "kills-itself",
        model("import os, signal\nh = self.fc(x)\nos.kill(os.getpid(), signal.SIGKILL)"),
        "Net()(f32[2, 8])",
        r"(warning|error) trace-failure: .*ended by SIGKILL",
    ),
    Bad(
        "would-kill-the-worker",
        model("import os, signal\nh = self.fc(x)\nos.kill(os.getppid(), signal.SIGKILL)"),
        "os.kill(os.getppid(), signal.SIGKILL)",
        r"information trace-failure: could not be traced: .*Operation not permitted",
        BEFORE,
    ),
    Bad(
        "directive-does-not-parse",
        model(LINEAR, inputs="f32[2, 8"),
        ")",
        r"error bad-directive: not a Python expression",
    ),
    Bad(
        "directive-names-nothing",
        model(LINEAR).replace("# fx: Net()", "# fx: Nett()"),
        "Nett",
        r"error bad-directive: Nett is neither defined nor imported in this file",
    ),
    Bad(
        "directive-with-unknown-dtype",
        model(LINEAR, inputs="f31[2, 8]"),
        "f31",
        r"error bad-directive: unknown dtype f31, did you mean f32\?",
    ),
    Bad(
        "directive-calls-with-too-much",
        model(LINEAR, inputs="f32[2, 8], f32[2]"),
        "Net()(f32[2, 8], f32[2])",
        r"error trace-failure: .*positional arguments",
    ),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bad(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """One session for everything that is wrong, with a short time limit."""
    root = tmp_path_factory.mktemp("workspace")
    (root / "pyproject.toml").write_text("[tool.fx-lsp]\ntimeout = 5\n")
    editor = await Editor.start(root)
    yield editor
    assert await editor.stop() == 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
async def test_one_clear_diagnostic_at_its_place(bad: Editor, case: Bad) -> None:
    name = f"{case.id.replace('-', '_')}.py"
    await bad.open(name, case.source)
    (problem,) = bad.client.diagnostics[bad.uri(name)]
    assert re.search(case.says, shown(problem)), shown(problem)
    start, end = (bad.offset(case.source, place) for place in (problem.range.start, problem.range.end))
    assert not case.at or case.source[start:end] == case.at
    assert tuple(await bad.hints(name)) == case.hints
    other = f"after_{name}"
    await bad.open(other, NET)
    assert await bad.hints(other) == NET_HINTS
    assert bad.problems(other) == []
    await bad.close(other)
    await bad.close(name)
    assert bad.problems(name) == []


async def test_prints_do_not_disturb(bad: Editor) -> None:
    noise = """
        import os, sys
        print('{"kind": "trace_reply", "id": 1}')
        sys.stdout.write('x' * 100_000)
        os.write(1, b'raw')
        os.system('echo from a child')
        h = self.fc(x)
        return h
    """
    lines = [line.strip() for line in noise.strip().split("\n")]
    await bad.open("prints.py", model("\n".join(lines)))
    assert await bad.hints("prints.py") == [*BEFORE, "return⟦: f32[2, 4]⟧ h"]
    assert bad.problems("prints.py") == []
    await bad.close("prints.py")


async def test_returning_nothing(bad: Editor) -> None:
    await bad.open("nothing.py", model("h = self.fc(x)"))
    assert tuple(await bad.hints("nothing.py")) == BEFORE
    assert bad.problems("nothing.py") == []
    await bad.close("nothing.py")


async def test_a_thousand_outputs(bad: Editor) -> None:
    await bad.open("thousand.py", model("h = self.fc(x)\nreturn [h + i for i in range(1000)]"))
    assert await bad.hints("thousand.py") == [*BEFORE, "return⟦: [f32[2, 4] × 1000]⟧ [h + i for i in range(1000)]"]
    assert bad.problems("thousand.py") == []
    await bad.close("thousand.py")


async def test_a_syntax_error_in_a_saved_file(bad: Editor) -> None:
    await bad.open("syntax.py", model("y = self.fc(x\nreturn y"))
    (problem,) = bad.client.diagnostics[bad.uri("syntax.py")]
    assert re.search(r"^12:.* error syntax-error: .*'\(' was never closed", shown(problem)), shown(problem)
    assert await bad.hints("syntax.py") == []
    await bad.close("syntax.py")


async def test_a_syntax_error_in_a_helper_on_disk(bad: Editor) -> None:
    bad.write("wrong.py", "def widen(x:\n    return x\n")
    await bad.open("uses_wrong.py", model(LINEAR, head="from wrong import widen"))
    (problem,) = bad.client.diagnostics[bad.uri("uses_wrong.py")]
    assert re.search(r"error trace-failure: .*wrong\.py|error trace-failure: .*never closed", shown(problem))
    await bad.close("uses_wrong.py")


async def test_a_helper_that_is_not_utf_8(bad: Editor) -> None:
    bad.write("latin.py", "é = 1\n".encode("latin-1"))
    await bad.open("uses_latin.py", model(LINEAR, head="import latin"))
    (problem,) = bad.client.diagnostics[bad.uri("uses_latin.py")]
    assert re.search(r"error trace-failure: .*latin\.py is not UTF-8", shown(problem))
    await bad.close("uses_latin.py")


@pytest.mark.parametrize(
    ("config", "at", "says"),
    [
        ("[tool.fx-lsp\ntimeout = 3\n", 1, "error"),
        ("[tool.fx-lsp]\ntimeout = 'soon'\n", 2, "timeout"),
        ("[tool.fx-lsp]\ndims = { B = 2 }\nmemroy = '1GiB'\n", 3, "memroy"),
        ("[tool.fx-lsp]\ntimeout = 5\nmemroy = '1GiB'\n", 3, "memroy"),
        ("[tool.fx-lsp.examples]\n'good.py' = ['Net()(f32[2, 8']\n", 2, "not a Python expression"),
        ("[tool.fx-lsp.examples]\n'good.py' = ['Nett()(f32[2, 8])']\n", 2, "Nett"),
        ("[tool.fx-lsp.examples]\n'good.py' = ['Net()(f31[2, 8])']\n", 2, "did you mean f32"),
        ("[tool.fx-lsp.examples]\n'gone.py' = ['Net()(f32[2, 8])']\n", 2, "gone.py"),
    ],
)
async def test_mistakes_in_the_configuration(bad: Editor, config: str, at: int, says: str) -> None:
    await bad.open("good.py", NET)
    before = (bad.root / "pyproject.toml").read_text()
    for text in (config, before):
        (bad.root / "pyproject.toml").write_text(text)
        event = types.FileEvent(bad.uri("pyproject.toml"), types.FileChangeType.Changed)
        changed = types.DidChangeWatchedFilesParams([event])
        await bad.after(lambda changed=changed: bad.client.workspace_did_change_watched_files(changed))
        assert await bad.hints("good.py") == NET_HINTS
        if text is config:
            (problem,) = bad.client.diagnostics[bad.uri("pyproject.toml")]
            assert problem.range.start.line + 1 == at
            assert says in shown(problem)
    assert bad.problems("pyproject.toml") == []
    await bad.close("good.py")
