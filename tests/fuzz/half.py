"""What must hold while a text does not parse: what is shown was true of these very lines, and is said to be old."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.trace import Binding, Operation


@dataclass(frozen=True)
class Fact:
    """What a run found at some lines."""

    scope: str
    call: str
    found: Binding | Operation
    """As if it stood on the first line of all."""
    lines: tuple[str, ...]


Facts = list[tuple[int, Fact]]
"""With the number of the first line of each."""


def is_half(text: str) -> bool:
    """Whether it is in the middle of something."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return True
    return False


def facts(snapshot: Snapshot, *, older: bool) -> Iterator[tuple[int, Fact]]:
    """What is said of the file by runs of older texts, or by those of this one."""
    lines = snapshot.text.split("\n")
    for trace in snapshot.traces:
        for found in (*trace.reply.bindings, *trace.reply.operations) if trace.older == older else ():
            if found.span.path == snapshot.path:
                first, last = found.span.line, found.span.end_line
                alone = replace(found, span=replace(found.span, line=1, end_line=last - first + 1))
                yield first, Fact(trace.example.scope, trace.call, alone, tuple(lines[first - 1 : last]))


class Known:
    """All that was ever true, by file."""

    def __init__(self) -> None:
        self._facts: dict[str, set[Fact]] = {}

    def shown(self, snapshot: Snapshot) -> None:
        """What it does not call old is true."""
        known = self._facts.setdefault(snapshot.path, set())
        known.update(fact for _, fact in facts(snapshot, older=False))

    def check(self, snapshot: Snapshot) -> None:
        """Nothing is pending for it; its text, or another, may be half."""
        assert not snapshot.pending
        assert self._facts.get(snapshot.path, set()).issuperset(fact for _, fact in facts(snapshot, older=True))
        if is_half(snapshot.text):
            assert not list(facts(snapshot, older=False))


@dataclass(frozen=True)
class Break:
    """A line of a file that was broken, or that a broken one came before."""

    path: str
    line: int
    comes: bool

    def text(self, text: str) -> str:
        """The file after it."""
        lines = text.split("\n")
        if self.comes:
            lines.insert(self.line - 1, "def (:")
        else:
            lines[self.line - 1] += " )"
        return "\n".join(lines)

    def check(self, before: Mapping[str, Snapshot], after: Mapping[str, Snapshot]) -> None:
        """What is known is what was, but for what stood there; what comes from runs that read the file is old."""
        for name, was in before.items():
            now = after[name]
            expected = [*facts(was, older=False)]
            if was.path == self.path:
                expected = list(self._moved(expected))
            found = [*facts(now, older=False), *facts(now, older=True)]
            assert _sorted(expected) == _sorted(found), (name, self, expected, found)
            for trace in now.traces:
                assert trace.older == (self.path in trace.reply.files or not trace.reply.files)

    def _moved(self, found: Facts) -> Iterator[tuple[int, Fact]]:
        for first, fact in found:
            last = first + len(fact.lines) - 1
            if last < self.line:
                yield first, fact
            elif first > self.line or (self.comes and first == self.line):
                yield first + self.comes, fact


def _sorted(found: Facts) -> Facts:
    return sorted(found, key=repr)
