"""Which examples to run for a file, in waves: what the first ones ran through needs nothing of its own."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.examples import Found, finders
from fx_lsp.analysis.examples._trainers import STEPS
from fx_lsp.analysis.further import further
from fx_lsp.analysis.inventions import Inventions, answers, left_out, search_for, searched
from fx_lsp.analysis.modules import classes_of, modules
from fx_lsp.analysis.names import imported_files
from fx_lsp.analysis.origins import documented, way
from fx_lsp.analysis.snapshot import ModuleClass, Problem, Trace
from fx_lsp.analysis.spare import OURS
from fx_lsp.analysis.users import users_elsewhere
from fx_lsp.analysis.ways import untaken
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import IMPORT_FAILED, OUTSIDE, PROGRAM, Example

EXPLICIT = ("directive", "config")
SEARCHED = ("annotation", "call")
MAX_CANDIDATES = 6
"""Examples of one origin tried for one class."""
MAX_SEARCHES = 4
"""Searches for examples of the classes of one file."""
MAX_MODULES = 300
"""Classes of one file that examples are looked for."""
MAX_USERS = 8
"""Models of other files looked at for one class."""
MAX_IMPORTS = 400
"""Files looked at below one configured example."""


def first_wave(
    workspace: Workspace, config: Config, path: str, inventions: Inventions, known: Sequence[Trace]
) -> tuple[Example, ...]:
    """What to run first; but nothing that nobody wrote, for classes that the `known` runs went through."""
    wave = next_wave(workspace, config, path, (), inventions)
    ours = bool(known) and all(example.origin in OURS for example in wave)
    return next_wave(workspace, config, path, known, inventions) if ours else wave


def next_wave(
    workspace: Workspace,
    config: Config,
    path: str,
    traces: Sequence[Trace],
    inventions: Inventions | None = None,
) -> tuple[Example, ...]:
    """What to run after these traces: what the user wrote, and the best candidate of each model that neither is
    written for nor was run; empty when nothing more is worth running.

    `inventions` is what searches found; without it nothing is searched for.
    """
    with workspace.settled():
        return _Wave(workspace, config, path, traces, inventions).examples()


def problems(workspace: Workspace, config: Config, path: str) -> tuple[Problem, ...]:
    """Mistakes in the directives of a file, or in the configured examples when `path` is the `pyproject.toml`.

    Those that `read_config` finds are not repeated.
    """
    with workspace.settled():
        found = [item for origin in EXPLICIT for item in find(workspace, config, path, origin)]
    return tuple(item for item in found if isinstance(item, Problem))


class _Wave:
    def __init__(
        self,
        workspace: Workspace,
        config: Config,
        path: str,
        traces: Sequence[Trace],
        inventions: Inventions | None,
    ) -> None:
        self.workspace, self.config, self.path, self.traces = workspace, config, path, traces
        self.inventions = inventions
        self.tried = {trace.example for trace in traces}
        self.modules = [module for module in modules(workspace, path) if not module.abstract][:MAX_MODULES]

    def examples(self) -> tuple[Example, ...]:
        explicit = self._explicit()
        wanted = [example for example in explicit if example not in self.tried]
        names = {module.name for module in self.modules}
        if any(example.target not in names or example.scope != self.path for example in wanted):
            return tuple(wanted)  # nobody knows yet which classes these run through
        stated = {example.target for example in explicit if example.scope == self.path}
        open_ = [m for m in self.modules if m.name not in stated and not self._ran(m)]
        if not open_:
            return tuple(wanted or self._otherwise(stated) or self._programs(OUTSIDE) or self._ways())
        uses = _uses(self.workspace, self.path)
        waiting = {example.target for example in wanted}
        found = self._best(self._found(SEARCHED), open_, uses, waiting)
        programs = self._programs() if not wanted and not found else []
        if not wanted and not found:
            found = self._best(self._found(("default",)), open_, uses, waiting)
        if not wanted and not found:
            found = self._best(self._elsewhere(open_), open_, uses, waiting)
        if not wanted and not found:
            found = self._invented(open_, uses) or self._import()
        if not wanted and not found:
            found = self._otherwise(stated)
        if not wanted and not found and not programs:
            found = self._ways()
        return tuple(dict.fromkeys([*wanted, *programs, *found]))

    def _ways(self) -> list[Example]:
        """Where nothing came to: methods, and branches that other inputs decide."""
        written = _examples(self.workspace, self.config, self.path, "call")
        if found := further(self.workspace, self.path, self.traces, written):
            return found
        if self.inventions is None:
            return []
        makers = untaken(self.workspace, self.path, self.traces)
        searched_for = {name for trace in self.traces for name in searched(trace.example)}
        found = self.inventions.ways(self.workspace, self.path, makers, searched_for)
        return [example for example in found if example not in self.tried]

    def _otherwise(self, stated: set[str]) -> list[Example]:
        """Calls in this file with other arguments than those that ran: they may take other ways through the model; and
        those of a step of training, which has its losses."""
        found = self._found(("call",))
        left: list[Example] = []
        for name in found.keys() - stated:
            seen = {way(trace.example) for trace in self.traces if trace.example.target == name}
            methods = STEPS | {key[0] for key in seen if key is not None}
            mine = {way(one): one for one in reversed(found[name]) if one.span and one.span.path == self.path}
            left += [one for key, one in mine.items() if key is not None and key[0] in methods and key not in seen]
        return sorted(left, key=lambda one: one.span.line if one.span else 0)

    def _programs(self, call: str = PROGRAM) -> list[Example]:
        """Programs once, if no model has failed so far that they would fail at too."""
        written = [trace for trace in self.traces if trace.example.origin not in OURS]
        fine = {trace.example.target for trace in written if trace.reply.failure is None}
        # Given what another one made, it may not be the first thing that fails there: a loss beside one of torch.
        failed = [one.reply.failure for one in written if one.reply.failure and one.example.target not in fine
                  and not any(f"{name}(" in f"{one.example.setup} {one.example.call}" for name in fine)]  # fmt: skip
        if any(failure.stage == "trace" for failure in failed):
            return []
        ran = {example.scope for example in self.tried if example.origin == "program"}
        found = [one for each in self._found(("program",)).values() for one in each]
        return [replace(one, call=call) for one in found if one.scope not in ran]

    def _invented(self, open_: list[ModuleClass], uses: dict[str, set[str]]) -> list[Example]:
        """What was invented for open classes; else the search for it, once.

        Not for those that failed half-way in an example which is not our own: that is what there is to see.  But where
        it is of documentation, which may be of another version, or failed for no mistake of the code.
        """
        if self.inventions is None:
            return []
        text = self.workspace.text(self.path) or ""
        shown = {use.name for trace in self.traces if self._is_real(trace, text) for use in trace.reply.modules}
        wrong = self._written_wrong()
        open_ = [module for module in open_ if module not in wrong and module.name not in shown]
        known = {m.name: self.inventions.example(self.workspace, self.path, m.name) for m in open_}
        found = {name: [example] for name, example in known.items() if example is not None}
        if best := self._best(found, open_, uses, set()):
            return best
        searches = [trace for trace in self.traces if trace.example.search is not None]
        looked_at = {name for trace in searches for name in self._looked_at(trace, len(searches))}
        # What ran when it was found and does no more, or never did with another text, is looked for once more: other
        # inputs may be what is wanted now.
        inferred = (trace for trace in self.traces if trace.example.origin == "inferred" and not trace.example.search)
        broken = {trace.example.target for trace in inferred if trace.reply.failure is not None}
        changed = {name for name in broken if self.inventions.outdated(self.workspace, self.path, name)}
        broken = changed | {name for name in broken if self.inventions.ran(self.workspace, self.path, name)}
        unknown = [
            module
            for module in open_
            if module.name not in looked_at
            and (module.name in broken or not self.inventions.settled(self.workspace, self.path, module.name))
        ]
        return [search_for(self.workspace, self.config, self.path, unknown, uses)] if unknown else []

    def _import(self) -> list[Example]:
        """The file as a program where a search could not import it: to say where it fails."""
        unfound = self.inventions.unfound(self.workspace, self.path) if self.inventions and self.config.programs else ()
        ran = any(one.scope == self.path and one.search is None for one in self.tried)
        failed = not ran and any(why.startswith(IMPORT_FAILED) for _, why in unfound)
        return [Example(self.path, OUTSIDE, "program")] if failed else []

    def _is_real(self, trace: Trace, text: str) -> bool:
        """Whether it shows what the code does: no example that is made up or documented, and no end but of the code."""
        failure = trace.reply.failure
        proven = failure is None or failure.proven
        return proven and trace.example.origin not in OURS and not documented(trace.example, self.path, text)

    def _looked_at(self, trace: Trace, searches: int) -> Iterable[str]:
        """The classes that need no other search; one that did not look at all of its classes is gone on with."""
        search, reply = trace.example.search, trace.reply
        found = answers(search, reply) - left_out(search, reply)
        goes_on = found and reply.failure is None and searches < MAX_SEARCHES
        return found if goes_on else searched(trace.example)

    def _written_wrong(self) -> list[ModuleClass]:
        """Classes with a directive that has a mistake: what they are to run with is for the user to say."""
        found = find(self.workspace, self.config, self.path, "directive")
        lines = [item.span.line for item in found if isinstance(item, Problem)]
        return [module for line in lines for module in [m for m in self.modules if m.end_line >= line][:1]]

    def _explicit(self) -> list[Example]:
        found = [e for origin in EXPLICIT for e in _examples(self.workspace, self.config, self.path, origin)]
        for scope in self.config.examples:
            if scope != self.path and self.path in imported_files(self.workspace, scope, MAX_IMPORTS):
                found += _examples(self.workspace, self.config, scope, "config")
        return found

    def _ran(self, module: ModuleClass) -> bool:
        """Whether a trace went through the class and came out."""
        return any(
            (use.output is not None or trace.reply.failure is None)
            and use.name == module.name
            and os.path.normpath(use.path) == self.path
            for trace in self.traces
            for use in trace.reply.modules
        )

    def _best(
        self, found: dict[str, list[Example]], open_: list[ModuleClass], uses: dict[str, set[str]], waiting: set[str]
    ) -> list[Example]:
        """The next example of each open class, unless a model that contains the class comes first."""
        left = {
            module.name: [example for example in found.get(module.name, ()) if example not in self.tried]
            for module in open_
        }
        busy = waiting | {name for name, examples in left.items() if examples}
        ready = [name for name in left if left[name] and not any(name in uses.get(user, ()) for user in busy - {name})]
        ready = ready or [name for name in left if left[name]][:1]  # classes that contain each other
        ready.sort(key=lambda name: -len(uses.get(name, ())))
        return [left[name][0] for name in ready]

    def _found(self, origins: Sequence[str]) -> dict[str, list[Example]]:
        found: dict[str, list[Example]] = {}
        for origin in origins:
            if origin in finders():
                count: dict[str, int] = {}
                for example in _examples(self.workspace, self.config, self.path, origin):
                    count[example.target] = count.get(example.target, 0) + 1
                    if count[example.target] <= MAX_CANDIDATES:
                        found.setdefault(example.target, []).append(example)
        return found

    def _elsewhere(self, open_: list[ModuleClass]) -> dict[str, list[Example]]:
        """Examples of models in other files that contain the classes."""
        found: dict[str, list[Example]] = {}
        for name, users in users_elsewhere(self.workspace, self.config, self.path, [m.name for m in open_]).items():
            mine = found.setdefault(name, [])
            for user in [user for user in users if user.path != self.path][:MAX_USERS]:
                for origin in (*EXPLICIT, *SEARCHED, "default") if len(mine) < MAX_CANDIDATES else ():
                    examples = _examples(self.workspace, self.config, user.path, origin)
                    mine.extend(example for example in examples if example.target == user.name)
        return found


def find(workspace: Workspace, config: Config, path: str, origin: str) -> tuple[Found, ...]:
    """What the finder of an origin finds for a file, kept until something it looked at changes."""
    finder = finders()[origin]
    return workspace.memo(("find", origin, path, repr(config)), lambda: finder.find(workspace, config, path))


def _examples(workspace: Workspace, config: Config, path: str, origin: str) -> Iterator[Example]:
    for item in find(workspace, config, path, origin):
        if isinstance(item, Example):
            yield item


def _uses(workspace: Workspace, path: str) -> dict[str, set[str]]:
    """Per class, the classes of the file that its body names, and what those name in turn."""
    source = workspace.source(path)
    nodes = classes_of(source) if source is not None else {}
    short = {name.rpartition(".")[2]: name for name in nodes}
    direct = {name: _named(node, short) - {name} for name, node in nodes.items()}
    closed: dict[str, set[str]] = {}
    for name in direct:
        seen: set[str] = set()
        queue = [name]
        while queue:
            new = direct[queue.pop()] - seen
            seen |= new
            queue.extend(new)
        closed[name] = seen - {name}
    return closed


def _named(node: ast.ClassDef, names: dict[str, str]) -> set[str]:
    found: set[str] = set()
    for statement in node.body:
        for inner in ast.walk(statement):
            word = inner.id if isinstance(inner, ast.Name) else inner.attr if isinstance(inner, ast.Attribute) else ""
            if word in names:
                found.add(names[word])
    return found
