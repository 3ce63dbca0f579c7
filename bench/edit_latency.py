"""From a keystroke to the hints of the new text, beside what they cannot be faster than.

    python bench/edit_latency.py [MODEL...] [--edits 30]

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
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from bench.latency.models import MODELS, Model, edited
from tests.e2e.editor import Editor

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
        assert self._process.stdin is not None and self._process.stdout is not None
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
        refreshed = asyncio.create_task(editor.until(lambda: editor.refreshes["hints"] > seen))
        await asyncio.wait({settled, refreshed}, return_when=asyncio.FIRST_COMPLETED)
        over, seen = settled.done(), editor.refreshes["hints"]
        refreshed.cancel()
        if await editor.raw_hints(name, line, line + 1):
            break
        assert not over, f"no hint for step_{number}\n{editor.log()}"
    first = time.perf_counter() - started
    await settled
    return first, time.perf_counter() - started


async def measure(model: Model, edits: int) -> dict[str, dict[str, list[float]]]:
    """Seconds by what is edited: the floor, the first hint, all hints."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "workspace"
        model.plant(root)
        editor = await Editor.start(root, environment={"XDG_CACHE_HOME": f"{place}/cache"})
        floor = Floor(model)
        for name in ("layers.py", "model.py"):
            await editor.open(name)
        found: dict[str, dict[str, list[float]]] = {}
        for name, cls in (("model.py", "Model"), ("layers.py", model.edited)):
            times = found[name] = {"floor": [], "first": [], "all": []}
            for number in range(WARM_UP + edits):
                text = edited(editor.texts[name], cls, number)
                first, settled = await answered(editor, name, text, number)
                await asyncio.sleep(PAUSE)
                texts = {file[:-3]: editor.texts[file] for file in ("layers.py", "model.py")}
                for key, seconds in zip(times, (floor.seconds(texts), first, settled), strict=True):
                    times[key].append(seconds)
        floor.stop()
        await editor.stop()
    return {name: {key: values[WARM_UP:] for key, values in times.items()} for name, times in found.items()}


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(MODELS), metavar="MODEL")
    parser.add_argument("--edits", type=int, default=30)
    options = parser.parse_args()
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
