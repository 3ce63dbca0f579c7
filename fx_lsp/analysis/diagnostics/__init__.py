"""Diagnostics: one file per rule, found by folder.

To add a rule, copy a file: its `RULE` says what it is called (after the bad pattern) and finds its problems.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.model.registry import collect

_IGNORE = re.compile(r"#\s*fx:\s*ignore(?:\[([^\]]*)\]|\b(?!\s*\[))")


OFF = "off"
"""Severity of a rule that nobody wants."""


@dataclass(frozen=True)
class Rule:
    """How problems of one kind are found."""

    id: str
    title: str
    find: Callable[[Snapshot, Container[str]], Iterable[Problem]]
    """Of a snapshot, given the paths of other files whose problems are shown as well."""
    any_inputs: bool = False
    """Whether what it finds is wrong whatever the inputs were: it is also looked for where only those ways came that
    fx-lsp went on to by itself, with inputs that it made up."""


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule in this folder, by file name."""
    return tuple(collect(sys.modules[__name__], "RULE").values())


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr)


def all_problems(
    snapshot: Snapshot, shown: Container[str] = (), log: Callable[[str], None] = _to_stderr
) -> tuple[Problem, ...]:
    """Those found without running anything, those of torch's compilers and those of the rules; by place, each once.

    `shown` are paths of other files whose problems are shown too: what happens there is not repeated here.  A rule that
    fails is logged; the others answer.
    """
    return told(snapshot, chain.from_iterable(by_rule(snapshot, shown, log)))


def by_rule(snapshot: Snapshot, shown: Container[str], log: Callable[[str], None]) -> Iterator[list[Problem]]:
    """What each rule of `all_problems` finds, for those who have other things to do in between."""
    stated = tuple(trace for trace in snapshot.traces if not trace.example.fills)
    apart = snapshot if len(stated) == len(snapshot.traces) else replace(snapshot, traces=stated)
    # Those that look at the same snapshot in a row: what was parsed for the last one is kept.
    for rule in sorted(rules(), key=lambda rule: rule.any_inputs):
        found: list[Problem] = []
        try:
            found.extend(rule.find(snapshot if rule.any_inputs else apart, shown))
        except Exception:  # a defect of one rule must not take the others along
            log(f"rule {rule.id} failed on {snapshot.path}:\n{traceback.format_exc()}")
        yield found


def told(snapshot: Snapshot, of_rules: Iterable[Problem]) -> tuple[Problem, ...]:
    """`all_problems`, given what the rules found."""
    found = [*snapshot.problems, *snapshot.obstacles, *of_rules]
    chosen = dict(snapshot.severities)
    weighed = (replace(one, severity=chosen.get(one.code, one.severity)) for one in found)
    wanted = [one for one in dict.fromkeys(weighed) if one.severity != OFF and not _ignored(snapshot, one)]
    return tuple(sorted(wanted, key=lambda problem: (problem.span, problem.code)))


def _ignored(snapshot: Snapshot, problem: Problem) -> bool:
    """Whether its first line says `# fx: ignore`, or `# fx: ignore[rule, rule]` that names its rule."""
    lines = columns(snapshot.text).lines if "fx:" in snapshot.text else []
    if problem.span.path != snapshot.path or not 0 < problem.span.line <= len(lines):
        return False
    found = _IGNORE.search(lines[problem.span.line - 1])
    return found is not None and (found[1] is None or problem.code in re.split(r"[,\s]+", found[1].strip()))
