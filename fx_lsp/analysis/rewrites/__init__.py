"""Rewrites: code that computes the same in another way, one file per rule, found by folder.

To add a rule, copy a file: its docstring shows the code before and after, which is its manual and its test, and its
`RULE` finds where it applies.  Nothing is offered as safe before old and new have been run side by side, see
`fx_lsp.worker.comparison`.
"""

from __future__ import annotations

import ast
import sys
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property

from fx_lsp.analysis.actions import Changes, Edit
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.rewrites._file import File, Function
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._match import Match, matches, pattern
from fx_lsp.analysis.rewrites._sized import asked_of_given
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._tidy import tidied
from fx_lsp.analysis.rewrites._write import Unwritable, replaced, without
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.comparison import MODULE
from fx_lsp.model.registry import collect
from fx_lsp.model.span import Span

_MOVES = (
    ("{}", "{}"),
    *((one, one) for one in ("torch.squeeze({})", "torch.squeeze({}, d)", "torch.flatten({})", "torch.flatten({}, d)")),
    ("{}[d]", "{}[d]"),
    *((f"torch.{name}({{}}, m)", "{}.reshape(m)") for name in ("view", "reshape")),
    *((f"torch.{name}({{}}, (m, n))", "{}.reshape(m, n)") for name in ("view", "reshape")),
    ("torch.gather({}, g, i)", "{}.gather(g, i)"),
    ("torch.squeeze(torch.gather({}, g, i), d)", "{}.gather(g, i).squeeze(d)"),
    ("torch.gather({}, g, i)[d]", "{}.gather(g, i)[d]"),
)
"""What moves numbers and changes none, as it is looked for and as it is written: there is a view of what a function
gave, and not of all that it took."""
KEPT = 4
"""Files whose offers are remembered."""


@dataclass(frozen=True)
class Found:
    """A place where a rule applies."""

    node: ast.expr | ast.stmt
    changes: Changes
    says: str = ""
    """What it changes besides the way it computes; then it is not safe."""
    title: str = ""
    """What it does here, where that is not what the rule does everywhere."""
    other: bool = False
    """Whether it is meant to compute something else."""
    single: bool = False
    """Whether only single precision shows that it is the same: the code asks for it."""
    zeros: bool = False
    """Whether gradients of 0 may come where there were none."""


@dataclass(frozen=True)
class Rewrite:
    """A rule."""

    id: str
    """Names what it looks for: `attention-by-hand`."""
    title: str
    """What it does, for a menu."""
    find: Callable[[Flow], Iterable[Found]]
    """In one function."""
    late: bool = False
    """Whether it keeps every operation as it is: of several rewrites those that do not come first."""


@dataclass(frozen=True)
class Offer:
    """What a rule would do at a place; to be verified."""

    rule: str
    span: Span
    edit: Edit
    lines: tuple[int, int]
    """First and last line of the function that it is in, or of the class where that is its `__init__`."""
    owner: str = ""
    """Qualified name of the class that the function is in."""
    function: str = ""
    """Qualified name of the function, where the edit is in nothing else; `MODULE` of what is in none."""
    unsafe: str = ""
    """What changes; empty where nothing may."""
    other: bool = False
    """Whether what is computed may change."""
    single: bool = False
    """Whether old and new are compared in single precision."""
    zeros: bool = False
    """Whether a gradient of 0 is the same as none."""


@cache
def rewrites() -> tuple[Rewrite, ...]:
    """Every rule in this folder, by file name."""
    return tuple(collect(sys.modules[__name__], "RULE").values())


def pairs(
    *rules: tuple[str, str], says: str = "", other: bool = False, further: Container[str] = (), shared: bool = False
) -> Callable[[Flow], Iterator[Found]]:
    """What finds every instance of an expression and puts another in its place; names are variables.

    `further`: keywords of the outermost call that the other one, a call as well, is given as they are.  `shared`: also
    where its inner part has a name that is read elsewhere, since it is not about what is computed once less.
    """

    def find(flow: Flow) -> Iterator[Found]:
        for term, statement in flow.roots:
            for before, after in rules:
                found = _instance(flow, *_without(term, after, further), statement, before, shared)
                if found is not None and term.node is not None:
                    yield Found(term.node, found, says, other=other)
                    break

    return find


def moved(before: str, inner: str, after: str, x: str) -> Iterator[tuple[str, str]]:
    """A rule for `pairs`, and the same with something between `inner` and what takes it that moves numbers and changes
    none; both texts have a place `{}` for it."""
    return ((before.format(one.format(inner)), after.format(other.format(x))) for one, other in _MOVES)


def given_instead(wanted: Callable[[Flow, Term], str | None]) -> Callable[[Flow], Iterator[Found]]:
    """What finds calls that give what they are given, and puts that in their place.

    `wanted` says of an operation what that changes; empty for nothing, None where it is no such call.
    """

    def find(flow: Flow) -> Iterator[Found]:
        for term, statement in flow.roots:
            says = wanted(flow, term) if term.node is not None and term.args else None
            if says is None or term.node is None:
                continue
            try:
                yield Found(term.node, replaced(flow, term, statement, "x", {"x": term.args[0]}), says)
            except Unwritable:
                continue

    return find


def _without(term: Term, after: str, further: Container[str]) -> tuple[Term, str, dict[str, Term]]:
    """The call without these keywords, the other one with them, and what they are."""
    taken = {name: one for name, one in term.named if name in further}
    if not taken:
        return term, after, {}
    kept = tuple(one for one in term.named if one[0] not in taken)
    given = "".join(f", {name}=_fx_{name}" for name in taken)
    return replace(term, named=kept), f"{after[:-1]}{given})", {f"_fx_{name}": one for name, one in taken.items()}


def _instance(
    flow: Flow, term: Term, after: str, given: dict[str, Term], statement: ast.stmt, before: str, shared: bool
) -> Changes | None:
    for match in matches(pattern(before), term, flow, Match(shared=shared), top=True):
        match = asked_of_given(flow, match)
        try:
            edit = replaced(flow, term, statement, after, {**match.bound, **given}, match.through)
            return (*edit, *without(flow, match.through, statement))
        except Unwritable:
            continue
    return None


def offers(snapshot: Snapshot, own: tuple[Rewrite, ...] = (), lines: range | None = None) -> tuple[Offer, ...]:
    """Of all rules, and of those of the workspace's `own`, by place; only those of functions that have one of `lines`.

    Facts about an older text offer nothing.
    """
    if not snapshot.traces or snapshot.stale:
        return ()
    known = _LAST.pop(snapshot.path, None)
    if known is None or known.snapshot is not snapshot or known.own is not own:
        known = _Known(snapshot, own)
    _LAST[snapshot.path] = known
    for path in [*_LAST][:-KEPT]:
        del _LAST[path]
    return known.offers(lines)


class _Known:
    """The offers in a file, function by function as they are asked for: large files have hundreds."""

    def __init__(self, snapshot: Snapshot, own: tuple[Rewrite, ...]) -> None:
        self.snapshot, self.own, self.places = snapshot, own, columns(snapshot.text)
        self.file = File.of(snapshot)
        self.ran = sorted({span.line for span in (*self.file.operations, *self.file.tensors)})
        self.functions: list[tuple[Function, ast.ClassDef | None]] = [*self.file.functions()]
        outside = self.file.outside()
        self.functions += [(outside, None)] if outside is not None else []
        self.found: dict[int, tuple[Offer, ...]] = {}

    def offers(self, lines: range | None) -> tuple[Offer, ...]:
        """By place."""
        found: list[Offer] = []
        for number, (function, owner) in enumerate(self.functions):
            first, last = function.lineno, function.end_lineno or function.lineno
            if lines is not None and (last < lines.start or first >= lines.stop):
                continue
            if number not in self.found:
                did_run = any(self._did_run(*lines) for lines in self._places(function, owner))
                self.found[number] = self._in(function, owner) if did_run else ()
            found += self.found[number]
        return tuple(sorted(found, key=lambda offer: offer.span))

    def _in(self, function: Function, owner: ast.ClassDef | None) -> tuple[Offer, ...]:
        flow = Flow(self.file, function, owner)
        lines = self._lines(function, owner)
        name = self.file.names.get(id(owner), "")
        inside = lines == (function.lineno, function.end_lineno or function.lineno)
        called = f"{name}.{function.name}".lstrip(".") if inside else ""
        return tuple(
            Offer(
                rule.id,
                self.file.source.span(one.node),
                Edit(one.title or rule.title, self.snapshot.path, tidied(self.places.lines, one.changes)),
                lines,
                owner=name,
                function=called,
                unsafe=one.says,
                other=one.other,
                single=one.single,
                zeros=one.zeros,
            )
            for rule in (*rewrites(), *self.own)
            for one in rule.find(flow)
            if self._changes(one.changes)  # a rule may fit what it writes
        )

    def _places(self, function: Function, owner: ast.ClassDef | None) -> Iterator[tuple[int, int]]:
        """First and last line of what has to have run in parts."""
        if function.name != MODULE:
            yield self._lines(function, owner)
        for one in function.body if function.name == MODULE else ():
            if not isinstance(one, Function | ast.ClassDef):
                yield one.lineno, one.end_lineno or one.lineno

    def _lines(self, function: Function, owner: ast.ClassDef | None) -> tuple[int, int]:
        """Lines that an example runs through that runs the function; what makes layers shows in what calls them."""
        whole: Function | ast.ClassDef = function
        if owner is not None and function.name == "__init__":
            whole = owner
        elif not self._did_run(function.lineno, function.end_lineno or function.lineno):
            whole = self.makers.get((id(owner), function.name), function)
        return whole.lineno, whole.end_lineno or whole.lineno

    @cached_property
    def makers(self) -> dict[tuple[int, str], ast.ClassDef]:
        """Classes whose constructors call a function or an own method, by the `id` of its class and its name."""
        found: dict[tuple[int, str], ast.ClassDef] = {}
        for init, cls in self.functions:
            for node in ast.walk(init) if cls is not None and init.name == "__init__" else ():
                called = dotted(node.func) or "" if isinstance(node, ast.Call) else ""
                if cls is not None and called:
                    owner = cls if called.startswith("self.") else None
                    found.setdefault((id(owner), called.removeprefix("self.")), cls)
        return found

    def _did_run(self, first: int, last: int) -> bool:
        at = bisect_left(self.ran, first)
        return at < len(self.ran) and self.ran[at] <= last

    def _changes(self, changes: Changes) -> bool:
        """Whether another text is written."""
        text = self.snapshot.text
        return any(text[slice(*self.places.offsets(span))] != new for span, new in changes)


_LAST: dict[str, _Known] = {}
"""Of the files asked about last, by path; a snapshot is too large to be hashed."""
