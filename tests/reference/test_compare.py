"""The judge: what counts as exact, partial, wrong and missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.reference.compare import compare, judge


@pytest.mark.parametrize(
    ("hinted", "real", "label", "verdict"),
    [
        (["f32[2]"], ["f32[2]"], "f32[2]", "exact"),
        (["f32[2]", "f32[3]"], ["f32[3]", "f32[2]"], "f32[2] +1", "exact"),
        (["f32[2]"], ["f32[2]", "f32[3]"], "f32[2]", "partial"),
        (["f32[2]", "f32[4]"], ["f32[2]"], "f32[2] +1", "wrong"),
        (["f32[2]"], [], "f32[2]", "wrong"),
        ([], ["f32[2]"], "", "missing"),
        (["f32[7, 4]"], ["f32[5, 4]"], "f32[u0, 4]", "exact"),
        (["f32[7, 4]"], ["f32[5, 3]"], "f32[u0, 4]", "wrong"),
        (["f32[7, 4]"], ["i64[5, 4]"], "f32[u0, 4]", "wrong"),
        (["[f32[7], f32[6], f32[5], i64[]]"], ["[f32[1], f32[2], f32[3], i64[]]"], "[f32[u0] × 3, i64[]]", "exact"),
        (["(f32[7], i64[2])"], ["(f32[1], i64[3])"], "(f32[u0], i64[2])", "wrong"),
        (["(int, f32[7], {'p': float})"], ["(3, f32[7], {'p': 0.5})"], "(int, f32[7], {'p': float})", "exact"),
        (["(int, f32[7])"], ["(3, f32[7])", "(None, f32[7])"], "(int, f32[7]) +1", "partial"),
        (["(int, f32[7])"], ["(None, f32[7])"], "(int, f32[7])", "wrong"),
    ],
)
def test_verdict(hinted: list[str], real: list[str], label: str, verdict: str) -> None:
    assert judge(hinted, real, label) == verdict


def hint(line: int, column: int, name: str, *concrete: str) -> dict[str, Any]:
    return {
        "line": line,
        "column": column,
        "name": name,
        "label": concrete[0],
        "concrete": list(concrete),
        "examples": [0],
    }


def test_a_report_against_real_runs(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(x):\n    y = x + 1\n    z = y @ y\n    return z\n")
    examples = [{"scope": "m.py", "setup": "", "call": f"f({x})", "origin": "call"} for x in ("f32[2, 2]", "f32[3, 2]")]
    hints = [hint(1, 7, "x", "f32[2, 2]"), hint(2, 5, "y", "f32[2, 2]", "f32[3, 2]"), hint(4, 9, "return", "f32[2, 2]")]
    file = {"path": "m.py", "examples": examples, "hints": hints}
    comparison = compare({"files": [file]}, str(tmp_path))
    verdicts = [(row.line, row.column, row.name, row.verdict) for row in comparison.rows]
    assert verdicts == [
        (1, 7, "x", "partial"),
        (2, 5, "y", "exact"),
        (3, 5, "z", "missing"),
        (4, 9, "return", "wrong"),
        (4, 10, "return", "missing"),
    ]
    assert ["RuntimeError" in error for error in comparison.errors] == [True]
    assert comparison.table().splitlines()[-3].split() == ["all", "5", "1", "1", "1", "2", "0"]
    assert "wrong    m.py:4:9 return: hinted f32[2, 2], real nothing" in comparison.listing()


def test_what_is_too_big_to_run_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("import torch\ndef f():\n    y = torch.ones(1 << 40)\n")
    example = {"scope": "m.py", "setup": "", "call": "f()", "origin": "default"}
    file = {"path": "m.py", "examples": [example], "hints": [hint(3, 5, "y", "f32[1099511627776]")]}
    comparison = compare({"files": [file]}, str(tmp_path))
    assert [row.verdict for row in comparison.rows] == ["unknown"]
    assert comparison.errors == ()


def test_another_draw_may_give_what_is_hinted(tmp_path: Path) -> None:
    body = "import torch\ndef f(x):\n    if torch.rand(1) < {p}:\n        y = x + 1\n    else:\n        y = x.sum()\n"
    for p, verdicts in ((0.5, ["exact", "exact"]), (2.0, ["exact", "wrong"])):
        (tmp_path / "m.py").write_text(body.format(p=p))
        example = {"scope": "m.py", "setup": "", "call": "f(f32[2])", "origin": "inferred"}
        file = {"path": "m.py", "examples": [example], "hints": [hint(4, 9, "y", "f32[2]"), hint(6, 9, "y", "f32[]")]}
        comparison = compare({"files": [file]}, str(tmp_path))
        assert [row.verdict for row in comparison.rows if row.name == "y"] == verdicts
