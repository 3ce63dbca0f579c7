"""How many bugs that people write are reported where they are, with their cause, and are mended by a proposal.

    python bench/bugs.py                every workspace of bench/bugs/
    python bench/bugs.py models         one of them
    python bench/bugs.py models conv    the bugs of it whose file, cause or new text contains one of the words

Each bug is a small edit of a model that runs. It is made in the open file; then there must be an error, or a warning
where it still runs, at exactly the expression that is stated, with the cause that is stated. Then the product tries
its proposals one after the other, in its order, then those of two edits, and what it offers is made in the files,
until no example fails any more: that is the first one that a user sees; "as it was" where it gives the code that stood
there before.  "Apart" is what is on offer and fails in the files; with `--apart` also what it refuses and runs in them.
Packages are taken from the interpreter that runs this (see accuracy.py), or from the one given with `--python`;
`copies` of a set are files of them, as a user copies them: with absolute imports, and without decorators that would
enter them a second time.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import re
import shutil
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from accuracy import _site_packages, read, set_up, workspace

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.columns import columns
from fx_lsp.analysis.diagnostics import all_problems
from fx_lsp.analysis.proposals import Proposal, unexplained
from fx_lsp.analysis.snapshot import Problem, Snapshot, Trace
from fx_lsp.analysis.spare import OURS
from fx_lsp.model.span import Span
from fx_lsp.server.engine import Engine
from fx_lsp.server.offers import Offers
from fx_lsp.server.settings import Settings
from fx_lsp.server.trials import texts as edited
from fx_lsp.server.trust import Trust

MIN_REPORTED, MIN_MENDED = 0.95, 0.80
_DECORATORS = re.compile(
    r"(?m)^ *@(?:register_model|handle_legacy_interface|auto_docstring)\b"
    r"(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\n"
)
PATIENCE = 120
"""Seconds until one edit has been run."""


@dataclass(frozen=True)
class Bug:
    """One edit of a file, and what is to be said of it."""

    file: str
    old: str
    new: str
    """The same where the file is wrong as it is."""
    at: str
    """Text of the expression that fails."""
    cause: str
    """`nothing` where the edit is right, and neither an error nor a warning may be given."""
    seen: str = ""
    """File with that expression, where it is another one."""
    open: str = ""
    """File with the example, where it is a third one."""
    mend: bool | None = None
    """Whether it is about sizes or types, and so ought to be mended; where nothing is stated, every error is."""
    severity: str = "error"
    """`warning` where it runs, or where the model cannot be built: the program that builds it gives an error;
    `information` where nothing calls it, and what was found for it ran before."""

    @property
    def mendable(self) -> bool:
        """Whether an action ought to mend it."""
        return self.mend if self.mend is not None else self.severity == "error"


@dataclass
class Result:
    """What became of it."""

    reported: bool
    said: str
    """Where and why, as it was reported."""
    tried: list[str]
    place: int | None = None
    """Number, from 1, of the first proposal with which all examples run."""
    restored: int | None = None
    """Number of the proposal that gives the code that was there before the bug."""
    apart: list[str] = field(default_factory=list)
    """Proposals that run in the edited files and were not good when the product tried them, or the other way round."""


class Bench:
    """A workspace that is open in the product."""

    def __init__(self, root: Path, engine: Engine, apart: bool, cold: bool) -> None:
        self._root, self._engine, self._open = root, engine, list[str]()
        self._apart, self._cold = apart, cold
        self._offers = Offers(engine)
        self._fail, self._guess = 0, False
        self._told, self._before = set[str](), dict[str, str]()

    async def make(self, bug: Bug) -> Result:
        """The bug, what is said of it, and each proposal; then all as it was."""
        files = [str(self._root / name) for name in (bug.file, bug.seen or bug.file, bug.open or bug.file)]
        self._open = list(dict.fromkeys(files))
        before = {path: Path(path).read_text("utf-8") for path in self._open}
        self._before = dict(before)
        if before[files[0]].count(bug.old) != 1:
            raise ValueError(f"{bug.file} has {bug.old!r} {before[files[0]].count(bug.old)} times")
        broken = {**before, files[0]: before[files[0]].replace(bug.old, bug.new)}
        if not self._cold:
            await self._edited(before)
            if bug.old != bug.new and (wrong := await self._problems("error")):
                raise ValueError(f"{bug.file} fails without any bug: {wrong[0].message}")
            self._told = {one.code for one in await self._problems(bug.severity)} if bug.old != bug.new else set()
            self._fail = len(self._failed())
        await self._edited(broken)
        if self._cold:  # one less than now; other classes may fail for reasons of their own
            self._fail = max(len(self._failed()) - 1, 0)
        result = await self._result(bug, files[1], broken)
        for path in self._open[len(before) :]:
            before[path] = Path(path).read_text("utf-8")
        await self._edited(before)
        for path in self._open:
            self._engine.close(path)
        return result

    async def _result(self, bug: Bug, seen: str, texts: dict[str, str]) -> Result:
        # What is warned of without the bug says nothing of it.
        found = [one for kind in dict.fromkeys(("error", bug.severity)) for one in await self._problems(kind)]
        problems = [one for one in found if one.code not in self._told]
        said = [(one.span.path, self._text(one.span), one.code) for one in problems]
        good = (seen, bug.at, bug.cause) in said
        if bug.cause == "nothing":
            good = not problems
        result = Result(good, "; ".join(f"{code} at {at}" for _, at, code in said), [])
        span = problems[0].span if problems else None
        failures = [one for one in self._failed() if one.reply.failure is not None and one.reply.failure.span == span]
        if span is None or not failures:
            return result
        failures.sort(key=unexplained)
        self._guess = failures[0].example.origin in OURS
        snapshot, lines = self._engine.snapshot(span.path), range(span.line, span.end_line + 1)
        if snapshot is None:
            return result
        known: set[str] = set()
        # Two edits are proposed as soon as each alone is known, and what is further only when it is asked for.
        for found in (self._offers.every, self._offers.every, self._offers.wider.made):
            new = [one for one in found(snapshot, lines) if one.mends and one.span == span and one.title not in known]
            known |= {one.title for one in new}
            if result.restored is None:
                first = len(result.tried) + 1
                places = (place for place, one in enumerate(new, first) if self._restores(one.edit))
                result.restored = next(places, None)
            if await self._tried(snapshot, new, texts, result):
                break
        return result

    async def _tried(
        self, snapshot: Snapshot, proposals: Sequence[Proposal], texts: dict[str, str], result: Result
    ) -> bool:
        """Whether the product offers one of them, and it does what it says."""
        for one in proposals:
            result.tried.append(one.title)
            offered = await self._offers.verdict(snapshot, one)
            runs = await self._runs(one.edit, texts) if offered.good or self._apart else False
            if offered.good and runs:
                result.place = len(result.tried)
                return True
            if offered.good != runs:
                result.apart.append(f"{one.title}: {'offered, but fails' if offered.good else offered.says}")
        return False

    def _restores(self, edit: Edit) -> bool:
        new = edited(edit.changes, self._engine.text)
        return all(_same(new.get(path, self._engine.text(path)), text) for path, text in self._before.items())

    async def _runs(self, edit: Edit, texts: dict[str, str]) -> bool:
        """Whether the edited files run."""
        new = edited(edit.changes, self._engine.text)
        old = {path: self._engine.text(path) for path in new}
        self._open += [path for path in new if path not in self._open]
        await self._edited(new)
        # A constructor that raises may be no error, but nothing has run then.
        # What was invented for a part while the model failed may fail on, and says nothing of a model that is called.
        failed = [one for one in self._failed() if self._guess or one.example.origin not in OURS]
        good = not await self._problems("error") and len(failed) <= self._fail
        await self._edited({**texts, **old})
        return good

    async def _edited(self, texts: dict[str, str]) -> None:
        for path, text in texts.items():
            self._engine.update(path, text)
        async with asyncio.timeout(PATIENCE):
            for path in self._open:
                await self._engine.settled(path)

    async def _problems(self, severity: str) -> list[Problem]:
        found: list[Problem] = []
        for path in self._open:
            snapshot = await self._engine.settled(path)
            if snapshot is not None:
                others = [one for one in self._open if one != path]
                found += [one for one in all_problems(snapshot, others) if one.severity == severity]
        return found

    def _failed(self) -> list[Trace]:
        snapshots = [self._engine.snapshot(path) for path in self._open]
        traces = [trace for snapshot in snapshots if snapshot is not None for trace in snapshot.traces]
        # What failed with an older text, and is not run any more, is not shown either.
        return [trace for trace in traces if trace.reply.failure is not None and not trace.older]

    def _text(self, span: Span) -> str:
        text = self._engine.text(span.path)
        places = columns(text)
        return text[places.offset(span.line, span.column) : places.offset(span.end_line, span.end_column)]


def _same(text: str, other: str) -> bool:
    """Whether two texts are the same code."""
    return ast.dump(ast.parse(text)) == ast.dump(ast.parse(other))


def prepared(source: str, folder: Path, python: str, copies: dict[str, str]) -> Path:
    """A copy of the files that the bugs are made in: of a folder of this repository, or of a package."""
    path = HERE.parent / source
    if not path.is_dir():
        path = workspace(read(source), python)
    root = folder / path.name
    shutil.copytree(path, root, ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".git").mkdir(exist_ok=True)
    for name, original in copies.items():
        text = (_site_packages(python) / original).read_text("utf-8")
        (root / name).write_text(_alone(text, original), encoding="utf-8")
    return root


def _alone(text: str, original: str) -> str:
    """A file of a package, outside of it."""
    packages = original.split("/")[:-1]

    def absolute(found: re.Match[str]) -> str:
        above = packages[: len(packages) - len(found[1]) + 1]
        return f"from {'.'.join([*above, *filter(None, [found[2]])])} import"

    text = re.sub(r"(?m)^from (\.+)([\w.]*) import", absolute, text)
    return _DECORATORS.sub("", text)


async def run(
    name: str, words: Sequence[str], python: str, apart: bool = False, cold: bool = False
) -> list[tuple[Bug, Result]]:
    """All bugs of a file of bench/bugs/."""
    data = tomllib.loads((HERE / "bugs" / f"{name}.toml").read_text("utf-8"))
    bugs = [Bug(**fields) for fields in data["bug"]]
    found: list[tuple[Bug, Result]] = []
    with tempfile.TemporaryDirectory() as folder:
        root = prepared(data["workspace"], Path(folder), python, data.get("copies", {}))
        settings = Settings(interpreter=python, run_ahead=False)
        wanted = [
            one for one in bugs if not words or any(word in f"{one.file} {one.cause} {one.new}" for word in words)
        ]
        for together in [[one] for one in wanted] if cold else [wanted]:  # of what ran before a cold one knows nothing
            engine = Engine(settings=settings, trust=Trust(word=True))
            bench = Bench(root, engine, apart, cold)
            for bug in together:
                found.append((bug, await bench.make(bug)))
                _tell(*found[-1])
            await engine.stop()
    return found


def _tell(bug: Bug, result: Result) -> None:
    """One line for what is as it should be, more for what is not."""
    mended = f"mended by {result.place}" if result.place else "not mended" if bug.mendable else "-"
    print(f"{'reported' if result.reported else 'MISSED  '}  {mended:12}  {bug.file}: {bug.new}", flush=True)
    if not result.reported:
        print(f"    said: {result.said or 'nothing'}; wanted: {bug.cause} at {bug.at}")
    if result.place is not None:
        print(f"    by: {result.tried[-1]}{', as it was' if result.restored == result.place else ''}")
    if result.restored is not None and result.restored != result.place:
        print(f"    as it was: {result.restored}")
    print("".join(f"    apart: {one}\n" for one in result.apart), end="")
    if bug.mendable and result.place != 1:
        print("".join(f"    tried: {one}\n" for one in result.tried) or "    nothing was proposed")


def table(found: Sequence[tuple[Bug, Result]]) -> str:
    """By cause, then all together."""
    groups: dict[str, list[tuple[Bug, Result]]] = defaultdict(list)
    for bug, result in found:
        groups[bug.cause].append((bug, result))
    rows = ["", f"{'cause':20} {'bugs':>5} {'reported':>9} {'mendable':>9} {'mended':>7}  at"]
    for name, group in [*sorted(groups.items()), ("all", list(found))]:
        mendable = [result for bug, result in group if bug.mendable]
        places = Counter(result.place for result in mendable if result.place)
        reported = sum(result.reported for _, result in group)
        shown = ", ".join(f"{place}: {count}" for place, count in sorted(places.items()))
        rows.append(f"{name:20} {len(group):5} {reported:9} {len(mendable):9} {places.total():7}  {shown}")
    return "\n".join(rows)


def main() -> int:
    """Exit status: whether enough is reported, and enough mended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace", nargs="?", help="name of a file in bench/bugs/")
    parser.add_argument("words", nargs="*", help="only the bugs whose file, cause or new text contains one of them")
    parser.add_argument("--python", default=sys.executable, help="interpreter with the packages")
    parser.add_argument(
        "--cold", action="store_true", help="open each file with its bug, by a server that saw no other"
    )
    parser.add_argument("--apart", action="store_true", help="make in the files, too, what the product refuses")
    options = parser.parse_args()
    set_up()
    names = [options.workspace] if options.workspace else sorted(path.stem for path in (HERE / "bugs").glob("*.toml"))
    found = [
        pair
        for name in names
        for pair in asyncio.run(run(name, options.words, options.python, options.apart, options.cold))
    ]
    print(table(found))
    mendable = [result for bug, result in found if bug.mendable]
    reported = sum(result.reported for _, result in found) / max(len(found), 1)
    mended = sum(result.place is not None for result in mendable) / len(mendable) if mendable else 1.0
    print(f"reported exactly {reported:.1%} (at least {MIN_REPORTED:.0%})")
    print(f"mended {mended:.1%} (at least {MIN_MENDED:.0%})")
    restored = sum(result.place is not None and result.place == result.restored for _, result in found)
    print(f"as it was by the first that mends {restored}")
    return 0 if reported >= MIN_REPORTED and mended >= MIN_MENDED else 1


if __name__ == "__main__":
    sys.exit(main())
