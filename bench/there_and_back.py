"""Whether what is shown depends on the text alone, and not on the way that led there.

    python bench/there_and_back.py FILE... [--edits 10] [--seed 0] [--python PYTHON]

Opens a copy of each file by itself, makes one mistake at a time in a line of a function (the line left out, a number
one more, a name that is not there), waits, takes it back, and waits.  The hints have to be those of before.  Counted
apart is where the same lines have hints of other inputs, which were found while the mistake was there, or names of dims
that came meanwhile.  Exit status 1 where lines that had hints have none.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from tests.e2e.editor import Editor

_HINT = re.compile("⟦.*?⟧")


def mistakes(text: str, number: int, draw: random.Random) -> Iterator[tuple[int, str]]:
    """So many texts with a mistake each, and its line from 1."""
    lines = text.split("\n")
    inside = [at for at, line in enumerate(lines) if re.match(r" {8}\s*[^\s#\"']", line)]
    while inside and number:
        at = draw.choice(inside)
        line = lines[at]
        changed = draw.choice(
            [
                re.sub(r"\S.*", "pass", line),
                re.sub(r"\d+", lambda found: str(int(found[0]) + 1), line, count=1),
                re.sub(r"\b[a-z]\w*", "not_there", line, count=1),
            ]
        )
        if changed != line:
            number -= 1
            yield at + 1, "\n".join([*lines[:at], changed, *lines[at + 1 :]])


async def measure(path: Path, edits: int, seed: int, python: str) -> Counter[str]:
    """How often the hints were the same, of other inputs, or fewer."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "workspace"
        root.mkdir()
        shutil.copy(path, root)
        options = {"interpreter": python}
        editor = await Editor.start(root, options=options, environment={"XDG_CACHE_HOME": f"{place}/cache"})
        await editor.open(path.name)
        await editor.settled()
        text = editor.texts[path.name]
        before = await editor.hints(path.name)
        for line, wrong in mistakes(text, edits, random.Random(seed)):
            started = time.perf_counter()
            await editor.replace(path.name, wrong)
            await editor.replace(path.name, text)
            after = await editor.hints(path.name)
            bare = [[_HINT.sub("", one) for one in hints] for hints in (before, after)]
            verdict = "same" if after == before else "other inputs" if bare[0] == bare[1] else "FEWER"
            found[verdict] += 1
            print(f"  line {line}: {verdict} ({time.perf_counter() - started:.1f} s)", flush=True)
            for one in sorted({*before} ^ {*after}):
                print(f"    {'was' if one in before else 'now'} {one}")
            before = after
        await editor.stop()
    return found


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=10, help="of each file (%(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--python", default=sys.executable, help="interpreter with torch and what the files import")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for path in options.files:
        found = asyncio.run(measure(path, options.edits, options.seed, options.python))
        print(f"{path.name}: {dict(found)}", flush=True)
        total += found
    print(f"all: {dict(total)}")
    return int(total["FEWER"] > 0)


if __name__ == "__main__":
    sys.exit(main())
