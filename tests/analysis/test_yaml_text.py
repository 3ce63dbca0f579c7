"""YAML as configurations use it reads as PyYAML reads it; anything else is refused."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.analysis.yaml_text import NotYaml, read_yaml

TEXTS = [
    "",
    "# nothing\n",
    "a: 1\nb: -2.5\nc: text with spaces\nd: 'it''s'\ne: \"x # y\"\nf: true\ng: null\nh:\n",
    "model:\n  width: 8\n  layers:\n    - 1\n    - 2\n  name: net # why\nlist:\n- a\n- b: 1\n  c: 2\n-\n  d: 3\n",
    "a: [1, 2.0, x y, 'q', [3]]\nb: {c: 1, d: [2], e: {f: no}}\nc: []\nd: {}\n",
    "a: [1,\n    2,\n    3]\nb: {x: 1,\n  y: 2}\n",
    "text: |\n  one\n   two\nfolded: >-\n  one\n  two\nlast: 1\n",
    "---\nurl: http://host:80/x\npath: a/b.py\nversion: 1.2.3\nnumber: 1_000\n",
    "- 1\n- [2, 3]\n- - 4\n  - 5\n",
    "_target_: pkg.Net\nx: ${model.width}\n? y\n: 1\n".replace("? y\n: 1\n", ""),
    "on_off: [on, off, Yes, NO, ~]\n",
    "'quoted key': 1\n\"other\": 2\n3: three\n",
    "plain",
    "a:\n    b:\n        c: 1\n    d: 2\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_it_reads_as_everywhere(text):
    assert read_yaml(text) == yaml.safe_load(text)


@pytest.mark.parametrize(
    "text",
    [
        "a: &anchor 1\nb: *anchor\n",
        "a: !!python/object:os.system x\n",
        "base: &b {x: 1}\nc:\n  <<: *b\n",
        "a: 1\n---\nb: 2\n",
        "a: 2020-01-01\n",
        "a: [1, 2\n",
        "a: {b: 1]\n",
        "a: b: c\n",
        "  a: 1\nb: 2\n",
        "a: " + "[" * 100 + "]" * 100,
        "x" * 300_000,
    ],
)
def test_what_is_refused(text):
    with pytest.raises(NotYaml):
        read_yaml(text)


def test_numbers_with_an_exponent_are_numbers():
    assert read_yaml("lr: 1e-3\n") == {"lr": 0.001}


WORDS = st.text("abcxyz_", min_size=1, max_size=6).filter(lambda word: word not in ("y", "n"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9999, 9999) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([True, False, None]))
def test_what_is_written_is_read(value, flow):
    text = yaml.safe_dump(value, default_flow_style=flow, sort_keys=False)
    assert read_yaml(text.removesuffix("...\n")) == value


@given(st.text("ab:-[]{}#'\"|> \n\t,&*1", max_size=60))
def test_nothing_else_is_raised(text):
    try:
        found = read_yaml(text)
    except NotYaml:
        return
    repr(found)
