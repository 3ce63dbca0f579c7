"""Rewriting from the command line: every file is rewritten until nothing more is found."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.coverage import coverage
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.proposals import Proposal
from fx_lsp.analysis.rewrites._own import own_rewrites
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import CommandError
from fx_lsp.cli.consent import consent
from fx_lsp.cli.session import engine_for, existing
from fx_lsp.cli.terminal import Bar, seen_from_here
from fx_lsp.model.example import NO_FORWARD
from fx_lsp.server.check import gathered
from fx_lsp.server.engine import Engine
from fx_lsp.server.offers import Offers
from fx_lsp.server.trials import Verdict, texts, verdict
from fx_lsp.server.trust import Trust
from fx_lsp.server.turns import Urgency

ROUNDS = 6
"""Times that a file is looked at again: one rewrite may make room for another, and one that breaks an example is left
out."""

Told = tuple[int, str, str, str]
"""Line, rule, title, and what was found when it was tried."""


@dataclass
class Rewritten:
    """What became of one file."""

    path: str
    before: str
    after: str
    done: list[Told] = field(default_factory=list[Told])
    refused: list[Told] = field(default_factory=list[Told])
    untried: str = ""
    """Why nothing could be tried, if no example of its models runs."""


def rewrite(paths: Sequence[str], options: argparse.Namespace, done: Callable[[Rewritten], None]) -> None:
    """Rewrite the files in memory; `done` is told of each as soon as nothing more is found in it.

    Raises:
        CommandError: a path does not exist, or nothing can be run at all.
    """
    real = existing(paths)
    asyncio.run(_rewrite(real, options, consent(real, options.trust), done))


async def _rewrite(
    paths: Sequence[str], options: argparse.Namespace, trust: Trust, done: Callable[[Rewritten], None]
) -> None:
    bar = Bar(not options.quiet and not options.verbose)
    engine = engine_for(bar, options, trust)
    engine.hold()  # of a file that was rewritten only what ran before is run again, see `_again`
    try:
        with bar:
            snapshots = [snapshot async for snapshot in engine.check(paths, bar.advance)]
        if bar.messages:
            raise CommandError("\n".join(bar.messages))
        _own(engine, snapshots, options.rule)
        for one in snapshots:
            if one.path.endswith(".py"):
                done(await _file(engine, one, options))
    finally:
        await engine.stop()


def _own(engine: Engine, snapshots: Sequence[Snapshot], wanted: Sequence[str]) -> None:
    """Tell what is wrong with the workspace's own rules.

    Raises:
        CommandError: a rule that is asked for is not among them.
    """
    offers, known = Offers(engine), set[str]()
    for folder in {id(one): one for one in (engine.folder(snapshot.path) for snapshot in snapshots)}.values():
        path = offers.own_file(folder)
        rules, wrong = own_rewrites(path, engine.text(path))
        known |= {rule.id for rule in rules}
        for span, message in wrong:
            print(f"{seen_from_here(path)}:{span.line}: {visible(message)}", file=sys.stderr)
    for name in wanted:
        if name.startswith("own:") and name not in known:
            raise CommandError(f"the workspace has no rule {name}: {', '.join(sorted(known)) or 'it has none at all'}")


def _untried(snapshot: Snapshot) -> str:
    if any(trace.reply.failure is None for trace in snapshot.traces):
        return ""
    wrong = [one for one in all_problems(snapshot) if one.severity == "error"]
    if wrong:
        return f"line {wrong[0].span.line}: {wrong[0].message.splitlines()[0]}"
    whys = [f"{one.module.name}: {one.reason}" for one in coverage(snapshot) if one.reason not in (None, NO_FORWARD)]
    return f"no example of its models runs; {whys[0]}" if whys else ""


async def _file(engine: Engine, snapshot: Snapshot, options: argparse.Namespace) -> Rewritten:
    offers, result = Offers(engine), Rewritten(snapshot.path, snapshot.text, snapshot.text)
    result.untried, in_vain = _untried(snapshot), set[object]()

    def wanted(one: Proposal) -> bool:
        fits = not options.rule or one.rule in options.rule
        return (
            fits
            and (options.unsafe or not one.unsafe)
            and {span.path for span, _ in one.edit.changes} == {one.span.path}
            and _wherever(one) not in in_vain
        )

    for number in range(ROUNDS):
        found = await offers.together(snapshot, wanted)
        if number == 0:  # later ones are in other lines
            result.refused = [_told(one, said) for one, said in found.refused]
        in_vain.update(_wherever(one) for one, _ in found.refused)
        if not found.done:
            break
        after = texts(found.edit.changes, engine.text)[snapshot.path]
        engine.update(snapshot.path, after)
        again = await _again(engine, snapshot, found.edit)
        if broken := _broken(snapshot, again):
            engine.update(snapshot.path, snapshot.text)
            taken = await _breaking(engine, broken, [one for one, _ in found.done])
            result.refused += [_told(one, Verdict(False, f"then {broken.call} fails")) for one in taken]
            in_vain.update(_wherever(one) for one in taken)
            continue
        result.done += [_told(one, said) for one, said in found.done]
        result.after, snapshot = after, again
    engine.close(snapshot.path)
    return result


def _wherever(one: Proposal) -> object:
    """The edit, on whatever lines: those of a file move with each round."""
    return one.rule, one.owner, tuple(text for _, text in one.edit.changes)


async def _again(engine: Engine, before: Snapshot, edit: Edit) -> Snapshot:
    """The file as it is now, after its examples; of those that only fill, the ones that go through what was edited."""
    path, folder = before.path, engine.folder(before.path)
    edited = _lines(edit)
    examples = [one.example for one in before.traces if not one.example.fills or _reaches(one, path, edited)]
    plan = await folder.plan(path)
    outcomes = [one async for one in folder.traces(dict.fromkeys(examples), Urgency.ASKED_FOR)]
    return gathered(path, engine.text(path), plan, outcomes)


def _lines(edit: Edit) -> list[range]:
    return [range(span.line, span.end_line + 1) for span, _ in edit.changes]


def _reaches(trace: Trace, path: str, lines: Sequence[range]) -> bool:
    """Whether it says something of one of the lines."""
    told = {one.span.line for one in (*trace.reply.bindings, *trace.reply.operations) if one.span.path == path}
    return any(line in span for line in told for span in lines)


def _broken(before: Snapshot, after: Snapshot) -> Trace | None:
    """An example that ran and does not any more: each rewrite was tried on the quickest ones only."""
    failing = {_written(trace) for trace in after.traces if trace.reply.failure is not None}
    ran = (trace for trace in before.traces if trace.reply.failure is None)
    return next((trace for trace in ran if _written(trace) in failing), None)


async def _breaking(engine: Engine, broken: Trace, parts: Sequence[Proposal]) -> list[Proposal]:
    """Those with which an example fails by themselves; where there are none, all but the first that it comes to."""
    folder, path = engine.folder(parts[0].span.path), parts[0].span.path
    through = [one for one in parts if _reaches(broken, path, _lines(one.edit))]
    tried = [(one, replace(one, traces=(broken,), compared=False)) for one in through]
    alone = [one for one, again in tried if not (await verdict(folder, again, engine.text)).good]
    return alone or through[1:] or [*parts]


def _written(trace: Trace) -> tuple[str, str, str]:
    return trace.example.scope, trace.example.setup, trace.call


def _told(one: Proposal, said: Verdict) -> Told:
    more = f" ({one.unsafe})" if one.unsafe else ""
    return one.span.line, one.rule, one.title + more, said.says
