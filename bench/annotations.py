"""Whether annotated models run under jaxtyping's own checker, and still have the same examples.

    python bench/annotations.py [FILE...]

Traces every file (those of examples/ by default), annotates every function that ran, and runs the traced calls of the
annotated text on real tensors, with jaxtyping's import hook and beartype.  Prints one line per file: functions that got
annotations, calls that ran, calls that the checker refused, and classes that no longer run when the annotated file is
traced.  Exit status 1 when a call was refused or a class is gone.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
EXAMPLES = REPOSITORY / "examples"
sys.path.insert(0, str(REPOSITORY))

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.annotations.signature import functions, of_function
from fx_lsp.analysis.coverage import coverage
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.server.engine import Engine
from fx_lsp.server.trust import Trust


async def traced(path: Path) -> Snapshot:
    """The file with everything that ran through it.

    Raises:
        RuntimeError: nothing came.
    """
    trust = Trust()
    trust.word = True
    engine = Engine(trust=trust)
    try:
        async for snapshot in engine.check([str(path)]):
            if snapshot.path == str(path):
                return snapshot
    finally:
        await engine.stop()
    raise RuntimeError(f"{path}: no answer")


def annotated(snapshot: Snapshot) -> tuple[str, int]:
    """The text with all its functions annotated, and how many there are."""
    changes: list[tuple[Span, str]] = []
    imports: dict[str, set[str]] = {}
    place, count = None, 0
    for function, owner in functions(snapshot):
        found = of_function(snapshot, function, owner)
        count += bool(found)
        for span, new in found:
            if span.line >= function.lineno:
                changes.append((span, new))
            elif (match := re.fullmatch(r"from (\w+) import (.*)\n", new)) is not None:
                place = min(place or span, span)
                imports.setdefault(match[1], set()).update(match[2].split(", "))
            else:
                changes.append((span, new))
    lines = "".join(f"from {module} import {', '.join(sorted(names))}\n" for module, names in sorted(imports.items()))
    return applied(snapshot.text, [*dict.fromkeys(changes), *([(place, lines)] if place is not None else [])]), count


CHECKED = """
import importlib, json, os, sys
root, module, calls = json.loads(sys.stdin.read())
repository, folder = root
sys.path[:0] = [folder, repository]
from jaxtyping import install_import_hook
from fx_lsp.worker.example import INTEGERS, namespace, run, seed
with install_import_hook(module, "beartype.beartype"):
    loaded = importlib.import_module(module)
for setup, call in calls:
    seed(0)
    try:
        run(setup, call, namespace(loaded, INTEGERS[0]))
        said = ""
    except Exception as error:
        said = f"{type(error).__module__}.{type(error).__name__}: {error}"
    print("\\x01" + json.dumps(said), flush=True)
"""


def checked(folder: Path, snapshot: Snapshot) -> list[str]:
    """What the checker says of each call of the file that ran to its end; empty where it says nothing.

    Raises:
        RuntimeError: the annotated file cannot be imported.
    """
    calls = [
        (trace.example.setup, trace.call)
        for trace in snapshot.traces
        if trace.reply.failure is None and trace.example.scope == snapshot.path
    ]
    given = json.dumps([[str(REPOSITORY), str(folder)], Path(snapshot.path).stem, calls])
    done = subprocess.run([sys.executable, "-c", CHECKED], input=given, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("\x01")]


async def judged(path: Path) -> bool:
    """Prints the line of one file; whether it is as it must be."""
    before = await traced(path)
    text, count = annotated(before)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / path.parent.name
        shutil.copytree(path.parent, folder)
        (folder / path.name).write_text(text)
        said = checked(folder, before)
        after = await traced(folder / path.name)
    ran = {entry.module.name for entry in coverage(before) if entry.status == "traced"}
    gone = ran - {entry.module.name for entry in coverage(after) if entry.status == "traced"}
    refused = [one for one in said if one]
    print(f"{path.name}: {count} functions, {len(said)} calls, {len(refused)} refused, {len(gone)} classes gone")
    for one in refused:
        print("   ", one.replace("\n", "\n    ")[:2000])
    if gone:
        print("    gone:", ", ".join(sorted(gone)))
    if "-v" in sys.argv:
        print("\n".join(line for line in text.splitlines() if ("def " in line and '"' in line) or "jaxtyping" in line))
        print("   ", *((t.example.origin, t.call) for t in after.traces), sep="\n    ")
    return not refused and not gone


async def main() -> int:
    """Every file in turn."""
    named = [Path(name).resolve() for name in sys.argv[1:] if name != "-v"]
    results = [await judged(path) for path in named or sorted(EXAMPLES.glob("*.py"))]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
