"""Small changes of everything on the way to what fails: made once, for the texts as they are."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container, Iterator

from fx_lsp.analysis.proposals import Proposal, mended, touches
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span

MAX_PLACES = 8
"""Places whose proposals are kept."""
_Made = tuple[Proposal, dict[str, str]]
"""A proposal, and the texts of the files that it changes."""


class Wider:
    """Those that were made for the last places that were looked at."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read
        self._made: OrderedDict[tuple[str, str, range], list[_Made]] = OrderedDict()

    def made(self, snapshot: Snapshot, lines: range, good: Container[tuple[str, Span]] = ()) -> list[Proposal]:
        """For what fails on some lines, but for what has a `good` edit; they are known from then on."""
        every = mended(snapshot, self._read, lines, wider=True)
        found = [one for one in every if (one.rule, one.span) not in good]
        made = [(one, {span.path: self._read(span.path) for span, _ in one.edit.changes}) for one in found]
        self._made[snapshot.path, snapshot.text, lines] = made
        while len(self._made) > MAX_PLACES:
            self._made.popitem(last=False)
        return found

    def known(self, snapshot: Snapshot, lines: range) -> Iterator[Proposal]:
        """Those that are on some lines, as long as the files that they change stay as they were."""
        for (path, text, _), made in self._made.items():
            for one, texts in made if (path, text) == (snapshot.path, snapshot.text) else ():
                if touches(one.span, lines) and all(self._read(other) == was for other, was in texts.items()):
                    yield one
