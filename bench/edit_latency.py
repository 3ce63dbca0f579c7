"""From a keystroke to the hints of the new text, beside what they cannot be faster than.

    python bench/edit_latency.py [MODEL...] [--edits 30]
    python bench/edit_latency.py depth       GPT-2 with 12, 24, 48 and 96 layers
    python bench/edit_latency.py typing      a line of 300 characters at 8 keys a second
    python bench/edit_latency.py requests    hover and hints in a file of 1,000 lines while its model runs
    python bench/edit_latency.py actions     the lightbulb on each line of a model, after each edit and again

A real client types into GPT-2, ResNet-50, ViT and a Llama of transformers (which must be installed): into a file that
uses the model, and into the file with the model, which the first one imports.  `first` is the time from didChange until
a hint of the new line is answered, `all` until nothing is pending.  The floor is a process that has everything imported
and is given the same texts, in turn: import of the files, build and forward on fake tensors.  Exit status 1 when the
median of `first` is above 1.5 × that of the floor, or its 95th percentile above 2.5 × the floor's median.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from lsprotocol import types

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from bench.latency.models import MODELS, Model, edited
from tests.e2e.editor import Editor
from tests.e2e.processes import children

NAMED = [name for name in MODELS if "-" not in name]
FILES = ("layers.py", "model.py")
P50, P95 = 1.5, 2.5
WARM_UP = 3
"""Edits that are not counted."""
PAUSE = 0.4
"""Seconds between an answer and the next edit."""


class Floor:
    """The process that has everything imported."""

    def __init__(self, model: Model) -> None:
        command = [sys.executable, str(REPOSITORY / "bench/latency/floor.py"), model.floor]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, texts: dict[str, str]) -> float:
        """Of these texts."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(texts), file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def stop(self) -> None:
        """End it."""
        self._process.communicate()


async def answered(editor: Editor, name: str, text: str, number: int) -> tuple[float, float]:
    """Seconds from the change to the first hint of the new line, and until nothing is pending."""
    line = next(at for at, one in enumerate(text.split("\n")) if f"step_{number} = " in one)
    started = time.perf_counter()
    seen = editor.refreshes["hints"]
    settled = asyncio.create_task(editor.replace(name, text))
    while True:
        refreshed = asyncio.create_task(editor.until(lambda seen=seen: editor.refreshes["hints"] > seen))
        await asyncio.wait({settled, refreshed}, return_when=asyncio.FIRST_COMPLETED)
        over, seen = settled.done(), editor.refreshes["hints"]
        refreshed.cancel()
        if await editor.raw_hints(name, line, line + 1):
            break
        assert not over, f"no hint for step_{number}\n{editor.log()}"
    first = time.perf_counter() - started
    await settled
    return first, time.perf_counter() - started


@asynccontextmanager
async def opened(model: Model, **options: Any) -> AsyncIterator[Editor]:
    """Both files are open and have their hints."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "workspace"
        model.plant(root)
        editor = await Editor.start(root, environment={"XDG_CACHE_HOME": f"{place}/cache"}, **options)
        for name in FILES:
            await editor.open(name)
        yield editor
        await editor.stop()


async def measure(model: Model, edits: int) -> dict[str, dict[str, list[float]]]:
    """Seconds by what is edited: the floor, the first hint, all hints."""
    found: dict[str, dict[str, list[float]]] = {}
    async with opened(model) as editor:
        floor = Floor(model)
        for name, cls in (("model.py", "Model"), ("layers.py", model.edited)):
            times = found[name] = {"floor": [], "first": [], "all": []}
            for number in range(WARM_UP + edits):
                text = edited(editor.texts[name], cls, number)
                first, settled = await answered(editor, name, text, number)
                await asyncio.sleep(PAUSE)
                texts = {file[:-3]: editor.texts[file] for file in FILES}
                for key, seconds in zip(times, (floor.seconds(texts), first, settled), strict=True):
                    times[key].append(seconds)
        floor.stop()
    return {name: {key: values[WARM_UP:] for key, values in times.items()} for name, times in found.items()}


async def type_a_line(model: Model) -> None:
    """Print what it costs to type, and how long the answer takes after the last key."""
    async with opened(model) as editor:
        name = "model.py"
        line = "        step_1 = x + " + " + ".join(["1"] * 70)
        text = editor.texts[name].replace("        y = self.net(x)", "@\n        y = self.net(x)")
        before, started = processor_seconds(editor.pid), time.perf_counter()
        for length in range(1, len(line) + 1):
            editor.type(name, text.replace("@", line[:length]))
            await asyncio.sleep(1 / 8)
        spent = processor_seconds(editor.pid) - before
        seconds = time.perf_counter() - started
        first, _ = await answered(editor, name, text.replace("@", line + " + 2"), 1)
    print(f"{len(line)} keys in {seconds:.0f} s: {spent / seconds:.2f} cores; hint {first * 1e3:.0f} ms after the last")


async def ask(model: Model, seconds: float) -> None:
    """Print how long requests take while a trace runs all the time."""
    times: dict[str, list[float]] = {"hover": [], "hints": []}
    async with opened(model) as editor:
        name = "layers.py"
        lines = editor.texts[name].count("\n")
        padded = editor.texts[name] + "".join(f"\nvalue_{number} = {number}" for number in range(1000 - lines))
        await editor.replace(name, padded)
        end = time.perf_counter() + seconds
        for number in count():
            text = edited(editor.texts[name], model.edited, number)
            editor.type(name, text)
            for _ in range(6):
                for key, request in (("hover", editor.hover(name, "super()")), ("hints", editor.raw_hints(name))):
                    started = time.perf_counter()
                    await request
                    times[key].append(time.perf_counter() - started)
                    await asyncio.sleep(0.02)
            if time.perf_counter() > end:
                break
        await editor.settled()
    for key, values in times.items():
        middle, late = statistics.median(values), statistics.quantiles(values, n=20)[-1]
        print(f"{key:6} {len(values)} requests: p50 {middle * 1e3:.1f} ms, p95 {late * 1e3:.1f} ms (limit 20)")


async def look(model: Model) -> None:
    """Print how long the lightbulb takes on every third line, each time after an edit, and once more."""
    edits = types.ClientCodeActionResolveOptions(["edit"])
    actions = types.CodeActionClientCapabilities(resolve_support=edits, data_support=True)
    capabilities = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(code_action=actions))
    times: dict[str, list[float]] = {"first": [], "again": []}
    offered = 0
    async with opened(model, capabilities=capabilities) as editor:
        name = "layers.py"
        for number in range(10):
            await editor.replace(name, edited(editor.texts[name], model.edited, number))
            await editor.settled()
            for line in range(number, editor.texts[name].count("\n"), 30):
                for key in times:
                    place = types.Position(line, 0)
                    asked = types.CodeActionParams(
                        editor.document(name), types.Range(place, place), types.CodeActionContext([])
                    )
                    started = time.perf_counter()
                    found = await editor.ask(editor.client.text_document_code_action_async(asked))
                    times[key].append(time.perf_counter() - started)
                    offered += len(found or ())
    for key, values in times.items():
        late = statistics.quantiles(values, n=20)[-1] * 1e3
        print(f"{key}: {len(values)} requests, {offered} actions: p50 {statistics.median(values) * 1e3:.1f} ms,"
              f" p95 {late:.1f} ms (limit 100)")  # fmt: skip


def processor_seconds(pid: int) -> float:
    """Of the server and everything below it, ended or not."""
    found = 0.0
    for one in (pid, *children(pid)):
        with suppress(OSError):
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            found += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return found


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=NAMED, metavar="MODEL")
    parser.add_argument("--edits", type=int, default=30)
    options = parser.parse_args()
    if options.models == ["typing"]:
        asyncio.run(type_a_line(MODELS["gpt2"]))
        return 0
    if options.models == ["actions"]:
        asyncio.run(look(MODELS["llama"]))
        return 0
    if options.models == ["requests"]:
        asyncio.run(ask(MODELS["gpt2"], 15))
        return 0
    if options.models == ["depth"]:
        options.models = [name for name in MODELS if name.startswith("gpt2-")]
    print(f"{'':22}{'floor':>8}{'first':>8}{'p95':>8}{'all':>8}{'p95':>8}   first / floor: p50, p95")
    missed = False
    for name in options.models:
        for file, times in asyncio.run(measure(MODELS[name], options.edits)).items():
            middle = {key: statistics.median(values) for key, values in times.items()}
            late = {key: statistics.quantiles(values, n=20)[-1] for key, values in times.items()}
            columns = (middle["floor"], middle["first"], late["first"], middle["all"], late["all"])
            ratios = middle["first"] / middle["floor"], late["first"] / middle["floor"]
            missed = missed or ratios[0] > P50 or ratios[1] > P95
            shown = "".join(f"{seconds * 1e3:8.0f}" for seconds in columns)
            print(f"{name + ' ' + file:22}{shown}   {ratios[0]:.2f}, {ratios[1]:.2f}", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
