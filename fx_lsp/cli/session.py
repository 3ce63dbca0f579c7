"""One check or one graph from the command line: an engine that runs every example of some files, and leaves no process
behind."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from fx_lsp.analysis.coverage import coverage
from fx_lsp.analysis.report import place, relative
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import CommandError
from fx_lsp.cli.consent import add_trust, consent
from fx_lsp.cli.terminal import Bar
from fx_lsp.model.graph import Graph
from fx_lsp.server.answers import own_cache
from fx_lsp.server.check import first
from fx_lsp.server.engine import Engine
from fx_lsp.server.graphs import Found, Wanted
from fx_lsp.server.settings import Settings
from fx_lsp.server.trust import Trust


@dataclass(frozen=True)
class Checked:
    """What is known about every file when all has run."""

    files: tuple[tuple[Snapshot, str], ...]
    """Each with the root that its path is relative to."""
    torch: str
    """Version in the worker, now or in the session that the answers come from; empty when nothing had to be run."""
    seconds: float

    @property
    def paths(self) -> frozenset[str]:
        """Of all the files: what is wrong in one of them is not repeated in those that call it."""
        return frozenset(snapshot.path for snapshot, _ in self.files)


def add_interpreter(parser: argparse.ArgumentParser) -> None:
    """The options of the session itself."""
    parser.add_argument("--interpreter", metavar="PATH", default="", help="the Python that runs the models")
    add_trust(parser)
    parser.add_argument("--no-cache", action="store_true", help="run everything anew, and keep nothing")
    parser.add_argument("--verbose", action="store_true", help="say on stderr which Python runs the models")
    parser.set_defaults(names=False)


def add_names(parser: argparse.ArgumentParser) -> None:
    """The option that has examples run at other sizes too."""
    parser.add_argument("--names", action="store_true", help="name dims that vary, as the editor does")


def check(paths: Sequence[str], options: argparse.Namespace, *, quiet: bool = False) -> Checked:
    """Run everything that `paths`, files or folders, ask for.

    Raises:
        CommandError: a path does not exist, or nothing can be run at all.
    """
    real = existing(paths)
    return asyncio.run(_check(real, options, quiet, consent(real, options.trust)))


def existing(paths: Sequence[str]) -> list[str]:
    """Where the paths lead.

    Raises:
        CommandError: one does not exist.
    """
    for path in paths:
        if not os.path.exists(path):
            raise CommandError(f"{path}: there is no such file or folder")
    return [os.path.realpath(path) for path in paths]


def existing_file(path: str) -> str:
    """Where the path leads.

    Raises:
        CommandError: not to a file.
    """
    if not os.path.isfile(path):
        raise CommandError(f"{path}: there is no such file")
    return os.path.realpath(path)


def engine_for(bar: Bar, options: argparse.Namespace, trust: Trust) -> Engine:
    """An engine as the options of `add_interpreter` ask for it.  To be called inside a running event loop."""
    log = _to_stderr if options.verbose else _nowhere
    settings, cache = Settings(interpreter=options.interpreter), None if options.no_cache else own_cache(log)
    return Engine(bar, settings=settings, log=log, trust=trust, cache=cache)


async def _check(paths: Sequence[str], options: argparse.Namespace, quiet: bool, trust: Trust) -> Checked:
    started = time.monotonic()
    with Bar(not quiet and not options.verbose) as bar:
        engine = engine_for(bar, options, trust)
        try:
            checked = engine.check(paths, bar.advance, named=options.names)
            files = [(snapshot, engine.root(snapshot.path)) async for snapshot in checked]
        finally:
            await engine.stop()
    _say_what_is_ignored(engine)
    if bar.messages:
        raise CommandError("\n".join(bar.messages))
    return Checked(tuple(files), engine.torch or _installed(engine), time.monotonic() - started)


@dataclass(frozen=True)
class Traced:
    """The graph of one class, whole or up to a failure."""

    found: Found
    graph: Graph
    root: str
    text_of: Callable[[str], str]
    """The text of a file by its path."""


def graph_of(path: str, name: str | None, options: argparse.Namespace) -> Traced:
    """The graph of the class `name` in the file, at `options.level`, from the call `options.example`.

    Raises:
        CommandError: there is no such file or class, or nothing to show.
    """
    found, engine = _asked(path, name, options, None)
    if found.state != "graph" or found.graph is None:
        raise CommandError(f"{path}: {found.message}")
    return Traced(found, found.graph, engine.root(os.path.realpath(path)), engine.text)


def rewritten_of(path: str, name: str | None, options: argparse.Namespace) -> Found:
    """The graph of the class `name` in the file, rewritten by the rule `options.rewrite`.

    Raises:
        CommandError: there is no such file or class, or it is not rewritten.
    """
    found, engine = _asked(path, name, options, options.rewrite)
    if found.state == "graph" and found.rewritten is not None:
        return found
    span = found.rewritten.span if found.rewritten is not None else None
    where = path
    if span is not None:
        line, column = place(span, engine.text(span.path))
        where = f"{relative(span.path, os.path.realpath(os.curdir))}:{line}:{column}"
    raise CommandError(f"{where}: {found.message}")


def _asked(path: str, name: str | None, options: argparse.Namespace, rule: str | None) -> tuple[Found, Engine]:
    real = existing_file(path)
    return asyncio.run(_find(real, path, name, options, rule, consent([real], options.trust)))


async def _find(
    path: str, shown: str, name: str | None, options: argparse.Namespace, rule: str | None, trust: Trust
) -> tuple[Found, Engine]:
    async with ran(path, shown, name, options, trust) as one:
        found = await one.engine.graph(one.snapshot, Wanted(one.name, None, options.level, one.example, rule))
    levels = [level.id for level in found.levels]
    if levels and options.level not in levels:
        raise CommandError(f"there is no level {options.level}; there are {', '.join(levels)}")
    if options.example is not None and options.example > len(found.examples):
        raise CommandError(f"there is no call {options.example} that reaches {found.name}: {_calls(found)}")
    return found, one.engine


@dataclass(frozen=True)
class Ran:
    """A class that somebody asks about, once the examples of its file have run."""

    engine: Engine
    bar: Bar
    name: str
    example: int | None
    """Number of the call that is asked for, from 0."""
    snapshot: Snapshot


@asynccontextmanager
async def ran(
    path: str, shown: str, name: str | None, options: argparse.Namespace, trust: Trust, *, shortly: bool = False
) -> AsyncIterator[Ran]:
    """Run a file for a question about the class `name` in it; what is wrong in the question is said before that.

    `shortly`: its own example is enough where there is one, and nobody asked for another.
    """
    with Bar(not options.verbose) as bar:
        engine = engine_for(bar, options, trust)
        settings = engine.settings
        engine.configure(replace(settings, run=False))
        engine.hold()  # nothing runs by itself: a pass over no open files would end what is asked for
        try:
            name = _class_named(await _snapshot_of(engine, path, bar, named=False), shown, name)
            example = _number_given(options.example)
            engine.configure(settings)
            snapshot = None
            if shortly and example is None:
                snapshot = await first(engine.folder(path), path, name, engine.text(path), bar.advance)
            snapshot = snapshot or await _snapshot_of(engine, path, bar, named=options.names)
            yield Ran(engine, bar, name, example, snapshot)
        finally:
            await engine.stop()
    _say_what_is_ignored(engine)


async def _snapshot_of(engine: Engine, path: str, bar: Bar, *, named: bool) -> Snapshot:
    snapshots = engine.check([path], bar.advance, named=named)
    (snapshot,) = [snapshot async for snapshot in snapshots if snapshot.path == path]
    if bar.messages:
        raise CommandError("\n".join(bar.messages))
    return snapshot


def _installed(engine: Engine) -> str:
    """The version of torch that the answers of earlier runs come from, when nothing had to be run."""
    versions = (folder.answers.torch for folder in engine.folders if folder.answers.recalled)
    return next(versions, "")


def _say_what_is_ignored(engine: Engine) -> None:
    """A folder that is not trusted does not get all that it asks for."""
    for folder in engine.folders:
        passed_over = folder.interpreter.passed_over
        own = [os.path.relpath(passed_over, folder.root)] if passed_over else []
        if ignored := [*(f"`{key}` in pyproject.toml" for key in folder.config.restricted), *own]:
            print(
                f"fx-lsp: {visible(folder.root)} is not trusted, so this does not apply (use --trust): "
                f"{', '.join(map(visible, ignored))}",
                file=sys.stderr,
            )


def _class_named(snapshot: Snapshot, shown: str, name: str | None) -> str:
    names = [entry.module.name for entry in coverage(snapshot)]
    if not names:
        raise CommandError(f"{shown}: there is no nn.Module class in it")
    if name is None and len(names) == 1:
        return names[0]
    if name is None or name not in names:
        what = f"there is no module class {name} in it; use" if name else "which class?  Use"
        raise CommandError("\n".join([f"{shown}: {what} one of", *(f"    {shown}::{one}" for one in names)]))
    return name


def _number_given(example: int | None) -> int | None:
    if example is not None and example < 1:
        raise CommandError("calls are counted from 1")
    return example - 1 if example is not None else None


def _calls(found: Found) -> str:
    if not found.examples:
        return "there is none"
    return "\n".join(
        ["there are", *(f"    {number}: {one.call}" for number, one in enumerate(found.examples, start=1))]
    )


def _to_stderr(text: str) -> None:
    print(text.rstrip("\n"), file=sys.stderr)


def _nowhere(text: str) -> None:
    """The log is for those who ask for it."""
