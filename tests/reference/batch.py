"""Runs examples one after another, each in a process of its own forked after `import torch`.

Reads `{"root", "files", "seed", "examples": [{"scope", "setup", "call"}, …]}` on stdin, and writes a list of runs on
stdout.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from tests.reference.product import python_path

SECONDS = 60.0
"""Wall-clock limit of one example."""
THIN = 180.0
"""That of one whose weights take no memory: it was not done in time, or did not fit."""
INTEGERS = ((1, 3), (0, 2), (1, 2), (2, 3))
"""What tensors of integers are drawn from, until an example runs: ids, labels of two classes, ends of a text."""
MEMORY = 8 << 30
"""Bytes of data that one example may hold: a model with the sizes of its published weights may want hundreds."""


def run_examples(
    root: str,
    examples: Sequence[dict[str, str]],
    python: str = sys.executable,
    files: Sequence[str] | None = None,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """One run an example, in order, by the given interpreter; with `files`, only those are watched.

    Raises:
        subprocess.CalledProcessError: the interpreter itself failed, e.g. it has no torch.
    """
    environment = {**os.environ, "PYTHONPATH": python_path(), "PYTHONDONTWRITEBYTECODE": "1"}
    request = json.dumps({"root": root, "files": files, "seed": seed, "examples": list(examples)})
    command = [python, "-m", "tests.reference.batch"]
    answer = subprocess.run(command, input=request, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(answer.stdout)


def forked(root: str, example: dict[str, str], files: Sequence[str] | None = None, seed: int = 0) -> dict[str, Any]:
    """One run that came to its end, with whatever integers it does; else the first.

    Each is in a process that is forked for it and ends with it.  A model whose weights do not fit runs once more with
    weights that take no memory.
    """
    found = _tried(root, example, files, seed)
    return _tried(root, example, files, seed, thin=True) if found["exhausted"] else found


def _tried(
    root: str, example: dict[str, str], files: Sequence[str] | None, seed: int, thin: bool = False
) -> dict[str, Any]:
    first: dict[str, Any] | None = None
    for integers in INTEGERS if re.search(r"\b[iu]\d+\[", example["call"] + example.get("setup", "")) else INTEGERS[:1]:
        found = _forked(root, example, files, seed, integers, thin)
        if not found["error"] or found["exhausted"]:
            return found if first is None or not found["error"] else first
        first = first or found
    assert first is not None
    return first


def _forked(
    root: str, example: dict[str, str], files: Sequence[str] | None, seed: int, integers: tuple[int, int], thin: bool
) -> dict[str, Any]:
    from tests.reference.session import Run, run
    from tests.reference.slim import slim

    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            with slim() if thin else nullcontext():
                call = root, example["scope"], example.get("setup", ""), example["call"]
                result = run(*call, files, integers, seed)
            with os.fdopen(write, "w") as channel:
                json.dump(dataclasses.asdict(result), channel)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    seconds = THIN if thin else SECONDS
    text = _read_all(read, time.monotonic() + seconds)
    if text is None:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if text:
        return json.loads(text)
    why = "the process died" if text is not None else f"no answer after {seconds:.0f} s"
    return dataclasses.asdict(Run(error=why, exhausted=True))


def _read_all(read: int, deadline: float) -> bytes | None:
    """Everything up to the end of the pipe, or None when the time is over."""
    parts = []
    with os.fdopen(read, "rb", buffering=0) as channel:
        while True:
            ready, _, _ = select.select([channel], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return None
            part = channel.read(1 << 16)
            if not part:
                return b"".join(parts)
            parts.append(part)


def main() -> None:
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the examples print is not part of the answer
    request = json.load(sys.stdin)
    runs = [forked(request["root"], example, request["files"], request["seed"]) for example in request["examples"]]
    with channel:
        json.dump(runs, channel)


if __name__ == "__main__":
    main()
