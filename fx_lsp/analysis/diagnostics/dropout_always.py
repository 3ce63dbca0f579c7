"""A functional dropout that goes on in `eval()`: its `training` is True unless it is said.

    x = F.dropout(x, 0.1)

Instead: `F.dropout(x, 0.1, training=self.training)`, or a module, `self.dropout = nn.Dropout(0.1)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from dataclasses import replace

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import file_of
from fx_lsp.analysis.diagnostics._lineage import lineages
from fx_lsp.analysis.diagnostics._operations import calls, itself, operations, says
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.example import PROGRAMS, trains

_ALWAYS = frozenset(f"torch.nn.functional.dropout{dims}" for dims in ("", "1d", "2d", "3d"))
"""Those whose `training` is True by itself; that of the others is False."""
_DROPS = frozenset({"scaled_dot_product_attention", "dropout", "dropout1d", "dropout2d", "dropout3d"})

_MEANT = re.compile(
    r"\bnon.?determinis|\bon purpose\b|\bintentional"
    r"|\b(?:always?|even|also)\b[^.]*\b(?:eval|infer|test)|\b(?:eval|infer|test)\w*\b[^.]*\b(?:too|as well)\b",
    re.IGNORECASE,
)
"""What is written beside dropout that is to go on."""
_NAMED = re.compile(r"\bdrop|\bstochastic|\bmonte.?carlo|\bnon.?determinis", re.IGNORECASE)
"""Sentences of a docstring that are about it."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each call that ran: models run in `eval()`; where the example says `train()`, in a file that
    never asks whether it is so; where a program runs, in training, unless that says otherwise.  None where the class,
    the function or a comment there says that it is meant."""
    trained = any(trains(trace.example.setup, trace.call) for trace in snapshot.traces)
    for call, operation in operations(snapshot, _ALWAYS):
        always = itself(call, operation) and not says(call, "training", 2) and not _drops_nothing(call)
        if always and not (trained and "training" in file_of(snapshot).attributes) and not _meant(snapshot, call):
            message = "this drops in `eval()` too: `training` is True unless it is given, `training=self.training`"
            yield Problem(operation.span, "warning", RULE.id, message)
    evaluated = replace(snapshot, traces=tuple(trace for trace in snapshot.traces if trace.call not in PROGRAMS))
    for one in lineages(evaluated, _DROPS, {"dropped"}) if not trained else ():
        call = calls(snapshot.path, snapshot.text).get(one.span)
        if one.target == "scaled_dot_product_attention":
            message = "this drops in `eval()` too: `dropout_p=self.dropout if self.training else 0.0`"
            yield Problem(one.span, "warning", RULE.id, message)
        elif call is not None and isinstance(call.func, ast.Call):
            message = "this drops in `eval()` too: it is made anew, and so in training; make it in `__init__`"
            yield Problem(one.span, "warning", RULE.id, message)


def _meant(snapshot: Snapshot, call: ast.Call) -> bool:
    file = file_of(snapshot)
    around = [(function, owner) for function, owner in file.functions()
              if function.lineno <= call.lineno <= (function.end_lineno or 0)]  # fmt: skip
    documented = [ast.get_docstring(node) or "" for both in around for node in both if node is not None]
    sentences = [one for text in documented for one in re.split(r"\.\s|\n\s*\n", text) if _NAMED.search(one)]
    lines = file.source.lines
    above = lines[call.lineno - 2] if call.lineno > 1 else ""
    comments = [above if above.lstrip().startswith("#") else "", lines[call.lineno - 1].partition("#")[2]]
    return any(_MEANT.search(text) for text in (*sentences, *comments))


def _drops_nothing(call: ast.Call) -> bool:
    rates = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == "p")]
    asked = any(getattr(part, "attr", "") == "training" for rate in rates for part in ast.walk(rate))
    return asked or any(isinstance(rate, ast.Constant) and not rate.value for rate in rates)


RULE = Rule(id="dropout-always", title="Dropout that does not end with training", find=find)
