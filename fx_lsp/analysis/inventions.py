"""What searches found: the examples invented for classes that nothing calls, remembered while they make sense."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.coverage import STAGES
from fx_lsp.analysis.examples._constructors import constructors, definition_of
from fx_lsp.analysis.modules import ancestry
from fx_lsp.analysis.names import Definition, imported_files
from fx_lsp.analysis.snapshot import ModuleClass
from fx_lsp.analysis.source import parse_expression
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import RUN_BY_ANOTHER, WAY, Example, Maker, Search
from fx_lsp.model.messages import Invented, TraceReply

MAX_MAKERS = 2
"""Ways to build one class that the search is told."""
MAX_NAMES = 40
"""Classes of one search."""
MAX_FILES = 16
"""Imported files in which a class may fail; about the nearest."""


_NUMBER = re.compile(r"(?<![\w.])\d+")
_LACKS = re.compile(r"has no attribute '(\w+)'")
NO_TIME = "there was no time left to look for an example"
REGARDLESS = "it fails there whatever it is given"
NO_LONGER = "the example that was found runs no longer, and no other one was found"


@dataclass(frozen=True)
class Invention:
    """What was found for one class."""

    signature: str
    """Text that it was found for: while that stays, so does the example, whatever else is typed."""
    found: Invented
    text: str = ""
    """Of one that failed half-way, a digest of all that it was found for: another text may want other inputs."""


class Inventions:
    """Examples by file and class."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Invention] = {}
        self._failed: dict[str, tuple[tuple[str, str], ...]] = {}
        self._vain: set[tuple[str, str]] = set()

    def take(self, workspace: Workspace, path: str, search: Search | None, reply: TraceReply) -> None:
        """The answer to a search."""
        answered, failure = answers(search, reply), reply.failure
        if search is not None and search.fills:
            vain = (Invented(name, why=NO_TIME) for name in search.names if name not in answered)
            self.learn(workspace, path, [*reply.invented, *vain], search.makers)
            return
        why = f"{STAGES.get(failure.stage, failure.stage)}: {failure.message}" if failure is not None else NO_TIME
        self.failed(path, (name for name in (search.names if search is not None else ()) if name not in answered), why)
        self.learn(workspace, path, reply.invented)

    def learn(self, workspace: Workspace, path: str, found: Iterable[Invented], makers: Iterable[Maker] = ()) -> None:
        """Remember what a search found for classes of the file; for ways through them, from which calls on."""
        made = {one.name: _call_on(one) for one in makers}
        for one in found:
            former = self._kept[path, one.name].found if self.ran(workspace, path, one.name) else None
            if one.call and former is not None and (one.why or _is_other(one, former)):
                # What ran once, and is built and called as ever, is what is to run again, and not at sizes that agree
                # by chance: other inputs may be wanted now, other numbers to build it with are not.
                self._vain.add((path, one.name))
                continue
            self._vain.discard((path, one.name))
            signature = _signature(workspace, path, one.name, made.get(one.name, ""), found=bool(one.call))
            text = _text(workspace, path, one.name) if one.call and one.why else ""
            self._kept[path, one.name] = Invention(signature, one, text)

    def kept(self, path: str) -> tuple[Invention, ...]:
        """All that is known of the file, whether it is of its text as it is now or not."""
        return tuple(one for (file, _), one in self._kept.items() if file == path)

    def restore(self, path: str, found: Iterable[Invention]) -> None:
        """What was known of the file in an earlier session; what is known now is newer."""
        for one in found:
            self._kept.setdefault((path, one.found.name), one)

    def failed(self, path: str, names: Iterable[str], why: str) -> None:
        """A search came to nothing: what it did not get to will be looked for again."""
        self._failed[path] = tuple((name, why) for name in names) if why else ()

    def of(self, workspace: Workspace, path: str, name: str, made: str = "") -> Invented | None:
        """What was found for the class as it is now; None when that has to be looked for."""
        known = self._kept.get((path, name))
        if known is None or known.signature != _signature(workspace, path, name, made, found=bool(known.found.call)):
            return None
        return known.found

    def ran(self, workspace: Workspace, path: str, name: str) -> bool:
        """Whether what was found for the class came to its end when it was found."""
        known = self.of(workspace, path, name)
        return known is not None and bool(known.call) and not known.why

    def outdated(self, workspace: Workspace, path: str, name: str) -> bool:
        """Whether what was found for the class failed half-way with another text of it, or of what it names."""
        known = self._kept.get((path, name))
        return known is not None and bool(known.text) and known.text != _text(workspace, path, name)

    def settled(self, workspace: Workspace, path: str, name: str) -> bool:
        """Whether a search looked at the class as it is now."""
        known = self.of(workspace, path, name)
        return known is not None and known.why != RUN_BY_ANOTHER

    def example(self, workspace: Workspace, path: str, name: str) -> Example | None:
        """The invented example of a class."""
        return _example(path, self.of(workspace, path, name))

    def ways(self, workspace: Workspace, path: str, makers: Iterable[Maker], searched: Container[str]) -> list[Example]:
        """What was found for methods, from those calls on; where nothing is known, the search for it."""
        known = {one: self.of(workspace, path, one.name, _call_on(one)) for one in makers}
        unknown = tuple(one for one, found in known.items() if found is None and one.name not in searched)
        examples = [example for found in known.values() if (example := _example(path, found)) is not None]
        if unknown:
            names = tuple(one.name for one in unknown)
            examples.append(Example(path, "", "inferred", search=Search(names, unknown)))
        return examples

    def unfound(self, workspace: Workspace, path: str) -> tuple[tuple[str, str], ...]:
        """Classes of the file that no example was found for, and why."""
        kept = (
            (name, i.found.why)
            for (file, name), i in self._kept.items()
            if file == path and not i.found.call and WAY not in name
        )
        broken = ((name, NO_LONGER) for file, name in sorted(self._vain) if file == path)
        own = (
            (name, REGARDLESS)
            for (file, name), i in self._kept.items()
            if file == path and i.found.regardless and WAY not in name and not self.outdated(workspace, path, name)
            if not _may_be_set(workspace, path, i.found.why)
        )
        return (*broken, *own, *self._failed.get(path, ()), *kept)

    def forget(self) -> None:
        """Everything: it was found with other packages."""
        self._kept.clear()
        self._failed.clear()
        self._vain.clear()


def _may_be_set(workspace: Workspace, path: str, why: str) -> bool:
    """Whether it failed for an attribute that another file of the workspace speaks of."""
    lacks = _LACKS.search(why)
    files = workspace.mentioning(frozenset(lacks.groups())) if lacks is not None else ()
    return any(file != path for file in files)


def _example(path: str, found: Invented | None) -> Example | None:
    return Example(path, found.call, "inferred", found.setup, found.name) if found is not None and found.call else None


def _call_on(maker: Maker) -> str:
    return f"{maker.setup}\n{maker.call}"


def _is_other(found: Invented, former: Invented) -> bool:
    """Whether it is built otherwise, or called alike with sizes that agree where they did not."""
    (made, called), (before, ran) = _parts(found), _parts(former)
    if made != before or _NUMBER.sub("", called) != _NUMBER.sub("", ran):
        return made != before
    return not _agreeing(f"{made} {called}") <= _agreeing(f"{before} {ran}")


def _parts(found: Invented) -> tuple[str, str]:
    """The constructor in an example, and what it is called with."""
    node = parse_expression(found.call)
    made = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return made, ast.unparse(node)[len(made) :] if node is not None else ""


def _agreeing(text: str) -> set[tuple[int, int]]:
    """Places of numbers that are the same, two each."""
    numbers = _NUMBER.findall(text)
    return {pair for pair in combinations(range(len(numbers)), 2) if numbers[pair[0]] == numbers[pair[1]]}


def search_for(
    workspace: Workspace, config: Config, path: str, open_: Sequence[ModuleClass], uses: dict[str, set[str]]
) -> Example:
    """The search for examples of these classes: those that contain most others come first."""
    names = sorted((module.name for module in open_), key=lambda name: -len(uses.get(name, ())))[:MAX_NAMES]
    makers: list[Maker] = []
    for name in names:
        definition = definition_of(workspace, path, name)
        for number, made in enumerate(constructors(workspace, config, definition) if definition is not None else ()):
            if number >= MAX_MAKERS:
                break
            setup = config.before(path, made.setup)
            makers.append(Maker(name, setup, made.call))
    return Example(path, "", "inferred", search=Search(tuple(names), tuple(makers)))


def answers(search: Search | None, reply: TraceReply) -> frozenset[str]:
    """The classes that a search said something about."""
    return frozenset(one.name for one in _said(search, reply))


def left_out(search: Search | None, reply: TraceReply) -> frozenset[str]:
    """Those that it did not look at, since what it found for another one runs them."""
    return frozenset(one.name for one in _said(search, reply) if one.why == RUN_BY_ANOTHER)


def _said(search: Search | None, reply: TraceReply) -> Iterable[Invented]:
    names = search.names if search is not None else ()
    return (one for one in reply.invented if one.name in names)


def searched(example: Example) -> Iterable[str]:
    """The classes that a search looks at."""
    return example.search.names if example.search is not None else ()


def _signature(workspace: Workspace, path: str, name: str, made: str = "", *, found: bool) -> str:
    """How the class is built and called, of a way through it also what it goes on from; while nothing was found for it,
    a digest of its text and of what that needs."""
    name, _, method = name.partition(WAY)
    definition = definition_of(workspace, path, name)
    if definition is None:
        return ""
    if not found:
        return made + _text(workspace, path, name)
    above = ancestry(workspace, definition)
    methods = [above.method(one) for one in ("__init__", "forward", *((method,) if method else ()))]
    taken = [ast.unparse(m.node.args) for m in methods if m is not None and isinstance(m.node, ast.FunctionDef)]
    return "\n".join([*taken, made] if made else taken)


def _text(workspace: Workspace, path: str, name: str) -> str:
    """Digest of the class, of what it names, and of the files next to it that are imported."""
    definition = definition_of(workspace, path, name.partition(WAY)[0])
    if definition is None:
        return ""
    files = sorted(imported_files(workspace, definition.path, MAX_FILES) - {definition.path})
    beside = (source.digest for file in files if (source := workspace.source(file)) is not None)
    return sha256("\0".join([_with_what_it_names(workspace, definition), *beside]).encode()).hexdigest()


def _with_what_it_names(workspace: Workspace, definition: Definition) -> str:
    """The lines of the statement, and of everything of its file that it needs."""
    source = workspace.source(definition.path)
    bindings = source.bindings if source is not None else {}
    needed: dict[int, ast.stmt] = {}
    waiting = [definition.node]
    while waiting:
        one = waiting.pop()
        if one.lineno not in needed:
            needed[one.lineno] = one
            named = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
            waiting.extend(statement for name in named for statement in bindings.get(name, ()))
    lines = source.lines if source is not None else []
    found = (lines[one.lineno - 1 : one.end_lineno] for _, one in sorted(needed.items()))
    return "\n".join(line for part in found for line in part)
