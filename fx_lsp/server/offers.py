"""Which edits are on offer, and what came of trying them."""

from __future__ import annotations

import asyncio
import os
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.continued import Left, continued
from fx_lsp.analysis.proposals import Proposal, mended, rewritten
from fx_lsp.analysis.rewrites import Rewrite, rewrites
from fx_lsp.analysis.rewrites._own import own_rewrites
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.failure import Failure
from fx_lsp.model.span import Span
from fx_lsp.server.ran import Cancelled
from fx_lsp.server.trials import Verdict, verdict
from fx_lsp.server.turns import Urgency
from fx_lsp.server.wider import Wider

if TYPE_CHECKING:
    from fx_lsp.server.engine import Engine
    from fx_lsp.server.folder import Folder

REMEMBERED = 1024
"""Edits of which is known what came of trying them."""
LONGEST_SEARCH = 30.0
"""Seconds in which edits are begun to be tried that nobody chose; who looks again has as many once more."""


@dataclass(frozen=True)
class Together:
    """Several rewrites of one file."""

    done: tuple[tuple[Proposal, Verdict], ...]
    edit: Edit
    """Of all that are done."""
    refused: tuple[tuple[Proposal, Verdict], ...] = ()
    """Those that do not do what they say."""


_Tried = tuple[str, str, tuple[tuple[Span, str], ...], tuple[Failure | None, ...], bool]
"""Path and text of the file that it was on offer in, what it changes, how its examples failed before, which may be
another way as soon as another file is edited, and whether old and new are compared."""


_Parts = list[tuple[Proposal, Verdict]]


class Offers:
    """Proposals for the open files, and verdicts on them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._tried: OrderedDict[_Tried, Verdict] = OrderedDict()
        self._chained: OrderedDict[_Tried, tuple[Edit, ...]] = OrderedDict()
        self.wider = Wider(lambda path: self._engine.text(path))
        self._search: tuple[tuple[str, str, range], asyncio.Task[None]] | None = None

    def of(self, snapshot: Snapshot, lines: range) -> list[Proposal]:
        """What may be offered on some lines, of what mends first that of which this is known; what was tried and is
        wrong is not there any more."""
        tried = [(one, self.known(snapshot, one)) for one in self.every(snapshot, lines)]
        kept = [(one, known) for one, known in tried if (known.good if known is not None else not one.late)]
        return [one for one, _ in sorted(kept, key=lambda pair: (not pair[0].mends, pair[1] is None))]

    def every(self, snapshot: Snapshot, lines: range) -> list[Proposal]:
        """The same in their own order, with what is wrong."""
        mends = [*mended(snapshot, self._engine.text, lines)]
        own = self.own(snapshot.path)
        found = [*mends, *self._chains(snapshot, mends), *self.wider.known(snapshot, lines)]
        named: dict[tuple[str, Span, str], Proposal] = {}
        for one in found:  # an action is known by its title
            named.setdefault((one.rule, one.span, one.title), one)
        return [*named.values(), *rewritten(snapshot, own, lines)]

    def known(self, snapshot: Snapshot, proposal: Proposal) -> Verdict | None:
        """What came of trying it, if it was."""
        return self._tried.get(_key(snapshot, proposal))

    def _chains(self, snapshot: Snapshot, mends: list[Proposal]) -> Iterator[Proposal]:
        """Two edits each, where each edit alone was tried in vain."""
        for _, group in groupby(mends, lambda one: (one.rule, one.span)):
            every = [*group]
            first, alone = every[0], [one for one in every if not one.late or self.known(snapshot, one) is not None]
            known = [(one.edit, self.known(snapshot, one)) for one in alone]
            left = [(edit, found.left) for edit, found in known if found is not None and found.left is not None]
            before = Left.of(first.traces[0].reply) if len(left) == len(known) else None
            if before is not None:
                for edit in self._continued(_key(snapshot, first), before, left):
                    yield replace(first, title=edit.title, edit=edit)

    def _continued(self, key: _Tried, before: Left, left: list[tuple[Edit, Left]]) -> tuple[Edit, ...]:
        if key not in self._chained:
            self._chained[key] = continued(before, left, self._engine.text)
            while len(self._chained) > REMEMBERED:
                self._chained.popitem(last=False)
        return self._chained[key]

    def search(self, snapshot: Snapshot, lines: range) -> None:
        """Try what may mend the problems on some lines, so that what is on offer next is good; nobody waits for it."""
        place = snapshot.path, snapshot.text, lines
        if self._search is not None:
            before, task = self._search
            if before == place and not task.done():
                return
            task.cancel()  # somebody looks at other lines, or at another text
        self._search = place, asyncio.get_running_loop().create_task(self.searched(snapshot, lines))

    async def searched(self, snapshot: Snapshot, lines: range) -> None:
        """The same, for who waits for it."""
        until = time.monotonic() + LONGEST_SEARCH
        good: set[tuple[str, Span]] = set()
        try:
            for found in self._stages(snapshot, lines, good):
                for one in found:
                    if one.late and (one.rule, one.span) in good:
                        continue
                    if self._engine.text(snapshot.path) != snapshot.text or time.monotonic() > until:
                        return
                    if (await self.verdict(snapshot, one, Urgency.AHEAD)).good:
                        good.add((one.rule, one.span))
        except Cancelled:
            return  # what was edited is looked at anew when somebody asks

    def _stages(
        self, snapshot: Snapshot, lines: range, good: Container[tuple[str, Span]]
    ) -> Iterator[Iterable[Proposal]]:
        """One edit, two edits, then what is only made where none of these is good."""
        alone = [*mended(snapshot, self._engine.text, lines)]
        yield alone
        yield self._chains(snapshot, alone)
        yield self.wider.made(snapshot, lines, good)

    def own(self, path: str) -> tuple[Rewrite, ...]:
        """The rewrites that the workspace of a file has itself."""
        file = self.own_file(self._engine.folder(path))
        return own_rewrites(file, self._engine.text(file))[0]

    def own_file(self, folder: Folder) -> str:
        """Where a workspace has rewrites of its own, if it has any."""
        return os.path.normpath(os.path.join(folder.root, folder.config.rewrites))

    async def verdict(self, snapshot: Snapshot, proposal: Proposal, urgency: Urgency = Urgency.LOOKED_AT) -> Verdict:
        """What comes of trying it, which is done once.

        Raises:
            Cancelled: a newer edit cancelled a run.
        """
        key = _key(snapshot, proposal)
        known = self._tried.get(key)
        if known is None:
            known = await verdict(self._engine.folder(snapshot.path), proposal, self._engine.text, urgency)
            self._tried[key] = known
            while len(self._tried) > REMEMBERED:
                self._tried.popitem(last=False)
        return known

    async def together(self, snapshot: Snapshot, wanted: Callable[[Proposal], bool]) -> Together:
        """All rewrites of a file that are wanted and good, as far as they do not overlap, as one edit.

        Those that are compared in the same way are tried as one edit first, and one by one only where that is not good.

        Raises:
            Cancelled: a newer edit cancelled a run.
        """
        own = self.own(snapshot.path)
        late = {rule.id for rule in rewrites() if rule.late}
        found = [one for one in rewritten(snapshot, own) if wanted(one)]
        wide = sorted(found, key=lambda one: (one.rule in late, -_lines(one.edit), _how(one)))
        good: _Parts = []
        refused: _Parts = []
        for _, group in groupby(wide, _how):  # what a wider one does away with needs no rewrite of its own
            alike = [*group]
            apart = _apart(alike, [one for one, _ in good])
            exact = not any(one.other for one in apart)  # else each is told its own difference
            said = await self.verdict(snapshot, _joint(apart)) if exact and len(apart) > 1 else None
            if said is not None and said.good:
                good += [(one, said) for one in apart]
                continue
            for one in alike:
                if _apart([one], [other for other, _ in good]):
                    said = await self.verdict(snapshot, one)
                    (good if said.good else refused).append((one, said))
        done = await self._agreeing(snapshot, good)
        edit = _joint([one for one, _ in done]).edit if done else Edit("", snapshot.path, ())
        return Together(tuple(sorted(done, key=_place)), edit, tuple(sorted(refused, key=_place)))

    async def _agreeing(self, snapshot: Snapshot, good: _Parts) -> _Parts:
        """As many as are good as one edit, of those that are by themselves.

        Old and new are compared a class at a time, since an example of one may have no module of another; together
        they have to run, since what one class makes another one takes.
        """
        classes: dict[tuple[str, str], _Parts] = {}
        for one in good:
            classes.setdefault((one[0].owner, one[0].function), []).append(one)
        groups = [await self._agreeing_in_one(snapshot, parts) for parts in classes.values()]
        kept = [one for parts in groups for one in parts]
        return await _as_many(kept, len(groups[0]), self._runs, snapshot) if len(groups) > 1 else kept

    async def _runs(self, snapshot: Snapshot, parts: _Parts) -> bool:
        """Whether the examples of all of them run with them all."""
        joint = replace(_joint([one for one, _ in parts]), compared=False)
        return (await self.verdict(snapshot, joint)).good

    async def _agreeing_in_one(self, snapshot: Snapshot, good: _Parts) -> _Parts:
        several = len({id(said) for _, said in good}) > 1
        return await _as_many(good, 1, self._good, snapshot) if several else good

    async def _good(self, snapshot: Snapshot, parts: _Parts) -> bool:
        return (await self.verdict(snapshot, _joint([one for one, _ in parts]))).good


async def _as_many(
    parts: _Parts, first: int, fit: Callable[[Snapshot, _Parts], Awaitable[bool]], snapshot: Snapshot
) -> _Parts:
    """All of them if they fit; else the first ones, and each of the others that fits with what is kept by then."""
    if await fit(snapshot, parts):
        return parts
    kept = parts[:first]
    for one in parts[first:]:
        if await fit(snapshot, [*kept, one]):
            kept.append(one)
    return kept


def _how(one: Proposal) -> tuple[str, str, str, bool, bool, bool]:
    """What is compared, and how."""
    return one.owner, one.function, one.unsafe, one.other, one.single, one.zeros


def _joint(parts: list[Proposal]) -> Proposal:
    """Several as one, tried on the examples of each; the class that is compared is that of the last one."""
    changes = dict.fromkeys(change for one in parts for change in one.edit.changes)
    traces = {id(trace): trace for one in parts for trace in one.traces}
    return replace(
        parts[-1],
        edit=replace(parts[-1].edit, changes=tuple(changes)),
        traces=tuple(traces.values()),
        unsafe=next((one.unsafe for one in parts if one.unsafe), ""),
        other=any(one.other for one in parts),
        single=any(one.single for one in parts),
        zeros=any(one.zeros for one in parts),
    )


def _apart(found: list[Proposal], taken: list[Proposal]) -> list[Proposal]:
    """Those of them that change nothing which an earlier one or one that is taken changes otherwise."""
    changes = {change for one in taken for change in one.edit.changes}
    kept: list[Proposal] = []
    for one in found:
        new = [change for change in one.edit.changes if change not in changes]
        if not any(_overlap(change, other) for change in new for other in changes):
            kept.append(one)
            changes.update(new)
    return kept


def _lines(edit: Edit) -> int:
    """How many lines it touches."""
    spans = [span for span, _ in edit.changes]
    return sum(span.end_line - span.line + (span.end_column > 0 or span.end_line == span.line) for span in spans)


def _place(one: tuple[Proposal, Verdict]) -> Span:
    return one[0].span


def _overlap(one: tuple[Span, str], other: tuple[Span, str]) -> bool:
    """Whether both change the same text, or write at one place what one block cannot hold: a statement that belongs to
    one function, and another function."""
    (span, new), (taken, text) = one, other
    if span.path != taken.path:
        return False
    if _nothing(span) and span == taken:
        return _indent(new) != _indent(text)
    before = (span.end_line, span.end_column) <= (taken.line, taken.column)
    return not before and (taken.end_line, taken.end_column) > (span.line, span.column)


def _nothing(span: Span) -> bool:
    return (span.line, span.column) == (span.end_line, span.end_column)


def _indent(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    return first[: len(first) - len(first.lstrip())]


def _key(snapshot: Snapshot, proposal: Proposal) -> _Tried:
    before = tuple(trace.reply.failure for trace in proposal.traces)
    return snapshot.path, snapshot.text, proposal.edit.changes, before, proposal.compared
