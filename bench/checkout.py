"""One file of a workspace that is there already, a large package say: opened cold, then edited.

    python bench/checkout.py ROOT FILE STATEMENT [--python P] [--edits 6]

A real client opens FILE of the folder ROOT with an empty cache, and adds a line behind the STATEMENT, an assignment of
the file that has a hint, once in each edit.  `first` is the time from didChange until the new line has a hint, `all`
until nothing is pending.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from bench.edit_latency import answered
from tests.e2e.editor import Editor


async def measure(root: Path, name: str, statement: str, python: str, edits: int, pause: float) -> None:
    """Print the seconds of each."""
    text = (root / name).read_text()
    line = next(one for one in text.split("\n") if one.strip() == statement)
    target = statement.partition("=")[0].strip()
    with tempfile.TemporaryDirectory() as place:
        environment = {"XDG_CACHE_HOME": place, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        started = time.perf_counter()
        editor = await Editor.start(root, environment=environment, options={"interpreter": python})
        await editor.open(name)
        first = asyncio.create_task(_first(editor, name))
        await editor.settled()
        seconds = time.perf_counter() - started
        print(f"opened: first hints {await first - started:.1f} s, all {seconds:.1f} s", flush=True)
        times = []
        for number in range(edits):
            added = f"{line}\n{line[: len(line) - len(line.lstrip())]}step_{number} = {target} + {number}"
            times.append(await answered(editor, name, text.replace(line, added, 1), number))
            print(f"edit: first {times[-1][0]:.2f} s, all {times[-1][1]:.2f} s", flush=True)
            await asyncio.sleep(pause)
        print("median: first {:.2f} s, all {:.2f} s".format(*map(statistics.median, zip(*times, strict=True))))
        await editor.stop()


async def _first(editor: Editor, name: str) -> float:
    while not await editor.raw_hints(name):
        await asyncio.sleep(0.1)
    return time.perf_counter()


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("file", help="relative to the root")
    parser.add_argument("statement", help="one line of it")
    parser.add_argument("--python", default=sys.executable, help="interpreter with torch (this one)")
    parser.add_argument("--edits", type=int, default=6)
    parser.add_argument("--pause", type=float, default=1.5, help="seconds between two edits (%(default)s)")
    options = parser.parse_args()
    root = options.root.resolve()
    asyncio.run(measure(root, options.file, options.statement, options.python, options.edits, options.pause))
    return 0


if __name__ == "__main__":
    sys.exit(main())
