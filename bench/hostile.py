"""Lets every module of tests/hostile/modules/ loose on the real server, with all layers, each alone, and none.

    python bench/hostile.py                       everything; an hour and a half, as root, in namespaces
    python bench/hostile.py all root landlock     some configurations
    python bench/hostile.py leaks                 a thousand traces, and what they leave
    python bench/hostile.py none --harmful        only the modules that state a harm

Prints the table of bench/RESULTS.md.  The exit status is 1 when with all layers there is harm, or something is left.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.hostile import namespaces
from tests.hostile.catalog import catalog
from tests.hostile.layers import ALL, ALONE
from tests.hostile.runs import STRANGER, Row, Run

TRACES = 1_000

CONFIGURATIONS: dict[str, tuple[int, Sequence[str]]] = {
    "all": (STRANGER, ()),
    "root": (0, ()),
    **{name: (STRANGER, off) for name, off in ALONE.items()},
    "none": (STRANGER, ALL),
}
TITLES = {"all": "all layers", "root": "all layers, as root", "none": "no layer"}


def measured(name: str, modules: Sequence[str]) -> list[Row]:
    """Every module in one configuration."""
    user, off = CONFIGURATIONS[name]
    run = Run(user, off, modules, trust=bool(off))
    try:
        rows: list[Row] = []
        for module in modules:
            rows.append(run.row(module))
            done = f"{len(rows)}/{len(modules)}"
            print(f"{name:12} {done:>7} {module:32} {rows[-1].seconds:6} s {shown(rows[-1])}", file=sys.stderr)
        return rows
    finally:
        run.close()


def shown(row: Row) -> str:
    """Its harm in short."""
    return ", ".join(f"{kind}: {details[0]}" for kind, details in row.harm.items())


def line(name: str, rows: Sequence[Row]) -> str:
    """One of the table."""
    harmful = [row for row in rows if row.harm]
    kinds = Counter(kind for row in harmful for kind in row.harm)
    answered = sum("next" not in row.harm for row in rows)
    which = " ".join(row.name[:2] for row in harmful) or "none"
    said = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()) or "none"
    title = TITLES.get(name, f"{name} alone")
    return f"| {title} | {len(harmful)} of {len(rows)} | {answered} | {said} | {which} |"


def leaks(modules: Iterable[str], traces: int) -> bool:
    """Whether something is left after so many traces, said in one line."""
    names = list(modules)
    run = Run(STRANGER, (), [names[number % len(names)] for number in range(traces)])
    try:
        harm = [row for row in (run.next_row() for _ in range(traces)) if row.harm]
        end = run.end()
    finally:
        run.close()
    for row in harm:
        print(f"harm: {row.name}: {shown(row)}")
    same = {name: f"{run.ready['counts'][name]} → {count}" for name, count in end["counts"].items()}
    print(f"After {traces} hostile traces, {len(harm)} with harm: " + ", ".join(f"{k} {v}" for k, v in same.items()))
    print(f"After SIGKILL of the server: processes left {end['left']}, files left {end['files']}")
    return bool(harm or end["left"] or end["files"] or run.ready["counts"] != end["counts"])


def main() -> int:
    """Exit status: 0, or 1 for harm that should not be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "configurations", nargs="*", metavar="CONFIGURATION", help=", ".join([*CONFIGURATIONS, "leaks"])
    )
    parser.add_argument("--harmful", action="store_true", help="only modules that state a harm")
    parser.add_argument("--traces", type=int, default=TRACES)
    options = parser.parse_args()
    if why := namespaces.missing():
        parser.error(why)
    modules = [name for name, one in catalog().items() if one.harm or not options.harmful]
    wanted = options.configurations or [*CONFIGURATIONS, "leaks"]
    bad = False
    lines = [
        "| layers | modules that did harm | next model answered | harm by kind | which |",
        "|---|---|---|---|---|",
    ]
    for name in wanted:
        if name != "leaks":
            rows = measured(name, modules)
            lines.append(line(name, rows))
            bad = bad or (name in ("all", "root") and any(row.harm for row in rows))
    print("\n".join(lines) if len(lines) > 2 else "")
    if "leaks" in wanted:
        brief = [name for name, one in catalog().items() if one.brief]
        bad = leaks(brief, options.traces) or bad
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
