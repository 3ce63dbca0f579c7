"""The lines above classes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fx_lsp.analysis.counts import count
from fx_lsp.analysis.lenses import lenses
from fx_lsp.analysis.origins import came_from
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.failure import Failure
from fx_lsp.model.span import Span
from tests.analysis.facts import changed, snapshot

SOURCE = "class Net(nn.Module):\n#     ^^^ class f32[2] -> f32[3]\n    pass\n"


def titles(made: Snapshot) -> list[str]:
    return [lens.title for lens in lenses(made)]


def test_input_output_parameters_and_origin() -> None:
    (lens,) = lenses(snapshot(SOURCE))
    assert lens.title == "f32[2] → f32[3] · 1.2 M params · from call"
    assert (lens.span.line, lens.span.column) == (1, 6)


@pytest.mark.parametrize(
    ("origin", "path", "words"),
    [
        ("call", "/w/train.py", "from call in train.py"),
        ("call", "/w/model.py", "from call on line 7"),
        ("directive", "/w/model.py", "from directive on line 7"),
        ("config", "/w/pyproject.toml", "from pyproject.toml"),
        ("annotation", "/w/model.py", "from annotations"),
        ("default", "/w/model.py", "from defaults"),
        ("inferred", "/w/model.py", "inferred"),
    ],
)
def test_where_the_example_comes_from(origin: str, path: str, words: str) -> None:
    made = changed(snapshot(SOURCE, origin), example={"span": Span(path, 7, 0, 7, 9)})
    assert titles(made) == [f"f32[2] → f32[3] · 1.2 M params · {words}"]


def test_lines_of_a_notebook_are_those_of_its_cells() -> None:
    made = changed(snapshot(SOURCE), example={"span": Span("/w/book.ipynb", 7, 0, 7, 9)})
    assert came_from(made.traces[0], "/w/book.ipynb") == "from call"
    assert came_from(made.traces[0], "/w/model.py") == "from call in book.ipynb"


def test_a_part_of_another_module() -> None:
    made = snapshot(SOURCE)
    (use,) = made.traces[0].reply.modules
    part = changed(made, modules=(replace(use, module="blocks.0", parameters=0),), example={"target": "GPT"})
    assert titles(part) == ["f32[2] → f32[3] · blocks.0 in GPT · from call"]


def test_a_failure_stands_where_the_output_would() -> None:
    made = snapshot(SOURCE)
    (use,) = made.traces[0].reply.modules
    failed = changed(made, modules=(replace(use, output=None),), failure=Failure("trace", "sizes\n differ"))
    assert titles(failed) == ["f32[2] → fails: sizes differ · 1.2 M params · from call"]


def test_several_examples_and_long_parts() -> None:
    made = snapshot(SOURCE)
    (use,) = made.traces[0].reply.modules
    wide = changed(made, modules=(replace(use, inputs=use.inputs * 40),))
    (lens,) = lenses(replace(wide, traces=wide.traces * 2))
    assert len(lens.title.split(" · ")[0]) == 160
    assert (lens.examples, lens.name) == (2, "Net")


def test_a_class_that_did_not_run_has_none() -> None:
    assert titles(snapshot("class Net:\n#     ^^^ class\n    pass\n")) == []


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1_500, "1.5 k"),
        (999_960, "1.0 M"),
        (124_439_808, "124.4 M"),
        (7 * 10**9, "7.0 G"),
        (10**12, "1.0 T"),
    ],
)
def test_counts(number: int, text: str) -> None:
    assert count(number) == text
