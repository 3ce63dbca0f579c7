"""What isolation costs: a trace in the worker as the server runs it, against the same trace in a process that stays.

    python bench/isolation.py [ROUNDS]

`isolated` is the time from the request to the whole reply, through the launcher, the zygote and a spare child with all
layers of the sandbox.  `persistent` is `run` and the encoding of its reply in one process that imports torch once, is
confined by nothing and traces again and again; whatever a trace patches is put back in between, outside of the time
taken.  Both take turns, so that they meet the same machine.  Prints the medians in milliseconds; then the time from the
start of the worker to the first answer, and the memory of a worker that waits.  Exit status 1 when GPT-2 (12 layers of
width 768) takes more than 1.25 times as long isolated, or a small CNN more than 10 ms longer.
"""

from __future__ import annotations

import asyncio
import builtins
import importlib
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))
sys.dont_write_bytecode = True

from fx_lsp.model import wire
from fx_lsp.model.messages import Prepare, TraceRequest

RATIO = 1.25
MORE = 10.0
WARM_UP = 4
"""Rounds that are run but not counted."""
PAUSE = 0.3
"""Seconds between two traces: somebody types."""

CNN = """from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2))
        self.conv = nn.Conv2d(16, 32, 3)
        self.fc = nn.Linear(32, 10)

    def forward(self, x):
        x = self.features(x)
        x = self.conv(x).relu()
        x = x.mean((2, 3))
        return self.fc(x)
"""
PERSISTENT = "persistent"


def requests(folder: Path) -> dict[str, TraceRequest]:
    """What is traced, by name."""
    (folder / "cnn.py").write_text(CNN)
    examples = REPOSITORY / "examples"
    calls = {
        "GPT-2, 12 x 768": (examples, "gpt2.py", "GPT(GPTConfig())(i64[4, 64])", "fake"),
        "small CNN": (folder, "cnn.py", "Net()(f32[2, 3, 32, 32])", "fake"),
        "small CNN, real": (folder, "cnn.py", "Net()(f32[2, 3, 32, 32])", "real"),
    }
    return {
        name: TraceRequest(number, str(root), str(root / file), call, engine=engine)
        for number, (name, (root, file, call, engine)) in enumerate(calls.items())
    }


def stay() -> None:
    """The persistent process: reads a request a line, and answers with its milliseconds."""
    import torch
    from torch import nn
    from torch._subclasses import fake_tensor

    from fx_lsp.worker.capture import probes
    from fx_lsp.worker.prepared import PREPARED
    from fx_lsp.worker.run import run
    from fx_lsp.worker.warm import warm_up

    torch.set_num_threads(1)
    warm_up()
    patched: list[tuple[Any, str]] = [
        (nn.Module, "__call__"), (nn.Parameter, "__new__"), (fake_tensor, "__class__"),
        (torch._subclasses, "__class__"), (torch, "compile"), (torch.jit, "trace"), (torch.jit, "trace_module"),
        *((torch.cuda, name) for name in ("synchronize", "set_device", "empty_cache", "current_device")),
        (torch, "cond"), (torch.autograd, "backward"), (builtins, "open"), (io, "open"),
        *((os, name) for name in ("open", "stat", "listdir", "scandir")),
    ]  # fmt: skip
    before = [(owner, name, vars(owner).get(name, getattr(owner, name))) for owner, name in patched]
    modules, finders, path, limit = set(sys.modules), list(sys.meta_path), list(sys.path), sys.getrecursionlimit()
    for line in sys.stdin:
        request = wire.decode(line.encode())
        os.chdir(request.root)
        started = time.perf_counter()
        reply = run(request)
        wire.encode(reply)
        seconds = time.perf_counter() - started
        PREPARED.want(request.root, reply.files)
        while PREPARED.step():
            pass
        for owner, name, value in before:
            setattr(owner, name, value)
        torch.jit._state.enable()
        for name in (probes.BIND, probes.REACH):
            delattr(builtins, name)
        sys.meta_path[:], sys.path[:] = finders, path
        sys.setrecursionlimit(limit)
        files = {os.path.realpath(file) for file in reply.files}
        for name in [name for name in sys.modules if name not in modules]:
            if os.path.realpath(getattr(sys.modules[name], "__file__", None) or "") in files:
                del sys.modules[name]
        importlib.invalidate_caches()
        failure = reply.failure.message if reply.failure is not None else ""
        print(json.dumps([seconds * 1e3, failure, len(reply.bindings)]), flush=True)


async def measure(rounds: int, folder: Path) -> dict[str, dict[str, list[float]]]:
    """Milliseconds by what is traced and how.

    Raises:
        RuntimeError: a trace failed, so its time means nothing.
    """
    from fx_lsp.server.worker_process import WorkerProcess
    from tests.policies import policy

    wanted = requests(folder)
    limits = policy(folder, REPOSITORY / "examples")
    staying = await asyncio.create_subprocess_exec(
        sys.executable, __file__, PERSISTENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    assert staying.stdin is not None
    assert staying.stdout is not None

    async def persistent(request: TraceRequest) -> float:
        staying.stdin.write(wire.encode(request) + b"\n")
        milliseconds, failure, found = json.loads(await staying.stdout.readline())
        if failure or not found:
            raise RuntimeError(f"{request.call}: {failure}")
        return milliseconds

    async def isolated(request: TraceRequest) -> float:
        body = wire.encode(request)
        started = time.perf_counter()
        answer = await worker.ask(request, body, 15.0)
        milliseconds = (time.perf_counter() - started) * 1e3
        reply = wire.decode(answer.reply) if answer.reply is not None else None
        if reply is None or reply.failure is not None or not reply.bindings:
            raise RuntimeError(f"{request.call}: {answer}")
        worker.tell(wire.encode(Prepare(request.root, reply.files, reply.dispatched)))
        return milliseconds

    started = time.perf_counter()
    worker = await WorkerProcess.launch(
        sys.executable, limits, log=lambda text: None, ended=lambda worker, why: None, seconds=120.0
    )
    ready = time.perf_counter()
    for layer in worker.hello.layers:
        if layer.status != "active":
            print(f"not active: {layer.name} ({layer.stage}): {layer.why}")
    first = next(iter(wanted.values()))
    await isolated(first)
    print(f"worker ready after {ready - started:.2f} s, first answer after {time.perf_counter() - started:.2f} s")
    times: dict[str, dict[str, list[float]]] = {name: {"persistent": [], "isolated": []} for name in wanted}
    for _ in range(WARM_UP + rounds):
        for name, request in wanted.items():
            times[name]["persistent"].append(await persistent(request))
            await asyncio.sleep(PAUSE)
            times[name]["isolated"].append(await isolated(request))
            await asyncio.sleep(PAUSE)
    print(memory(worker.hello.pid))
    staying.stdin.close()
    await staying.wait()
    await worker.stop()
    return times


def memory(pid: int) -> str:
    """What a waiting worker holds, shared pages divided among those who share them."""
    family = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    held = []
    for one in family:
        lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()[1:]
        found = {line.split(":")[0]: int(line.split()[1]) >> 10 for line in lines}
        held.append(f"{found['Pss']} MiB ({found['Private_Dirty']} MiB its own)")
    return f"memory: zygote {held[0]}, spares {', '.join(held[1:])}"


def main() -> int:
    """Exit status."""
    if sys.argv[1:] == [PERSISTENT]:
        stay()
        return 0
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder:
        times = asyncio.run(measure(rounds, Path(os.path.realpath(folder))))
    fine = True
    for name, pair in times.items():
        before, after = (statistics.median(pair[how][WARM_UP:]) for how in ("persistent", "isolated"))
        each = statistics.median(b - a for a, b in zip(pair["persistent"], pair["isolated"], strict=True))
        print(
            f"{name}: persistent {before:.1f} ms, isolated {after:.1f} ms, ratio {after / before:.2f}, {each:+.1f} ms"
        )
        fine = fine and (after / before <= RATIO or after - before <= MORE)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
