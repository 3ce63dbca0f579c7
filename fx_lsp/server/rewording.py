"""Edits that leave what a file means alone: the answers about it hold, and only their places move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fx_lsp.analysis.meaning import Moves, moves
from fx_lsp.analysis.moved import lines_kept, span_kept
from fx_lsp.analysis.reworded import Reworded, Uncertain
from fx_lsp.analysis.snapshot import ModuleClass
from fx_lsp.model.example import Example
from fx_lsp.server.texts import Texts

if TYPE_CHECKING:
    from fx_lsp.server.ran import Outcome, Ran


@dataclass(frozen=True)
class Wording:
    """What a file says at one time."""

    text: str
    digest: str


class Wordings:
    """How the files were worded that there are answers about."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._known: dict[str, Wording] = {}

    def answered(self, paths: Iterable[str]) -> None:
        """There are answers about these files as they are now."""
        for path in paths:
            self._known[path] = self._now(path)

    def edited(self, path: str) -> Rewording | None:
        """What an edit makes of the answers; None when only runs can tell."""
        known, now = self._known.get(path), self._now(path)
        moved = moves(path, known.text, now.text) if known is not None else None
        if known is None or moved is None:
            return None
        self._known[path] = now
        return Rewording(path, known, now, moved)

    def _now(self, path: str) -> Wording:
        return Wording(self._texts.read(path) or "", self._texts.digest(path))


class Rewording:
    """One edit of the file at `path`."""

    def __init__(self, path: str, before: Wording, after: Wording, moved: Moves) -> None:
        self.path = path
        self._read, self._reads = (path, before.digest), (path, after.digest)
        self._facts = Reworded(moved)
        self._lines = lines_kept(before.text, after.text)
        self._done: dict[int, tuple[Ran, Ran | None]] = {}

    def ran(self, ran: Ran) -> Ran | None:
        """The answer for the new text; None when it is about yet another one, or only a run can tell."""
        if ran.digests and self._read not in ran.digests:
            return None
        if id(ran) not in self._done:
            self._done[id(ran)] = ran, self._moved(ran)
        return self._done[id(ran)][1]

    def outcome(self, outcome: Outcome) -> Outcome | None:
        """As `ran`, and None also when the example itself was edited."""
        if not outcome[1].reads(self.path):
            return outcome
        example, ran = self._example(outcome[0].example), self.ran(outcome[1])
        if example is None or ran is None:
            return None
        return replace(outcome[0], example=example, reply=ran.reply), ran

    def modules(self, modules: Iterable[ModuleClass]) -> tuple[ModuleClass, ...]:
        """The classes of the file."""
        return self._facts.modules(modules)

    def _moved(self, ran: Ran) -> Ran | None:
        try:
            reply = self._facts.reply(ran.reply)
        except Uncertain:
            return None
        return replace(
            ran, reply=reply, digests=tuple(self._reads if read == self._read else read for read in ran.digests)
        )

    def _example(self, example: Example) -> Example | None:
        if example.span is None or example.span.path != self.path:
            return example
        try:
            written = self._facts.span(example.span)
        except Uncertain:  # it stands in a comment, in a docstring, or in a cell
            written = span_kept(example.span, self.path, self._lines)
        return replace(example, span=written) if written is not None else None
