"""One workspace root: its files, its configuration and the worker that runs its examples."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from fx_lsp.analysis.config import Config, read_config
from fx_lsp.analysis.inventions import Invention, Inventions
from fx_lsp.analysis.names import imported_files
from fx_lsp.analysis.other_files import with_users
from fx_lsp.analysis.plan import MAX_IMPORTS, first_wave, next_wave, problems
from fx_lsp.analysis.snapshot import ModuleClass, Problem, Trace
from fx_lsp.analysis.spare import borne_out
from fx_lsp.analysis.toml_text import is_toml
from fx_lsp.analysis.workspace import Workspace, is_skipped
from fx_lsp.model.comparison import Overlay
from fx_lsp.model.example import PROGRAMS, Example, ExampleError, fill
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import GraphRequest, TraceReply, TraceRequest
from fx_lsp.model.sandbox import Policy
from fx_lsp.server.answers import Answers, vetted_inventions
from fx_lsp.server.circumstances import Circumstances
from fx_lsp.server.files import listed_files
from fx_lsp.server.host import Host
from fx_lsp.server.interpreter import Interpreter, find_interpreter
from fx_lsp.server.policy import policy_for, remark_on
from fx_lsp.server.ran import Key, Outcome, Ran
from fx_lsp.server.runs import Runs
from fx_lsp.server.supervisor import WorkerState
from fx_lsp.server.trust import UNTRUSTED, Standing
from fx_lsp.server.turns import Urgency
from fx_lsp.server.world import World

T = TypeVar("T")


class Unavailable(Exception):
    """There is no worker to run anything; the message says why and what to do."""


@dataclass(frozen=True)
class Plan:
    """What the text of a file says, without running anything."""

    modules: tuple[ModuleClass, ...]
    problems: tuple[Problem, ...]
    wave: tuple[Example, ...]
    """Examples to run first."""


class Folder:
    """Everything kept for one root.  Analysis runs in `analyst`, one call at a time; the rest in the event loop."""

    def __init__(self, root: str, world: World, changed: Callable[[Folder], None]) -> None:
        self.root = root
        self.config_path = os.path.join(root, "pyproject.toml")
        self.config = Config()
        self.problems: tuple[Problem, ...] = ()
        """Mistakes in the configuration."""
        self.unavailable = ""
        """Why nothing can be run, once that is known."""
        self.remark = ""
        """What the user should know about what runs may read, once there are any."""
        self._read: tuple[Problem, ...] = ()
        self._texts, self._analyst = world.texts, world.analyst
        self._environment, self._user = world.environment, world.user
        self.log = world.log
        self.standing = Standing.UNTRUSTED
        """What it may do."""
        self.interpreter = Interpreter("", "")
        """What the models run in."""
        self._host = Host(root, world.launch, self._policy, world.log, lambda: changed(self))
        self._files: tuple[str, ...] | None = None
        self.workspace = Workspace(root, world.texts.understood, self.files)
        self.inventions = Inventions()
        """Examples that searches found."""
        self.answers = Answers(world.cache, world.texts, self._circumstances, world.log)
        """What earlier sessions found."""
        self.runs = Runs(self._supervise, world.texts, lambda: changed(self), self._imported, self.answers)

    @property
    def state(self) -> WorkerState | None:
        """State of the worker; None before anything was run."""
        return self._host.state

    def files(self) -> tuple[str, ...]:
        """Python files and documents of the root."""
        if self._files is None:
            self._files = tuple(listed_files(self.root))
        return self._files

    def excludes(self, path: str) -> bool:
        """Whether a search of the root passes over the file."""
        return is_skipped(self.workspace.relative(path), self.config.exclude)

    def files_changed(self) -> None:
        """Files came or went: list them anew, and try again what failed for want of one."""
        self._files = None
        self.runs.forget_failed()

    def configure(self, interpreter: str, standing: Standing, *, settled: bool = True) -> None:
        """Read `pyproject.toml` again; `interpreter` is the editor's setting and may be empty.

        While it is being typed (not `settled`), all that decides how the worker runs stays as it was, and so does the
        rest when the text is no TOML.
        """
        trusted = standing is Standing.TRUSTED
        text = self._texts.read(self.config_path)
        config, found = read_config(self.config_path, text, trusted=trusted) if text is not None else (Config(), ())
        self.problems = self._read = tuple(found)
        if not settled and not is_toml(text or ""):
            return
        if (config.timeout, config.memory) != (self.config.timeout, self.config.memory):
            self.runs.clear()
        self.config = config
        wished = interpreter or config.interpreter or self._user.config.interpreter or None
        chosen = find_interpreter(self.root, wished, self._environment, trusted=trusted)
        if settled and (chosen.path, standing) != (self.interpreter.path, self.standing):
            self.interpreter, self.standing = chosen, standing
            if standing.runs:
                self.log(f"{self.root}: models run in {chosen.path} ({chosen.why})")
            self.restart()
        elif settled:
            self.renew()

    def renew(self) -> None:
        """End the worker when it may do less, or more, than one that was started now."""
        if self._host.outgrown((self.config.timeout, self.config.memory, self.config.read, self._user.config)):
            self.log(f"{self.root}: what runs may do, or what lies in the folder, has changed")
            self.restart()

    def warm(self) -> None:
        """Start the worker before the first run asks for it."""
        if self.standing.runs and not self.unavailable:
            self._host.warm(self.interpreter.path)

    def restart(self) -> None:
        """End the worker and forget what it said; the next run starts a new one."""
        self.unavailable = ""
        self.inventions.forget()
        self.answers.renew()
        self.runs.clear()
        self._host.end()

    def try_again(self) -> None:
        """If there was no worker, there may be one now: torch may have been installed."""
        if self.unavailable:
            self.restart()

    async def close(self) -> None:
        """End the worker; nothing of it is left when this returns."""
        self.answers.flush()
        self.restart()
        await self._host.ended()

    async def plan(self, path: str, known: Sequence[Trace] = ()) -> Plan:
        """What is in the file and what to run for it, where these traces are `known`."""
        found = await self.answers.inventions(path)
        return await self._analyse(lambda: self._plan(path, found, known))

    async def next(self, path: str, traces: Sequence[Trace]) -> tuple[Example, ...]:
        """What to run after `traces`; empty when nothing more is worth running."""
        return await self._analyse(lambda: next_wave(self.workspace, self.config, path, traces, self.inventions))

    async def parses(self, path: str) -> bool:
        """Whether the file's text is Python, as far as syntax goes."""
        return await self._analyse(lambda: self._texts.parses(path))

    async def mentions(self, path: str, word: str) -> bool:
        """Whether the file's text has the word in it."""
        return await self._analyse(lambda: word in (self._texts.read(path) or ""))

    async def look_at_config(self) -> None:
        """Find what is wrong in the configuration only when one looks at the files that it names."""
        found = await self._analyse(lambda: problems(self.workspace, self.config, self.config_path))
        self.problems = tuple(dict.fromkeys((*self._read, *found)))

    async def traces(self, examples: Iterable[Example], urgency: Urgency = Urgency.LOOKED_AT) -> AsyncIterator[Outcome]:
        """Run the examples, or take the answers that are known; each as soon as it is there.

        One that is not written right is left out: it is a problem found elsewhere.

        Raises:
            Cancelled: a newer edit cancelled a run.
            Unavailable: there is no worker.
        """
        runnable = [(example, key) for example in examples if (key := self.key(example))]
        tasks = [asyncio.ensure_future(self._trace(example, key, urgency)) for example, key in runnable]
        try:
            for done in asyncio.as_completed(tasks):
                yield await done
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def graph(self, trace: Trace, wanted: GraphRequest) -> TraceReply:
        """Run an example again, for a graph; with the engine that its facts come from.

        Raises:
            Cancelled: a newer edit cancelled the run.
        """
        key = replace(Key.of(trace), graph=wanted)
        return (await self.runs.answer(key, lambda: self.request(key, trace.reply.engine))).reply

    def unrun(self, examples: Iterable[Example], why: str) -> list[Outcome]:
        """What is known of examples that are not run because nothing is: just that."""
        reply = TraceReply(0, failure=Failure("start", why, proven=False))
        return [
            (self._named(example, key, reply), Ran(reply, frozenset({key.scope}), ()))
            for example in examples
            if (key := self.key(example))
        ]

    def key(self, example: Example, wished: Mapping[str, int] | None = None) -> Key | None:
        """The run that the example asks for; None when it does not parse, which is a problem found elsewhere."""
        if example.search is not None:
            return Key(example.scope, "", "", search=example.search)
        try:
            call, _ = fill(example.call, self._sizes(example), wished)
        except ExampleError:
            return None
        return Key(example.scope, example.setup, call)

    async def _trace(self, example: Example, key: Key, urgency: Urgency) -> Outcome:
        ran = self.runs.kept(key)
        if ran is None:
            if self.unavailable:
                raise Unavailable(self.unavailable)
            if urgency is Urgency.LOOKED_AT and (key.call in PROGRAMS or example.fills):
                urgency = Urgency.AHEAD  # it may take long: an edit goes first
            ran = await self.runs.run(key, lambda: self.request(key), urgency)
        if ran.reply.failure is not None and ran.reply.failure.stage == "start":
            self.unavailable = ran.reply.failure.message
            raise Unavailable(self.unavailable)
        if key.search is not None:
            await self._analyse(lambda: self.inventions.take(self.workspace, key.scope, key.search, ran.reply))
            self.answers.keep_inventions(key.scope, self.inventions.kept(key.scope), self.config.timeout, ran.reply)
        return self._named(example, key, ran.reply), ran

    def _named(self, example: Example, key: Key, reply: TraceReply) -> Trace:
        dims = fill(example.call, self._sizes(example))[1] if example.search is None else {}
        return Trace(example, key.call, tuple(dims.items()), borne_out(example, reply))

    def _sizes(self, example: Example) -> dict[str, int]:
        return {**dict(self.config.dims), **dict(example.dims)}

    def _plan(self, path: str, invented: tuple[Invention, ...], known: Sequence[Trace]) -> Plan:
        self.inventions.restore(path, vetted_inventions(self.workspace, self.config, path, invented))
        return Plan(
            with_users(self.workspace, self.config, path),
            tuple(problems(self.workspace, self.config, path)),
            first_wave(self.workspace, self.config, path, self.inventions, known),
        )

    def request(self, key: Key, engine: str = "auto") -> TraceRequest:
        """What the worker is asked for, with the texts as they are now."""
        engine = engine if key.search is None else "fake"
        overlays = {one.path: one for one in self._texts.overlays(key.scope if key.call in PROGRAMS else "")}
        for path in self._host.unreadable:
            if path not in overlays and (text := self._texts.read(path)) is not None:
                overlays[path] = Overlay(path, text)
        return TraceRequest(
            id=0,  # the supervisor sets its own
            root=self.root,
            scope=key.scope,
            call=key.call,
            setup=key.setup,
            overlays=tuple(overlays.values()),
            engine=engine,
            seconds=self.config.timeout,
            memory=self.config.memory,
            graph=key.graph,
            search=key.search,
        )

    async def _supervise(self, request: TraceRequest) -> TraceReply:
        if not self.standing.runs:
            return TraceReply(0, failure=Failure("start", UNTRUSTED, proven=False))
        guarded = self.standing is Standing.GUARDED
        return await self._host.trace(self.interpreter.path, request, guarded=guarded)

    def _policy(self) -> Policy:
        self.remark = remark_on(self.root, self._environment)
        return policy_for(self.root, self.interpreter.path, self.config, self._user.config, self._environment)

    def _circumstances(self) -> Circumstances:
        user, read = self._user.config, self.config.read
        return Circumstances(self.root, self.interpreter.path, self._environment, self.standing.value, read, user)

    async def _imported(self, path: str) -> set[str]:
        return await self._analyse(lambda: imported_files(self.workspace, path, MAX_IMPORTS))

    async def _analyse(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._analyst, call)
