"""Hover, lenses, diagnostics, actions, reports and previews of a snapshot."""

import json
from dataclasses import replace

from fx_lsp.analysis.actions.insert_example import ACTION
from fx_lsp.analysis.coverage import coverage
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.hover import hover
from fx_lsp.analysis.lenses import count, lenses
from fx_lsp.analysis.preview import render
from fx_lsp.analysis.report import file_report
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from tests.analysis.facts import PATH, snapshot

SOURCE = """
class Net(nn.Module):
#     ^^^ class f32[2] -> f32[3]
    def forward(self, x):
        é = self.fc(x + self.w)
#       ^ bind f32[8]
#           ^^^^^^^^^^^^^^^^^^^ op torch.nn.functional.linear f32[2] -> f32[8]
#                   ^^^^^^^^^^ op torch.Tensor.add f32[2]; f32[2] -> f32[2]
"""


def fails(origin: str, **failure: object) -> Snapshot:
    made = snapshot("class Net:\n#     ^^^ class\n    y = f(x) + 1\n#       ^^^^ fail sizes differ\n", origin)
    trace = made.traces[0]
    assert trace.reply.failure is not None
    changed = replace(trace.reply.failure, **failure)  # type: ignore[arg-type]
    return replace(made, traces=(replace(trace, reply=replace(trace.reply, failure=changed)),))


def problems(made: Snapshot) -> list[tuple[str, str, int, str]]:
    return [(p.severity, p.code, p.span.line, p.message) for p in all_problems(made)]


def test_hover_takes_the_innermost_operation() -> None:
    made = snapshot(SOURCE)
    inner = hover(made, 3, 25)
    outer = hover(made, 3, 15)
    assert inner is not None
    assert outer is not None
    assert inner.markdown.startswith("**torch\\.Tensor\\.add**\n\n`f32[2], f32[2] → f32[2]`")
    assert outer.markdown.startswith("**torch\\.nn\\.functional\\.linear**\n\n`f32[2] → f32[8]`")
    assert (outer.span.column, outer.span.end_column) == (13, 32)


def test_hover_on_a_name_and_on_nothing() -> None:
    made = snapshot(SOURCE)
    named = hover(made, 3, 8)
    assert named is not None
    assert named.markdown == "`é`\n\n`f32[8]` in m0\n\nfrom call `Net()(f32[2])`"
    assert hover(made, 1, 0) is None
    assert hover(made, 99, 0) is None


def test_lens() -> None:
    (lens,) = lenses(snapshot(SOURCE))
    assert lens.title == "f32[2] → f32[3] · 1.2 M params · from call"
    assert (lens.span.line, lens.span.column) == (1, 6)


def test_counts() -> None:
    assert [count(number) for number in (0, 999, 1500, 124_439_808, 7 * 10**9)] == ["0", "999", "1.5 k", "124.4 M", "7.0 G"]


def test_failure_of_a_stated_example_is_an_error() -> None:
    assert problems(fails("directive")) == [("error", "trace-failure", 2, "sizes differ")]
    assert problems(fails("call"))[0] == ("error", "trace-failure", 2, "sizes differ")


def test_failure_of_a_guess_is_none() -> None:
    assert [problem[1] for problem in problems(fails("default"))] == ["missing-example"]
    assert [problem[1] for problem in problems(fails("call", stage="construct"))] == ["missing-example"]
    assert [problem[1] for problem in problems(fails("default", proven=False))] == ["missing-example"]


def test_what_is_not_proven_is_no_error() -> None:
    found = problems(fails("call", proven=False))
    assert found[0][:2] == ("information", "trace-failure")
    assert found[0][3] == "could not be traced: sizes differ"


def test_time_out_without_a_place_is_told_at_the_class() -> None:
    made = fails("directive", stage="timeout", span=None, proven=False, message="did not finish within 2 s")
    assert problems(made) == [("warning", "trace-failure", 1, "the example did not finish within 2 s")]


def test_problems_of_the_worker_are_not_the_code_s() -> None:
    assert [p[1] for p in problems(fails("directive", stage="start", span=None))] == []


def test_call_path_is_related() -> None:
    (problem, *_) = all_problems(fails("directive", calls=(Span("/w/other.py", 9, 0, 9, 4),)))
    assert [(span.path, text) for span, text in problem.related] == [("/w/other.py", "called from here")]


def test_missing_example_waits_for_traces() -> None:
    made = snapshot("class Net:\n#     ^^^ class\n    pass\n", traces=())
    assert [problem[1] for problem in problems(made)] == ["missing-example"]
    assert problems(replace(made, pending=True)) == []
    assert problems(replace(made, modules=(replace(made.modules[0], abstract=True),))) == []


def test_coverage() -> None:
    assert [entry.status for entry in coverage(snapshot(SOURCE))] == ["traced"]
    (entry,) = coverage(fails("call"))
    assert (entry.status, entry.reason) == ("failed", "forward failed at line 2: sizes differ")


def test_insert_example() -> None:
    source = (
        "@register\nclass Net(nn.Module):\n#     ^^^ class\n    def __init__(self, width, depth=2, *, heads): ...\n"
        "    def forward(self, x, mask, y=None): ...\n"
    )
    made = snapshot(source, traces=())
    edit = ACTION.find(made, 3, 8)
    assert edit is not None
    ((span, text),) = edit.changes
    assert span == Span(PATH, 1, 0, 1, 0)
    assert text == "# fx: Net(width, heads=heads)(f32[B, 3, 64, 64], f32[B, 3, 64, 64])\n"


def test_insert_example_offers_the_one_in_use() -> None:
    edit = ACTION.find(snapshot(SOURCE), 1, 8)
    assert edit is not None
    assert edit.changes[0][1] == "# fx: Net()(f32[2])\n"
    assert ACTION.find(snapshot(SOURCE), 3, 8) is None
    assert ACTION.find(snapshot(SOURCE, text="class Net("), 1, 8) is None


def test_report_is_the_contract() -> None:
    report = file_report(snapshot(SOURCE), "/w")
    assert json.loads(json.dumps(report)) == {
        "path": "model.py",
        "modules": [{"name": "Net", "line": 1, "status": "traced", "reason": None, "examples": [0]}],
        "examples": [
            {"scope": "model.py", "setup": "", "call": "Net()(f32[2])", "dims": {"B": 2}, "origin": "call",
             "engine": "fake", "ms": 1.0, "failure": None}
        ],
        "hints": [
            {"line": 3, "column": 9, "name": "é", "label": "f32[8]", "concrete": ["f32[8]"], "examples": [0]}
        ],
        "diagnostics": [],
    }  # fmt: skip


def test_preview_underlines_problems() -> None:
    assert render(fails("directive"), colour=False) == (
        "class Net:\n    y = f(x) + 1\n        ^^^^ error: sizes differ"
    )


def test_user_text_stays_text_in_markdown() -> None:
    made = snapshot(SOURCE)
    shown = hover(replace(made, traces=(replace(made.traces[0], call="`![x](http://e)`"),)), 3, 8)
    assert shown is not None
    assert "`` `![x](http://e)` ``" in shown.markdown
