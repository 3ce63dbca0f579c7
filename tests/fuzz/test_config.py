"""A `pyproject.toml` that a stranger wrote: a configuration and problems on its lines, whatever it says."""

from __future__ import annotations

import time
import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fx_lsp.analysis.config import MAX_PROBLEMS, read_config
from fx_lsp.analysis.toml_places import Places
from fx_lsp.analysis.toml_text import TomlError, load_toml

PATH = "/w/pyproject.toml"
HEAD = "[tool.fx-lsp]\n"
BOMBS = {
    "arrays": "x = " + "[" * 50_000,
    "tables": "x = " + "{a = " * 20_000,
    "dots": "a." * 50_000 + "a = 1",
    "header": "[" + "a." * 50_000 + "a]",
    "digits": "x = " + "9" * 10_000,
    "size": HEAD + "dims = {B = 0x" + "f" * 10_000 + "}",
    "memory": HEAD + 'memory = "' + "9" * 5_000 + 'GiB"',
    "spaces": HEAD + 'memory = "1' + " " * 100_000 + '!"',
    "timeout": HEAD + "timeout = 1e999\nmemory = '9e9'\n",
    "year": "x = 0000-00-00",
    "lines": HEAD + "exclude = [\n" + '"a",\n' * 30_000 + "]",
    "keys": HEAD + "".join(f"k{number} = 1\n" for number in range(10_000)),
    "inline": HEAD + "dims = {" + ", ".join(f"k{number} = -1" for number in range(10_000)) + "}",
    "files": HEAD + "examples = {" + ", ".join(f'"{number}" = "x"' for number in range(5_000)) + "}",
    "quotes": '"' * 100_000,
    "open": "x = " + '""" \\' * 20_000,
    "brackets": "[" * 100_000,
    "setup": HEAD + "[tool.fx-lsp.setup]\n'a.py' = '" + "-" * 50_000 + "1'",
    "nul": HEAD + "[tool.fx-lsp.examples]\n\"a\\u0000.py\" = ['Net()(1)']",
    "large": "#" * 1_000_000,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_bombs(kind: str) -> None:
    started = time.process_time()
    for trusted in (True, False):
        config, problems = read_config(PATH, BOMBS[kind], trusted=trusted)
        assert len(problems) <= MAX_PROBLEMS
        assert config.timeout < float("inf")
        assert 0 < config.memory < 2**63
        repr(config)
    assert time.process_time() - started < 10


values = st.recursive(
    st.sampled_from(
        ["1", "-1", "1e999", "nan", '""', "'x'", "true", "1979-05-27", '"\\u202E"', "'''\n'''", '"""a"b"""']
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
        st.lists(inner, max_size=3).map(
            lambda parts: "{" + ", ".join(f"k{n} = {v}" for n, v in enumerate(parts)) + "}"
        ),
    ),
    max_leaves=5,
)
keys = st.sampled_from(
    ["interpreter", "dims", "exclude", "timeout", "memory", "read", "examples", "setup", "'a b'", "x.y"]
)
lines = st.one_of(
    st.tuples(keys, values).map(lambda pair: f"{pair[0]} = {pair[1]}"),
    st.sampled_from(["[tool.fx-lsp.dims]", "[tool.fx-lsp.examples]", "[[x]]", "# y", "", '["a.b" . c]', "\t"]),
    st.text(max_size=10),
)


@given(st.lists(lines, max_size=6).map(lambda parts: HEAD + "\n".join(parts)))
@example(HEAD + 'examples = { "a.py" = ["""\nNet(""", "Net()(f32[\ud800])"] }')
def test_any_document(text: str) -> None:
    config, problems = read_config(PATH, text)
    for problem in problems:
        assert 1 <= problem.span.line <= text.count("\n") + 1
    hash(config.exclude)
    try:
        load_toml(text)
    except TomlError:
        return
    Places(PATH, text).key_span("tool", "fx-lsp", "dims")
    assert repr(tomllib.loads(text)) == repr(load_toml(text))
