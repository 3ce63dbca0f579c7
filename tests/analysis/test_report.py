"""What `check --format json` says about a file."""

from __future__ import annotations

import json

from fx_lsp.analysis.report import file_report, place, relative
from fx_lsp.model.span import Span
from tests.analysis.facts import PATH, changed, snapshot

SOURCE = """
class Net(nn.Module):
#     ^^^ class f32[2] -> f32[3]
    def forward(self, x):
        é = '😀' and self.fc(x); y = é @ é
#       ^ bind f32[8]|f32[u0=9]|f32[u0=10]
#                               ^ bind f32[4]
#                                   ^^^^^ fail sizes differ
"""


def test_the_contract() -> None:
    made = changed(snapshot(SOURCE), example={"scope": "/w/pkg/train.py", "setup": "n = 2"})
    report = file_report(made, "/w")
    assert json.loads(json.dumps(report)) == {
        "path": "model.py",
        "modules": [{"name": "Net", "line": 1, "status": "traced", "reason": None, "examples": [0]}],
        "examples": [
            {
                "scope": "pkg/train.py",
                "setup": "n = 2",
                "call": "Net()(f32[2])",
                "dims": {"B": 2},
                "origin": "call",
                "fills": False,
                "engine": "fake",
                "ms": 1.0,
            }
        ],
        "hints": [
            {
                "line": 3,
                "column": 9,
                "name": "é",
                "label": "f32[8] +1",
                "concrete": ["f32[8]", "f32[9]", "f32[10]"],
                "examples": [0],
            },
            {"line": 3, "column": 33, "name": "y", "label": "f32[4]", "concrete": ["f32[4]"], "examples": [0]},
        ],
        "diagnostics": [
            {
                "line": 3,
                "column": 36,
                "endLine": 3,
                "endColumn": 41,
                "severity": "error",
                "code": "trace-failure",
                "message": "sizes differ",
            }
        ],
    }


def test_what_another_file_of_the_report_tells_is_not_repeated() -> None:
    failed = snapshot(SOURCE).traces[0].reply.failure
    assert failed is not None
    made = changed(snapshot(SOURCE), failure=failed, example={"origin": "directive"})
    assert len(file_report(made, "/w")["diagnostics"]) == 1
    other = snapshot("x = 1\n", path="/w/other.py")
    assert file_report(changed(other, failure=failed), "/w", {PATH})["diagnostics"] == []


def test_paths_are_relative_to_the_root_and_always_with_slashes() -> None:
    assert relative("/w/a/b.py", "/w") == "a/b.py"
    assert relative("/v/b.py", "/w") == "../v/b.py"


def test_places_for_people_count_characters_from_one() -> None:
    assert place(Span(PATH, 2, 3, 2, 4), "x\né y\n") == (2, 3)
    assert place(Span(PATH, 9, 3, 9, 4), "x\n") == (9, 1)
