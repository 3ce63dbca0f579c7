"""Compares what `fx-lsp check --format json` says with real runs of the examples it lists.

`python -m tests.reference.compare REPORT.json ROOT` prints the table and all that is not exact.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.reference.batch import run_examples

VERDICTS = ("exact", "partial", "wrong", "missing", "unknown")
"""`unknown`: an example that it came from is too big to be run for real."""
STATED = ("directive", "config", "annotation", "call")
"""Origins of examples that somebody wrote; the others are attempts, and may fail."""
NOT_RUN: dict[str, Any] = {"bindings": [], "error": "", "exhausted": True, "lacking": False}
"""Of a program, which trains to its end for real: what only programs show is not compared."""
DRAWS = range(1, 13)
"""Seeds of further runs, where one does not give what is hinted: what code draws may choose a branch, or a size."""
_UNKNOWN = re.compile(r"\bu\d+\b")
_NUMBERS = re.compile(r"(?<=[ (\[])(int|float)(?=[,)}\]])")
_SHAPE = re.compile(r"\b([a-z]+\d+\w*)\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Row:
    """One binding, as hinted and as it was."""

    path: str
    line: int
    column: int
    name: str
    verdict: str
    hinted: tuple[str, ...]
    real: tuple[str, ...]
    forward: bool = True
    """Bound during the call of a module, not only while importing and building."""

    def __str__(self) -> str:
        hinted, real = (" | ".join(texts) or "nothing" for texts in (self.hinted, self.real))
        return f"{self.verdict:<8} {self.path}:{self.line}:{self.column} {self.name}: hinted {hinted}, real {real}"


@dataclass(frozen=True)
class Comparison:
    """All bindings of all files of a report."""

    rows: tuple[Row, ...]
    errors: tuple[str, ...]
    """Stated or real calls that raised when run for real, with the end of the traceback."""

    def count(self, verdict: str) -> int:
        """Bindings with this verdict."""
        return sum(row.verdict == verdict for row in self.rows)

    def table(self) -> str:
        """One line a file, the sums below, build-time bindings apart from those of calls."""
        groups: dict[str, Counter[str]] = {}
        for row in self.rows:
            groups.setdefault(row.path, Counter())[row.verdict] += 1
        groups["all"] = Counter(row.verdict for row in self.rows)
        for title, forward in (("  in module calls", True), ("  while building", False)):
            groups[title] = Counter(row.verdict for row in self.rows if row.forward is forward)
        width = max(map(len, groups))
        lines = [f"{'':<{width}}" + "".join(f"{name:>9}" for name in ("bindings", *VERDICTS))]
        for name, counts in groups.items():
            cells = (sum(counts.values()), *(counts[verdict] for verdict in VERDICTS))
            lines.append(f"{name:<{width}}" + "".join(f"{cell:>9}" for cell in cells))
        return "\n".join(lines)

    def listing(self) -> str:
        """Every binding that is not exact, and the examples that failed for real."""
        return "\n".join([*(str(row) for row in self.rows if row.verdict != "exact"), *self.errors])


def compare(report: dict[str, Any], root: str, python: str = sys.executable) -> Comparison:
    """Run every example of the report for real and judge every binding of its files."""
    listed = [example for file in report["files"] for example in file["examples"]]
    keys = list(dict.fromkeys(_key(example) for example in listed if example["origin"] != "program"))
    examples = [dict(zip(("scope", "setup", "call"), key, strict=True)) for key in keys]
    files = [file["path"] for file in report["files"]]
    runs = dict(zip(keys, run_examples(root, examples, python, files), strict=True))
    runs.update((_key(example), NOT_RUN) for example in listed if example["origin"] == "program")
    rows: list[Row] = []
    for file in report["files"]:
        found = list(_judge_file(file, [runs[_key(one)] for one in file["examples"]]))
        for seed in DRAWS:
            if any(row.verdict == "wrong" for row in found):
                found = _drawn_again(file, found, runs, root, python, seed)
        rows += found
    stated = {_key(example) for file in report["files"] for example in file["examples"] if example["origin"] in STATED}
    failed = ((key, run["error"].rstrip()) for key, run in runs.items() if run["error"] and key in stated)
    return Comparison(tuple(rows), tuple(f"{scope}: {call}\n{error}" for (scope, _, call), error in failed))


def _drawn_again(
    file: dict[str, Any], rows: Sequence[Row], runs: dict[Any, Any], root: str, python: str, seed: int
) -> list[Row]:
    """The rows, with those that are wrong as plain runs of their examples with another seed say, where these agree."""
    keys = [_key(one) for one in file["examples"]]
    wrong = {(row.line, row.column) for row in rows if row.verdict == "wrong"}
    shown = [hint["examples"] for hint in file["hints"] if (hint["line"], hint["column"]) in wrong]
    drawn = dict.fromkeys(keys[number] for numbers in shown for number in numbers)
    asked = [key for key in drawn if not runs[key]["exhausted"]]
    if not asked:
        return [*rows]
    examples = [dict(zip(("scope", "setup", "call"), key, strict=True)) for key in asked]
    others = dict(zip(asked, run_examples(root, examples, python, [file["path"]], seed), strict=True))
    again = _judge_file(file, [others.get(key, runs[key]) for key in keys])
    right = {(row.line, row.column): row for row in again if row.verdict == "exact"}
    return [right.get((row.line, row.column), row) if row.verdict == "wrong" else row for row in rows]


def _key(example: dict[str, Any]) -> tuple[str, str, str]:
    return example["scope"], example["setup"], example["call"]


def _judge_file(file: dict[str, Any], runs: Sequence[dict[str, Any]]) -> Iterable[Row]:
    """An example that fills shows only what no other one comes to, programs included."""
    path = file["path"]
    fills = {number for number, example in enumerate(file["examples"]) if example.get("fills")}
    told = {(hint["line"], hint["column"]) for hint in file["hints"] if fills.isdisjoint(hint["examples"])}
    beside = _bound(path, [runs[number] for number in fills])
    real = {place: found for place, found in beside.items() if place not in told}
    real.update(_bound(path, [run for number, run in enumerate(runs) if number not in fills]))
    compared = {number for number, run in enumerate(runs) if run is not NOT_RUN}
    hints = {
        (hint["line"], hint["column"]): hint
        for hint in file["hints"]
        if hint["concrete"] and (not hint["examples"] or compared & {*hint["examples"]})
    }
    for place in sorted(real.keys() | hints.keys()):
        hint, truth = hints.get(place), real.get(place)
        hinted, shapes = tuple(hint["concrete"]) if hint else (), tuple(truth["shapes"]) if truth else ()
        verdict = judge(hinted, shapes, hint["label"] if hint else "")
        if (
            verdict != "exact"
            and hint
            and any(runs[index]["exhausted"] or runs[index]["lacking"] for index in hint["examples"])
        ):
            verdict = "unknown"
        name, forward = (truth or hint or {})["name"], truth is None or truth["forward"]
        yield Row(path, *place, name, verdict, hinted, shapes, forward)


def _bound(path: str, runs: Iterable[dict[str, Any]]) -> dict[tuple[int, int], dict[str, Any]]:
    """The bindings of a file in all runs, by line and column."""
    real: dict[tuple[int, int], dict[str, Any]] = {}
    for binding in (binding for run in runs for binding in run["bindings"] if binding["path"] == path):
        found = real.setdefault((binding["line"], binding["column"]), {"forward": False, "shapes": {}, **binding})
        found["shapes"] = list(dict.fromkeys([*found["shapes"], *binding["shapes"]]))
        found["forward"] = found["forward"] or binding["forward"]
    return real


def judge(hinted: Sequence[str], real: Sequence[str], label: str) -> str:
    """`exact`, `partial` (some of the shapes, none false), `wrong` (a shape that never was) or `missing`.

    Sizes that the label calls unknown (`u0`) match any size, and numbers of which only the type is said (`int`) any
    number.
    """
    if not hinted:
        return "missing"
    if set(hinted) == set(real):
        return "exact"
    said, was = [_pattern(_loose(text, label)) for text in hinted], [_loose(text, label) for text in real]
    if not all(any(map(one.fullmatch, was)) for one in said):
        return "wrong"
    return "exact" if all(any(one.fullmatch(text) for one in said) for text in was) else "partial"


def _pattern(text: str) -> re.Pattern[str]:
    """What fits a text that says of some numbers only their type."""
    parts = _NUMBERS.split(text)
    return re.compile("".join(r"-?[\d.e+-]+" if part in ("int", "float") else re.escape(part) for part in parts))


def _loose(text: str, label: str) -> str:
    """The text with `_` for each size that the label leaves open.

    Tensors of the label are matched with those of the text in order; where their number differs (a label that was
    folded or cut), every size of the text is open.
    """
    if not _UNKNOWN.search(label):
        return text
    open_shapes = [dims.split(", ") for _, dims in _SHAPE.findall(_unfolded(label))]
    shapes = _SHAPE.findall(text)
    aligned = len(shapes) == len(open_shapes)
    patterns = iter(open_shapes)

    def write(match: re.Match[str]) -> str:
        sizes = match[2].split(", ")
        pattern = next(patterns) if aligned else ["u0"] * len(sizes)
        if len(pattern) != len(sizes):
            pattern = ["u0"] * len(sizes)
        opened = ["_" if _UNKNOWN.search(p) and s else s for s, p in zip(sizes, pattern, strict=True)]
        return f"{match[1]}[{', '.join(opened)}]"

    return _SHAPE.sub(write, text)


def _unfolded(label: str) -> str:
    """`[f32[u0] × 3]` written out."""
    return re.sub(r"(\w+\[[^\[\]]*\]) × (\d+)", lambda m: ", ".join([m[1]] * int(m[2])), label)


def main() -> int:
    path, root = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        comparison = compare(json.load(file), root)
    print(comparison.listing())
    print(comparison.table())
    return 0 if comparison.count("exact") == len(comparison.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
