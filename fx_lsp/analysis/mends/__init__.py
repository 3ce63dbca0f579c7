"""Edits that may mend a call that failed or was warned of: one file per family, found by folder.

To add one, copy a file: its `MEND` says which causes it knows, and proposes edits from the sizes.  A proposal may be
wrong: it is run before it is offered.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from fx_lsp.analysis.actions import Edit, applied
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.mends._broken import Broken, broken
from fx_lsp.analysis.mends._seen import Seen
from fx_lsp.analysis.mends._warned import warned
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.source import parse, parse_small, parsed
from fx_lsp.model.failure import Failure
from fx_lsp.model.registry import collect
from fx_lsp.model.span import Span

SOON = 24
"""Each is run, and on offer before."""
MAX_PROPOSALS = 48
"""The others are run where none of those mends it, and on offer only then."""
MAX_FURTHER = 80
"""Of the families that go through everything."""
FIRST = 2
"""Of each family that looks at sizes, before others have their turn."""
MAX_LOOKED_AT = 3 * SOON
"""Edits that differ, of all families in turn, of which those are chosen."""
MAX_BESIDE = 6
"""Places that the families which look at what stands beside have for sure, one each."""
MAX_LAST = 4
"""Of the families that come last."""
MAX_AT_ONE_PLACE = 4
"""Of one family, before others have their turn."""


@dataclass(frozen=True)
class Mend:
    """One way to mend."""

    causes: frozenset[str]
    """Ids of the causes, or of the rules that warn, that it may mend."""
    propose: Callable[[Broken], Iterable[Edit]]
    """Most likely first."""
    sure: bool = False
    """Whether the code speaks for it: something does nothing without it.  Before all others."""
    beside: bool = False
    """Whether it goes by names, by an order or by what is written beside, and by no size.

    One of each such family is tried for sure, after the first of those that look at sizes.
    """
    guess: bool = False
    """Whether it looks at names rather than at sizes, and comes after all others."""
    rest: bool = False
    """Whether it goes through everything on the way: see `further`."""
    last: bool = False
    """Whether it makes sizes alike that may differ for a reason, and comes even after these."""


@cache
def mends() -> tuple[Mend, ...]:
    """Every mend in this folder: after those that are sure those for few causes, which look at the call itself."""
    found = collect(sys.modules[__name__], "MEND").values()
    return tuple(sorted(found, key=lambda one: (one.last, one.guess, one.beside, not one.sure, len(one.causes))))


def proposals(failure: Failure, read: Callable[[str], str | None], also: Sequence[str] = ()) -> tuple[Edit, ...]:
    """All edits that may mend it, most likely first, no two alike.

    `read` gives the text of any file, as it was when this failed; `also` are files from which it was run.
    """
    found = broken(failure, read, also)
    return _all(found, read) if found is not None else ()


def further(failure: Failure, read: Callable[[str], str | None], also: Sequence[str], seen: Seen) -> tuple[Edit, ...]:
    """Small changes of each expression on the way, likeliest first, for what none of these mends.

    `seen` is what the run showed before it failed.
    """
    found = broken(failure, read, also, seen)
    if found is None:
        return ()
    wanted = [mend for mend in mends() if found.cause in mend.causes and mend.rest]
    return tuple(islice(_sound((edit for mend in wanted for edit in mend.propose(found)), read), MAX_FURTHER))


def for_warning(problem: Problem, snapshot: Snapshot) -> tuple[Edit, ...]:
    """All edits that do what a warning of this file advises."""
    found = warned(problem, snapshot)
    return _all(found, {snapshot.path: snapshot.text}.get) if found is not None else ()


def _all(found: Broken, read: Callable[[str], str | None]) -> tuple[Edit, ...]:
    """As many of each family first, then the others; of those that come last a few, and then what is left."""
    wanted = [mend for mend in mends() if found.cause in mend.causes and not mend.rest]
    edits = [list(islice(_sound(_varied(mend.propose(found)), read), SOON)) for mend in wanted]
    families = [*zip(wanted, edits, strict=True)]
    last = [*islice(_unlike(_in_turn([one for one in families if one[0].last]), read), MAX_LAST)]
    usual = [*islice(_unlike(_in_turn([one for one in families if not one[0].last]), read), MAX_LOOKED_AT)]
    firsts = {id(one[0]) for mend, one in families if mend.beside and one}
    beside = [id(one) for one in usual if id(one) in firsts][:MAX_BESIDE]
    left = SOON - len(last) - len(beside)
    others = [id(one) for one in usual if id(one) not in beside]
    kept = [one for one in usual if id(one) in (*beside, *others[:left])]
    late = [one for one in usual if id(one) in others[left:]]
    return tuple(islice(_unlike([*kept, *last, *late], read), MAX_PROPOSALS))


def _in_turn(families: list[tuple[Mend, list[Edit]]]) -> Iterator[Edit]:
    """Some of each, then one more of each again and again: a family with many has no more of the first turn."""
    places = [0] * len(families)
    for turn in range(SOON):
        for number, (mend, edits) in enumerate(families):
            count = 1 if turn or mend.guess or mend.last or mend.beside else FIRST
            yield from edits[places[number] : places[number] + count]
            places[number] += count


def _varied(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Few at one place, in their order; then the others."""
    count, others = Counter[tuple[str, tuple[Span, ...]]](), list[Edit]()
    for edit in edits:
        place = edit.path, tuple(span for span, _ in edit.changes)
        count[place] += 1
        if count[place] > MAX_AT_ONE_PLACE:
            others.append(edit)
        else:
            yield edit
    yield from others


def _sound(edits: Iterable[Edit], read: Callable[[str], str | None]) -> Iterator[Edit]:
    """Those that change the text into another that parses, each once."""
    for edit in _unlike(edits, read):
        text = read(edit.path) or ""
        if _parses(edit, text, applied(text, edit.changes)):
            yield edit


def _unlike(edits: Iterable[Edit], read: Callable[[str], str | None]) -> Iterator[Edit]:
    """Those that change a text, no two of them alike."""
    seen: set[tuple[str, str]] = set()
    for edit in edits:
        text = read(edit.path)
        changed = applied(text, edit.changes) if text is not None else None
        if changed is not None and changed != text and (edit.path, changed) not in seen:
            seen.add((edit.path, changed))
            yield edit


def _parses(edit: Edit, text: str, changed: str) -> bool:
    """Whether the function that is changed is still one, or the file where it is in none: files are large."""
    spans = [span for span, _ in edit.changes if span.path == edit.path]
    first, last = min(span.line for span in spans), max(span.end_line for span in spans)
    around = [
        node
        for node in parsed(edit.path, text).every(ast.FunctionDef)
        if node.lineno <= first and (node.end_lineno or 0) > last
    ]
    if not around:
        return parse(edit.path, changed).tree is not None
    start, end = max((node.lineno, node.end_lineno or node.lineno) for node in around)
    before, after = columns(text).lines, columns(changed).lines
    function = after[start - 1 : end + len(after) - len(before)]
    head = ["if True:"] if before[start - 1][:1].isspace() else []
    return parse_small("\n".join([*head, *function])).tree is not None
