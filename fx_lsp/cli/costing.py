"""What one class costs, from the command line: at the sizes of its example, and at others."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fx_lsp.analysis.costs import with_formulas
from fx_lsp.analysis.coverage import Coverage, coverage
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.cli.commands import CommandError
from fx_lsp.cli.consent import consent
from fx_lsp.cli.session import existing_file, ran
from fx_lsp.cli.terminal import Bar
from fx_lsp.model.costs import Costs
from fx_lsp.server.folder import Folder
from fx_lsp.server.pricing import costs, formulas
from fx_lsp.server.rounds import Progress
from fx_lsp.server.trust import Trust

DIRECTIVE = "write a call with names above the class, such as `# fx: {name}(…)(f32[B:2, T:16])`"


@dataclass(frozen=True)
class Priced:
    """What was found about one class."""

    name: str
    path: str
    call: str
    """With the sizes that it was run at."""
    setup: str
    scope: str
    """File in whose namespace both are evaluated."""
    costs: Costs
    """With formulas where these were asked for and are known."""
    series: tuple[tuple[int, Costs], ...]
    """What was asked for by `--against`: sizes, each with what it costs."""
    root: str
    text_of: Callable[[str], str]


@dataclass(frozen=True)
class Asked:
    """What the user wants to know besides."""

    sizes: Mapping[str, int]
    against: str
    """A dim; empty: none."""
    at: tuple[int, ...]
    """Its sizes; empty: some around that of the example."""
    symbolic: bool


def priced(path: str, name: str | None, asked: Asked, options: argparse.Namespace) -> Priced:
    """What the class `name` in the file costs, in the call `options.example`.

    Raises:
        CommandError: there is no such file, class, call or dim, or it does not run.
    """
    real = existing_file(path)
    return asyncio.run(_priced(real, path, name, asked, options, consent([real], options.trust)))


async def _priced(
    path: str, shown: str, name: str | None, asked: Asked, options: argparse.Namespace, trust: Trust
) -> Priced:
    async with ran(path, shown, name, options, trust, shortly=True) as one:
        root = one.engine.root(path)
        folder = next(folder for folder in one.engine.folders if folder.root == root)
        trace = _trace(one.snapshot, one.name, one.example, shown)
        found = await _Pricing(folder, trace, asked, one.bar, one.name).priced(path, root, one.engine.text)
    return found


def _trace(snapshot: Snapshot, name: str, example: int | None, shown: str) -> Trace:
    """The call to look at.

    Raises:
        CommandError: there is none, or it fails.
    """
    entry = next(one for one in coverage(snapshot) if one.module.name == name)
    if not entry.examples:
        why = f"{name} has not run: {entry.reason}." if entry.reason else f"{name} has not run."
        raise CommandError(
            f"{shown}: {why} Write a call above the class to run it, such as `# fx: {name}(…)(f32[2, 3])`."
        )
    numbers = sorted(entry.examples)
    if example is not None and example >= len(numbers):
        calls = "\n".join(f"    {number}: {snapshot.traces[at].call}" for number, at in enumerate(numbers, start=1))
        raise CommandError(f"there is no call {example + 1} that reaches {name}: there are\n{calls}")
    trace = snapshot.traces[numbers[example] if example is not None else _first(entry, snapshot)]
    if trace.reply.failure is not None:
        guess = f". The call is a guess: {DIRECTIVE.format(name=name)}" if trace.example.origin == "inferred" else ""
        why = trace.reply.failure.message
        raise CommandError(f"{shown}: {trace.call} fails, so its costs are not known: {why}{guess}")
    return trace


def _first(entry: Coverage, snapshot: Snapshot) -> int:
    """The example that is shown, unless it fails and another one does not."""
    fine = (number for number in entry.examples if snapshot.traces[number].reply.failure is None)
    return next(fine, entry.examples[0])


class _Pricing:
    """The runs of one command."""

    def __init__(self, folder: Folder, trace: Trace, asked: Asked, bar: Bar, name: str) -> None:
        self._folder, self._trace, self._asked, self._bar, self._name = folder, trace, asked, bar, name
        self._dims = {**dict(trace.dims), **asked.sizes}
        self._runs = 0
        for dim in (*asked.sizes, *filter(None, [asked.against])):
            self._need(dim)

    def _need(self, dim: str) -> None:
        known = ", ".join(f"{name}={size}" for name, size in self._trace.dims)
        if dim not in dict(self._trace.dims):
            what = f"its dims are {known}" if known else DIRECTIVE.format(name=self._name)
            raise CommandError(f"the example {self._trace.example.call} has no dim {dim}: {what}")

    async def priced(self, path: str, root: str, text_of: Callable[[str], str]) -> Priced:
        """All that is wanted.

        Raises:
            CommandError: it does not run at the sizes that are asked for.
        """
        found, why = await self._costs({})
        if found is None:
            raise CommandError(f"{self._call({})}: its costs are not known: {why}")
        found = with_formulas(found, await self._varied()) if self._asked.symbolic else found
        example = self._trace.example
        told = self._name, path, self._call({}), example.setup, example.scope
        return Priced(*told, found, await self._series(), root, text_of)

    def _call(self, sizes: Mapping[str, int]) -> str:
        key = self._folder.key(self._trace.example, {**self._dims, **sizes})
        return key.call if key is not None else self._trace.call

    async def _costs(self, sizes: Mapping[str, int]) -> tuple[Costs | None, str]:
        self._runs += 1
        self._bar.advance(Progress(self._runs, self._runs + 1, self._call(sizes)))
        return await costs(self._folder, self._trace, {**self._dims, **sizes})

    async def _series(self) -> tuple[tuple[int, Costs], ...]:
        dim = self._asked.against
        if not dim:
            return ()
        own = self._dims[dim]
        sizes = self._asked.at or sorted({max(own // 4, 1), max(own // 2, 1), own, 2 * own, 3 * own, 4 * own})
        found: list[tuple[int, Costs]] = []
        for size in sizes:
            one, why = await self._costs({dim: size})
            if one is not None and not why:
                found.append((size, one))
            elif self._asked.at:
                raise CommandError(f"{self._call({dim: size})} fails: {why}")
        return tuple(found)

    async def _varied(self) -> Costs:
        """With formulas, at the example's own sizes.

        Raises:
            CommandError: nobody said which sizes may be others.
        """
        self._bar.advance(Progress(self._runs, self._runs + 1, self._call({})))
        found, why = await formulas(self._folder, self._trace, self._dims)
        if found is None:
            said = f"{self._call({})}: its formulas are not known: {why}"
            raise CommandError(said if why else f"the example has no named dims: {DIRECTIVE.format(name=self._name)}")
        return found
