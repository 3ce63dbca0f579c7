"""`[tool.fx-lsp]`: what applies, and one problem per mistake on its line."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fx_lsp.analysis.config import Config, read_config
from fx_lsp.analysis.plan import problems as plan_problems
from tests.analysis.workspaces import found, workspace

GOOD = """
[project]
name = "zoo"
[tool.fx-lsp]
interpreter = ".venv/bin/python"
dims = { B = 2, T = 64 }
exclude = ["legacy/**"]
timeout = 5
memory = "1.5GiB"
compilers = ["export", "compile", "export"]
programs = false
[tool.fx-lsp.examples]   # by file
"models/vit.py" = ["ViT(image_size=64)(f32[B, 3, 64, 64])", "ViT()(f32[])"]
[tool.fx-lsp.setup]
"models/vit.py" = '''
c = Config(n_layer=2)
'''
"""


def test_everything():
    config, wrong = read_config("/w/pyproject.toml", GOOD)
    assert not wrong
    assert config.interpreter == ".venv/bin/python"
    assert (config.dims, config.exclude) == ({"B": 2, "T": 64}, ("legacy/**",))
    assert (config.timeout, config.memory) == (5.0, 1610612736)
    assert config.compilers == ("export", "compile")
    assert not config.programs
    assert config.examples == {"/w/models/vit.py": ("ViT(image_size=64)(f32[B, 3, 64, 64])", "ViT()(f32[])")}
    assert config.setup == {"/w/models/vit.py": "c = Config(n_layer=2)\n"}


def test_what_only_a_trusted_workspace_may_say():
    text = """
[tool.fx-lsp]
interpreter = ".venv/bin/python"
read = ["../data"]
timeout = 21
memory = "5GiB"
dims = { B = 2 }
"""
    config, wrong = read_config("/w/pyproject.toml", text, trusted=False)
    assert config == Config(dims={"B": 2}, restricted=("interpreter", "read", "timeout", "memory"))
    assert [(problem.span.line, problem.severity, problem.code) for problem in wrong] == [
        (line, "information", "untrusted-config") for line in (3, 4, 5, 6)
    ]
    assert wrong[0].message.startswith("interpreter does not apply: this folder is not trusted")
    assert "`fx-lsp trust`" in wrong[0].message
    config, wrong = read_config("/w/pyproject.toml", text)
    assert not wrong
    assert (config.read, config.timeout, config.memory, config.restricted) == (("../data",), 21.0, 5 << 30, ())


def test_less_than_usual_may_be_asked_for_by_everyone():
    config, wrong = read_config("/w/pyproject.toml", "[tool.fx-lsp]\ntimeout = 20\nmemory = '1GiB'\n", trusted=False)
    assert not wrong
    assert (config.timeout, config.memory) == (20.0, 1 << 30)


@pytest.mark.parametrize("text", ["", "[project]\nname = 'x'\n", "[tool.ruff]\nline-length = 3\n"])
def test_nothing_is_asked(text):
    assert read_config("/w/pyproject.toml", text) == (Config(), ())


@pytest.mark.parametrize(
    ("line", "message", "marked"),
    [
        ("bogus = 1", "unknown key bogus", "bogus = 1"),
        ("interpreter = 3", "interpreter is a text, not 3", "interpreter = 3"),
        ("dims = 3", "dims is a table of sizes, not 3", "dims = 3"),
        ("dims = { B = 2, T = 0 }", "the size of T is a positive integer, not 0", "T = 0 }"),
        ("dims = { T = true }", "the size of T is a positive integer, not True", "T = true }"),
        ("dims = { 'a b' = 2 }", "'a b' is no dim name", "'a b' = 2 }"),
        ("dims.T = -4", "the size of T is a positive integer, not -4", "dims.T = -4"),
        ("exclude = 'legacy'", "exclude is a list of globs, not 'legacy'", "exclude = 'legacy'"),
        ("exclude = [1]", "exclude is a list of globs, not a list", "exclude = [1]"),
        ("read = '/data'", "read is a list of files and folders, not '/data'", "read = '/data'"),
        ("timeout = 0", "timeout is a positive number of seconds, not 0", "timeout = 0"),
        ("timeout = 'x'  # why", "timeout is a positive number of seconds, not 'x'", "timeout = 'x'  # why"),
        ("timeout = true", "timeout is a positive number of seconds, not True", "timeout = true"),
        ("timeout = inf", "timeout is a positive number of seconds, not inf", "timeout = inf"),
        ("memory = 4", 'memory is a text such as "4GiB", not 4', "memory = 4"),
        ("memory = '4 parsecs'", "memory is a text such as", "memory = '4 parsecs'"),
        ("memory = '0GiB'", "memory is a text such as", "memory = '0GiB'"),
        ("examples = []", "examples is a table of lists by file, not a list", "examples = []"),
        ("examples = { 'a.py' = 3 }", "the examples of a.py are a list of texts, not 3", "'a.py' = 3 }"),
        ("examples = { 'a.py' = ['Net('] }", "not a Python expression: '(' was never closed", "("),
        ("examples = { 'a.py' = ['N()(f33[2])'] }", "unknown dtype f33, did you mean f32?", "f33"),
        ("examples = { 'a.py' = ['N()(f32[B:2, B:3])'] }", "B has two sizes, 2 and 3", "B:3])"),
        ("examples = { 'a.py' = ['Net'] }", "this calls nothing", "Net"),
        (r'examples = { "a.py" = ["N(\"é\")(f33[2])"] }', "unknown dtype f33", r'"N(\"é\")(f33[2])"'),
        ("programs = 'none'", "programs is true or false", "programs = 'none'"),
        ("compilers = 'export'", "compilers is a list of symbolic_trace, compile, export", "compilers = 'export'"),
        (
            "compilers = ['jit']",
            "compilers is a list of symbolic_trace, compile, export, not 'jit'",
            "compilers = ['jit']",
        ),
        ("setup = 'x'", "setup is a table of texts by file, not 'x'", "setup = 'x'"),
        ("setup = { 'a.py' = 'c = ' }", "the setup of a.py does not parse: invalid syntax", "'a.py' = 'c = ' }"),
        ("setup = { 'a.py' = 1 }", "the setup of a.py is a text, not 1", "'a.py' = 1 }"),
    ],
)
def test_one_problem_on_its_line(line, message, marked):
    text = f"[tool.fx-lsp]\n{line}\n"
    _, (problem,) = read_config("/w/pyproject.toml", text)
    assert (problem.severity, problem.code) == ("error", "bad-config")
    assert problem.message.startswith(message)
    span = problem.span
    assert (span.path, span.line, span.end_line) == ("/w/pyproject.toml", 2, 2)
    assert line.encode()[span.column : span.end_column].decode() == marked


def test_the_rest_still_applies():
    text = "[tool.fx-lsp]\nmemory = 1\ntimeout = 3\ndims = { B = 0, T = 5 }\nnope = 1\n"
    config, wrong = read_config("/w/pyproject.toml", text)
    assert [problem.span.line for problem in wrong] == [2, 4, 5]
    assert (config.timeout, config.memory, config.dims) == (3.0, 4 << 30, {"T": 5})


def test_a_list_over_several_lines():
    text = '[tool.fx-lsp.examples]\n"a.py" = [\n  "A()(f32[2])",  # "not this"\n  \'B(\',\n  "C()(f32[3])",\n]\n'
    config, (problem,) = read_config("/w/pyproject.toml", text)
    assert (problem.span.line, problem.span.column) == (4, 4)
    assert config.examples == {"/w/a.py": ("A()(f32[2])", "C()(f32[3])")}
    assert [config.spans["/w/a.py", number].line for number in (0, 1)] == [3, 5]


@pytest.mark.parametrize(
    ("text", "line"),
    [("[tool.fx-lsp]\ntimeout = \n", 2), ("[tool.fx-lsp\n", 1), ("a = 1\na = 2\n", 2), ('x = """\nabc', 2)],
)
def test_broken_toml(text, line):
    config, (problem,) = read_config("/w/pyproject.toml", text)
    assert config == Config()
    assert problem.message.startswith("not TOML: ")
    assert problem.span.line == line


def test_the_table_itself_is_no_table():
    _, (problem,) = read_config("/w/pyproject.toml", "[tool]\nfx-lsp = 3\n")
    assert problem.message == "tool.fx-lsp is a table"
    assert problem.span.line == 2


def read(files: dict[str, str]) -> tuple[Config, list[tuple[int, str]]]:
    files = {path: dedent(text) for path, text in files.items()}
    config, _ = read_config("/w/pyproject.toml", files["pyproject.toml"])
    wrong = plan_problems(workspace(files), config, "/w/pyproject.toml")
    return config, [(problem.span.line, problem.message) for problem in wrong]


def test_problems_that_need_the_files():
    _, wrong = read(
        {
            "model.py": "class Net: pass\n",
            "pyproject.toml": """\
                [tool.fx-lsp.examples]
                "model.py" = ["Net()()", "Nat()()", "c()"]
                "gone.py" = ["Net()()"]
                [tool.fx-lsp.setup]
                "model.py" = "c = Net()"
                "lost.py" = "c = Net()"
            """,
        }
    )
    assert wrong == [
        (2, "Nat is neither defined nor imported in this file (model.py)"),
        (3, "there is no file gone.py"),
        (6, "there is no file lost.py"),
    ]


def test_configured_examples():
    files = {
        "model.py": "class Net: pass\n",
        "pyproject.toml": "[tool.fx-lsp]\ndims = {B = 3}\nsetup = {'model.py' = 'c = 1'}\n"
        "examples = {'model.py' = ['Net(c)(f32[B])', 'Nat()()']}\n",
    }
    config, _ = read(files)
    (example,) = found(workspace(files), "config", config=config)
    assert (example.call, example.setup, example.target) == ("Net(c)(f32[B])", "c = 1", "Net")
    assert example.dims == (("B", 3),)
    assert example.span is not None
    assert (example.span.path, example.span.line) == ("/w/pyproject.toml", 4)
