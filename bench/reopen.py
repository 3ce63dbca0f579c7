"""How long a user waits for the hints of a repository that was open before.

    python bench/reopen.py [FOLDER] [--rounds 3]

A real client starts a real server in a cache folder of its own, opens every Python file of the folder (`examples/`) at
once, and waits until each one has its final hints: from the start of the server's process to the last answer.  First
with nothing known, then again and again with what the first session left.  Then the same for `fx-lsp check`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lsprotocol import types

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from fx_lsp.server.cache import NAME
from tests.e2e.editor import Editor, clean_environment


async def session(root: Path, cache: str) -> tuple[float, float, float, int, bool]:
    """Seconds until the server is there, until the first file has its hints and until all have; the number of hints,
    and whether a worker was ready."""
    names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))
    started = time.perf_counter()
    editor = await Editor.start(root, environment={"XDG_CACHE_HOME": cache})
    there = time.perf_counter() - started
    await editor.open(names[0])
    await editor.hints(names[0])
    first = time.perf_counter() - started
    for name in names[1:]:
        editor.versions[name], editor.texts[name] = 1, (root / name).read_text()
        document = types.TextDocumentItem(editor.uri(name), types.LanguageKind.Python, 1, editor.texts[name])
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    await editor.settled()
    count = sum([len(await editor.raw_hints(name)) for name in names])
    seconds = time.perf_counter() - started
    ready = any("worker ready" in entry.message for entry in editor.client.log_messages)
    await editor.stop()
    return there, first, seconds, count, ready


def check(root: Path, cache: str) -> tuple[float, int]:
    """Seconds of `fx-lsp check`, and the number of hints."""
    command = [sys.executable, "-m", "fx_lsp.cli", "check", "--trust", "--format", "json", "."]
    environment = {**clean_environment({"XDG_CACHE_HOME": cache}), "PYTHONPATH": str(REPOSITORY)}
    started = time.perf_counter()
    answer = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - started
    return seconds, sum(len(file["hints"]) for file in json.loads(answer.stdout)["files"])


def main() -> int:
    """Exit status: 1 when a session that knows the answers shows other hints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=REPOSITORY / "examples")
    parser.add_argument("--rounds", type=int, default=3, help="sessions with what the first one left (3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "workspace"
        shutil.copytree(options.folder, root, ignore=shutil.ignore_patterns("__pycache__"))
        cache = os.path.join(place, "cache")
        cold, *again = [asyncio.run(session(root, cache)) for _ in range(options.rounds + 1)]
        size = os.path.getsize(os.path.join(cache, "fx-lsp", "answers", NAME))
        there, first, all_ = (statistics.median(one[number] for one in again) for number in (0, 1, 2))
        print(f"{len(list(root.rglob('*.py')))} files, {cold[3]} hints, {size / 2**10:.0f} KiB kept")
        print("                   server there  first file   all files")
        print(f"nothing known       {cold[0]:9.2f} s {cold[1]:9.2f} s {cold[2]:9.2f} s")
        print(f"opened again        {there:9.2f} s {first:9.2f} s {all_:9.2f} s   (median of {options.rounds})")
        print(f"ratio                           {cold[1] / first:11.1f} {cold[2] / all_:11.1f}")
        print(f"sessions in which a worker was ready before the last hints: {sum(one[4] for one in again)}")
        empty = os.path.join(place, "empty")
        checks = [check(root, empty) for _ in range(options.rounds + 1)]
        known = statistics.median(seconds for seconds, _ in checks[1:])
        print(f"fx-lsp check: {checks[0][0]:.2f} s, again {known:.2f} s, ratio {checks[0][0] / known:.1f}")
    same = {one[3] for one in (cold, *again)} == {cold[3]} and len({count for _, count in checks}) == 1
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
