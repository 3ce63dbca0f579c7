"""A repository of a hundred models that nobody has opened before.

    python bench/cold_repository.py [--files 100]

The files are those of `examples/` again and again, each a module of its own, without the scripts that call them.  A
real client starts a real server with an empty cache, opens one file and waits for its hints; `once` is a fresh Python
process that imports torch and the file and runs the same example for real.  Then the client leaves the server alone
until it has worked through all files by itself; meanwhile and afterwards it edits the open file, in turn with nothing
else to do.  At last another session opens all files.  Exit status 1 when the first hints take more than 3 × `once`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lsprotocol import types

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from tests.e2e.editor import Editor, clean_environment

LIMIT = 3.0
EDITS = 10
PLAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.reference.session import TensorMaker, DTYPES
import importlib, json, torch
example = json.loads(sys.argv[2])
sys.path.insert(0, sys.argv[3])
module = importlib.import_module(example["scope"][:-3])
names = {**vars(module), **{name: TensorMaker(getattr(torch, full)) for name, full in DTYPES.items()}}
exec(example["setup"], names)
eval(example["call"], names)
"""


def plant(root: Path, count: int) -> list[str]:
    """The repository; names of its files."""
    root.mkdir()
    models = [
        path for path in sorted((REPOSITORY / "examples").glob("*.py"))
        if "nn.Module" in path.read_text() and not path.name.startswith(("test_", "broken_"))
    ]  # fmt: skip
    names = [f"{models[number % len(models)].stem}_{number}.py" for number in range(count)]
    for number, name in enumerate(names):
        shutil.copy(models[number % len(models)], root / name)
    return names


def once(root: Path, name: str) -> float:
    """Seconds of the file's first example in a process of its own."""
    command = [sys.executable, "-m", "fx_lsp.cli", "check", "--trust", "--format", "json", "--no-cache", name]
    environment = {**clean_environment({}), "PYTHONPATH": str(REPOSITORY)}
    answer = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    example = next(file for file in json.loads(answer.stdout)["files"] if file["path"] == name)["examples"][0]
    took: list[float] = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", PLAIN, REPOSITORY, json.dumps(example), root], check=True)
        took.append(time.perf_counter() - started)
    return statistics.median(took)


def ahead(editor: Editor) -> list[Any]:
    """What the client was told of the files that are not open."""
    reports = [value for values in editor.client.progress_reports.values() for value in values]
    return [value for value in reports if " of " in (value.message or "")]


async def edits(editor: Editor, name: str, number: int) -> list[float]:
    """Seconds from an edit that changes a number until the new hints are there."""
    took: list[float] = []
    for round_ in range(number):
        text = re.sub(r"\n# edit \d+ .*|$", f"\n# edit {round_} \nedited = {round_}\n", editor.texts[name], count=1)
        started = time.perf_counter()
        await editor.replace(name, text)
        await editor.settled()
        await editor.raw_hints(name)
        took.append(time.perf_counter() - started)
        await asyncio.sleep(0.2)
    return took


async def session(root: Path, names: list[str], cache: str) -> dict[str, float]:
    """Seconds of the first one."""
    environment = {"XDG_CACHE_HOME": cache}
    started = time.perf_counter()
    editor = await Editor.start(root, environment=environment)
    await editor.open(names[0])
    hints = await editor.hints(names[0])
    assert hints
    found = {"first": time.perf_counter() - started}
    started = time.perf_counter()
    while not any(one.kind == "report" for one in ahead(editor)):
        await asyncio.sleep(0.1)
    during = await edits(editor, names[0], EDITS)
    while not any(f"{len(names) - 1} of" in (one.message or "") and one.kind == "end" for one in ahead(editor)):
        await asyncio.sleep(0.2)
    found["all"] = time.perf_counter() - started
    after = await edits(editor, names[0], EDITS)
    await editor.stop()
    return {**found, "during": statistics.median(during), "after": statistics.median(after)}


async def again(root: Path, names: list[str], cache: str) -> tuple[float, int, int]:
    """Another session opens all files: seconds, hints, and whether anything was run."""
    started = time.perf_counter()
    editor = await Editor.start(root, environment={"XDG_CACHE_HOME": cache}, settings={"runAhead": False})
    for name in names:
        editor.versions[name], editor.texts[name] = 1, (root / name).read_text()
        document = types.TextDocumentItem(editor.uri(name), types.LanguageKind.Python, 1, editor.texts[name])
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    await editor.settled()
    count = sum([len(await editor.raw_hints(name)) > 0 for name in names])
    seconds = time.perf_counter() - started
    ready = any("worker ready" in entry.message for entry in editor.client.log_messages)
    await editor.stop()
    return seconds, count, ready


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        root, cache = Path(place) / "workspace", str(Path(place) / "cache")
        names = plant(root, options.files)
        plain = once(root, names[0])
        cold = asyncio.run(session(root, names, cache))
        seconds, shown, ready = asyncio.run(again(root, names, cache))
    print(f"{len(names)} files, nothing known")
    print(f"its example once, in a fresh process    {plain:8.2f} s")
    print(f"first hints after the server's start    {cold['first']:8.2f} s   ratio {cold['first'] / plain:.2f}")
    print(f"all files, by itself                    {cold['all']:8.2f} s")
    print(f"an edit meanwhile / afterwards          {cold['during'] * 1e3:8.0f} / {cold['after'] * 1e3:.0f} ms")
    print(f"another session, all files opened       {seconds:8.2f} s   {shown} with hints, a worker was ready: {ready}")
    return int(cold["first"] > LIMIT * plain)


if __name__ == "__main__":
    sys.exit(main())
