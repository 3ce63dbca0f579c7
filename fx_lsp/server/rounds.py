"""Every plan of some files to its end, in rounds: what is run does not depend on which trace ends first, since the next
wave of each file is asked for when the last one of every file is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.example import Example
from fx_lsp.server.folder import Folder, Plan, Unavailable
from fx_lsp.server.ran import Key, Outcome
from fx_lsp.server.turns import Urgency


@dataclass(frozen=True)
class Progress:
    """How far a check has come."""

    done: int
    """Examples run."""
    known: int
    """Examples known to run so far; more may be found."""
    text: str
    """What was run last."""


async def rounds(
    folder: Folder,
    plans: Mapping[str, Plan],
    urgency: Urgency,
    progress: Callable[[Progress], None] = lambda state: None,
) -> dict[Example, Outcome]:
    """What came of the examples of each file's plan, and of those that had to be run after them.

    Raises:
        Cancelled: a newer edit cancelled a run.
    """
    asked: dict[str, dict[Example, None]] = {path: {} for path in plans}
    outcomes: dict[Example, Outcome] = {}
    waves = {path: plan.wave for path, plan in plans.items()}
    known: set[Key] = set()
    while fresh := [example for wave in waves.values() for example in wave if example not in outcomes]:
        for path, wave in waves.items():
            asked[path].update(dict.fromkeys(wave))
        known.update(key for example in fresh if (key := folder.key(example)))
        try:
            before = len(outcomes)
            async for outcome in folder.traces(dict.fromkeys(fresh), urgency):
                outcomes[outcome[0].example] = outcome
                done = len({Key.of(trace) for trace, _ in outcomes.values()})
                progress(Progress(done, len(known), outcome[0].call))
        except Unavailable:
            unrun = folder.unrun((example for example in fresh if example not in outcomes), folder.unavailable)
            outcomes.update((outcome[0].example, outcome) for outcome in unrun)
            break
        if len(outcomes) == before:
            break
        waves = {path: await folder.next(path, _seen(path, asked[path], outcomes)) for path in plans}
    return outcomes


def _seen(path: str, asked: Iterable[Example], outcomes: dict[Example, Outcome]) -> list[Trace]:
    """The file's own traces first, then the others that ran through it."""
    own = {example: outcomes[example][0] for example in asked if example in outcomes}
    others = [trace for trace, ran in outcomes.values() if trace.example not in own and path in ran.reach]
    return [*own.values(), *others]
