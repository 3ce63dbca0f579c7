"""What the warnings' quick fixes do: after them the model runs, and nothing is warned of any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.mends import for_warning
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.example import Example
from tests.worker.test_warnings import (
    BATCH,
    BUFFER,
    CALL,
    CROSS,
    LOG,
    NORM,
    ONE,
    SOURCE,
    THROWN,
    TWICE,
    UNUSED,
    WRONG,
    laid_out,
)
from tests.worker.tracing import trace

REWRITTEN = {BUFFER, UNUSED}
"""What is done about these is a rewrite, which is there without a warning too."""
UNMENDED = {
    (NORM, "«self.group(self.pool(x.mT))»"),
    (NORM, "«self.group(x.mean(1))»"),
    (NORM, "«self.group(p)»"),
    (NORM, "«self.group(self.squeeze(s))»"),
    (NORM, "«self.batch(first[0].unsqueeze(0))»"),
    (NORM, "«self.layer(self.one(x))»"),
    (CROSS, "«loss(self.probs(first), target)»"),
    (CROSS, "«F.cross_entropy(p.transpose(1, 2), ids)»"),
    (ONE, "«y.log_softmax(1)»"),
    (ONE, "nn.Softmax(dim=1))"),
    (ONE, "«F.cross_entropy(self.one(first), target * 0)»"),
    (THROWN, "y = «"),
}
"""Of these nobody can tell what is meant: other layers, other scores, the loss of another class, what a loop
stacks, what else is read."""


def looked_at(folder: Path, text: str) -> Snapshot:
    """The file as it is after its example has run."""
    path = folder / "model.py"
    reply = trace(folder, text, CALL)
    assert reply.failure is None, reply.failure
    return Snapshot(str(path), text, traces=(Trace(Example(str(path), CALL, "call"), CALL, (), reply),))


def after(folder: Path, rule: str, parts: list[str]) -> tuple[list[str], list[list[str]]]:
    """Titles of what is proposed, and what is warned of after each."""
    marked = len(parts) == 2 and ("«" in parts[0] or "«" in parts[1])
    clean = [part.replace("«", "").replace("»", "") for part in (parts if marked else ["", parts[0]])]
    init, body = clean
    before = looked_at(folder, SOURCE.replace("INIT", laid_out(init)).replace("BODY", laid_out(body)))
    (problem,) = [one for one in all_problems(before) if one.code == rule]
    edits = for_warning(problem, before)
    texts = [applied(before.text, edit.changes) for edit in edits]
    left = [[one.code for one in all_problems(looked_at(folder, text)) if one.severity == "warning"] for text in texts]
    return [edit.title for edit in edits], left


@pytest.mark.parametrize(("rule", "parts"), [(rule, parts) for rule, *parts in WRONG if rule not in REWRITTEN])
def test_the_first_proposal_leaves_nothing_to_warn_of(rule: str, parts: list[str], tmp_path: Path) -> None:
    titles, left = after(tmp_path, rule, parts)
    if any(rule == one and text in "".join(parts) for one, text in UNMENDED):
        assert titles == []
    else:
        assert left[:1] == [[]], titles


MENDED = [
    (TWICE, "p = self.soft(x); return «p.softmax(-1)», p", ["Remove the second softmax"]),
    (TWICE, "return «self.soft(x).log_softmax(-1)»", ["Use `self.soft(x).log()`", "Remove the first softmax"]),
    (LOG, "p = F.softmax(first, dim=1); return «F.nll_loss(p, target)», p", ["Use `p.log()`"]),
    (BATCH, "w = F.softmax(s / 8**0.5, dim=0); return w @ x", ["Use `-1`"]),
    (THROWN, "«self.norm(x)»; return x", ["Use `x = self.norm(x)`"]),
]


@pytest.mark.parametrize(("rule", "body", "titles"), MENDED)
def test_what_is_proposed(rule: str, body: str, titles: list[str], tmp_path: Path) -> None:
    found, left = after(tmp_path, rule, [body])
    assert found[: len(titles)] == titles
    assert left[: len(titles)] == [[]] * len(titles)
