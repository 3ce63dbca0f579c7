"""Mistakes that take two edits: what a first edit leaves is mended, too, and both are one proposal.

self.norm = nn.LayerNorm(48)  # the first edit: what it gets has 64 features
self.head = nn.Linear(48, 10)  # fails only then, and is mended by the second one
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile, zip_longest

from fx_lsp.analysis.actions import Changes, Edit, applied
from fx_lsp.analysis.causes import explained
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.mends import proposals
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import TraceReply
from fx_lsp.model.span import Span

MAX_FIRST = 4
"""Edits that are gone on from: those that the example came furthest with."""
MAX_SECOND = 8
"""Edits after each of them."""
MAX_CHAINS = 16
"""Each is run."""


@dataclass(frozen=True)
class Left:
    """What is left of a failure: how far an example came, and why no further."""

    failure: Failure
    ran: int
    """Operations."""

    @staticmethod
    def of(reply: TraceReply) -> Left | None:
        """None where nothing failed."""
        ran = sum(one.count for operation in reply.operations for one in operation.variants)
        return Left(reply.failure, ran) if reply.failure is not None else None


def continued(before: Left, tried: Iterable[tuple[Edit, Left]], read: Callable[[str], str | None]) -> tuple[Edit, ...]:
    """For edits that were tried in vain: each that came further, with each that may mend what is left.

    `read` gives the text of any file, without any of the edits.
    """
    further = [(edit, left) for edit, left in tried if _further(edit, before, left)]
    same: dict[Left, tuple[Edit, Left]] = {}
    for edit, left in further:  # of several ways to write one thing the first is enough
        same.setdefault(left, (edit, left))
    furthest = sorted(same.values(), key=lambda one: -one[1].ran)[:MAX_FIRST]
    ways = [islice(_after(edit, left.failure, read), MAX_SECOND) for edit, left in furthest]
    found: dict[Changes, Edit] = {}
    for turn in zip_longest(*ways):
        for edit in turn:
            if edit is not None and edit.changes:
                found.setdefault(edit.changes, edit)
    count = Counter(edit.title for edit in found.values())
    named = (
        replace(edit, title=f"{edit.title}, line {edit.changes[-1][0].line}") if count[edit.title] > 1 else edit
        for edit in found.values()
    )
    # An action is known by its title.
    return tuple(islice({edit.title: edit for edit in named}.values(), MAX_CHAINS))


def _further(edit: Edit, before: Left, left: Left) -> bool:
    """Whether it fails later, and elsewhere or for another reason."""
    one, other = before.failure, left.failure
    if left.ran <= before.ran or not left.failure.proven:
        return False
    same = (_called(one), _line(one.span, None)) == (_called(other), _line(other.span, edit))
    # `x * scale + shift`: the product is gone past, the sum is on the same line.
    same = same and _target(one) == _target(other)
    return not same or _cause(one) != _cause(other)


def _after(edit: Edit, failure: Failure, read: Callable[[str], str | None]) -> Iterator[Edit]:
    """Both edits as one, for each edit that may mend what is left."""
    edited = applied(read(edit.path) or "", edit.changes)
    for second in proposals(failure, lambda path: edited if path == edit.path else read(path)):
        title = f"{edit.title}, and {second.title[:1].lower()}{second.title[1:]}"
        if second.path == edit.path:
            both = changed_lines(edit.path, read(edit.path) or "", applied(edited, second.changes))
        else:
            both = (*edit.changes, *second.changes)
        yield Edit(title, edit.path, both)


def changed_lines(path: str, old: str, new: str) -> Changes:
    """The lines of a text that another has differently."""
    before, after = columns(old).lines, columns(new).lines
    end_of_line = columns(old if len(before) > 1 else new).newline
    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    parts = (one[head : len(one) - tail] for one in (before, after))  # what is alike around them takes long to compare
    blocks = difflib.SequenceMatcher(None, *parts, autojunk=False).get_opcodes()
    found: list[tuple[Span, str]] = []
    for kind, *places in blocks:
        start, end, first, last = (head + place for place in places)
        if kind != "equal" and end < len(before):
            text = "".join(f"{line}{end_of_line}" for line in after[first:last])
            found.append((Span(path, start + 1, 0, end + 1, 0), text))
        elif kind != "equal":
            # Nothing ends the last line, so what ends the one before it goes or comes with it.
            start_line = before[start - 1] if start else ""
            place = (start, len(start_line.encode("utf-8"))) if start else (1, 0)
            text = end_of_line.join([*([""] if start else []), *after[first:last]])
            found.append((Span(path, *place, len(before), len(before[-1].encode("utf-8"))), text))
    return tuple(found)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _line(span: Span | None, edit: Edit | None) -> tuple[str, int]:
    """Where it is in the text before the edit."""
    if span is None:
        return "", 0
    changes = edit.changes if edit is not None and edit.path == span.path else ()
    more = sum(new.count("\n") - (one.end_line - one.line) for one, new in changes if one.line < span.line)
    return span.path, span.line - more


def _called(failure: Failure) -> str:
    attempt = failure.layer or failure.operation
    return attempt.called if attempt is not None else ""


def _target(failure: Failure) -> str:
    return failure.operation.target if failure.operation is not None else ""


def _cause(failure: Failure) -> str:
    found = explained(failure)
    return found.code if found is not None else failure.message
