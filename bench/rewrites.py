"""What `fx-lsp rewrite` finds in code that works, and whether it still computes the same.

    python bench/rewrites.py vit_pytorch              one package of bench/packages/
    python bench/rewrites.py transformers --draw 10   so many model folders of it, drawn with a fixed seed
    python bench/rewrites.py transformers --apart     each folder opened by itself, the rest as it is installed
    python bench/rewrites.py --speed                  time and memory of old and new, where that is the point

Copies the package's source twice, rewrites every safe place of one copy with `--write`, and prints per rule how many
were done and how many were refused after they had been run.  Then each example of a changed file that comes to a
changed class or function is run on both copies in plain Python sessions, without anything of fx-lsp, and the outputs
are compared; where the weights do not fit into memory, with such as take none.  What is done stands in
`.bench/rewritten/`: `--from N` goes on at the file of number N.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext, suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from accuracy import CACHE, interpreter, read, set_up
from coverage import SEED, files, in_turn, workspace

from tests.reference.batch import MEMORY, SECONDS, THIN
from tests.reference.product import check, python_path

LINE = re.compile(r"^(.+?):(\d+): ([\w:-]+): (.*)$")
BATCH = 4
Tried = tuple[list[str], list[str], list[str], int, Counter[str]]
Example = tuple[str, str, str]
"""Its scope, its setup, its call."""
CLOSE = 1e-4

SPEED = {
    "attention": (
        "k, v = x + 1, x - 1\n        scores = x @ k.transpose(-2, -1) / 8.0\n        return scores.softmax(-1) @ v",
        "(4, 8, 1024, 64)",
    ),
    "cat in a loop": (
        "out = x[:, :1]\n        for t in range(1, 256):\n            out = torch.cat([out, x[:, t : t + 1]], dim=1)\n"
        "        return out",
        "(8, 256, 128)",
    ),
    "repeat": ("return x + x[:1].repeat(x.shape[0], 1, 1)", "(64, 512, 256)"),
    "einsum": ("return torch.einsum('bij,bjk->bik', x, x)", "(16, 256, 256)"),
}
MODEL = "import torch\nfrom torch import nn\n\n\n# fx: Net()(torch.randn{size})\nclass Net(nn.Module):\n" \
        "    def forward(self, x):\n        {body}\n"  # fmt: skip
FULL, SLIM = "", "slim"
"""Weights of an example: as it makes them, or ones that take no memory."""
PATIENCE = 3
"""How many times as long the new one may take: other work on the machine is no difference between the two."""


def rewritten(root: Path, paths: list[str], python: str) -> tuple[list[str], list[str]]:
    """Rewrite the files below `root`, of which may be kept what a check found; what was done, and what was not."""
    done: list[str] = []
    refused: list[str] = []
    for at in range(0, len(paths), BATCH):
        command = [sys.executable, "-m", "fx_lsp.cli", "rewrite", "--write", "--trust"]
        command += ["--interpreter", python, *paths[at : at + BATCH]]
        environment = {**os.environ, "PYTHONPATH": python_path()}
        answer = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
        if answer.returncode not in (0, 1):
            raise RuntimeError(answer.stderr[-2000:])
        done += answer.stdout.splitlines()
        said = answer.stderr.splitlines()
        refused += [line for line in said if ": not done, " in line or ": nothing was tried: " in line]
    return done, refused


def outputs(root: Path, examples: list[Example], python: str, weights: str, seconds: float) -> list[Any]:
    """What each example gives in a session of its own; None for one that does not run so, or not in time."""
    import torch

    wanted = json.dumps(examples)
    environment = {**os.environ, "PYTHONPATH": python_path()}
    with tempfile.TemporaryDirectory() as folder:
        command = [python, __file__, "--outputs", folder, str(root), weights, str(seconds)]
        subprocess.run(command, input=wanted, env=environment, capture_output=True, text=True, check=True)
        files = [Path(folder) / f"{number}.pt" for number in range(len(examples))]
        return [torch.load(file) if file.exists() else None for file in files]


def give_outputs(folder: str, root: str, weights: str, seconds: str) -> None:
    """Run each of the examples that stand on stdin, in a process that is forked once their files are imported, and save
    the tensors that it gives.
    """
    from tests.reference import session

    examples = json.load(sys.stdin)
    for scope in {scope for scope, _, _ in examples}:
        with suppress(Exception):  # an example of it fails by itself
            session.import_scope(root, scope)
    for number, example in enumerate(examples):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _give(Path(folder) / f"{number}.pt", root, example, weights)
                status = 0
            finally:
                os._exit(status)
        end = time.monotonic() + float(seconds)
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.02)


def _give(target: Path, root: str, example: Example, weights: str) -> None:
    import torch
    from torch.utils import _pytree

    from tests.reference import session
    from tests.reference.slim import slim

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    with slim() if weights == SLIM else nullcontext():
        leaves = _pytree.tree_leaves(session.evaluate(root, *example))
    whole = target.with_suffix(".part")
    torch.save([one.detach() for one in leaves if isinstance(one, torch.Tensor)], whole)
    whole.rename(target)


def same(old: Any, new: Any) -> bool:
    """Whether the tensors are, up to rounding."""
    import torch

    return len(old) == len(new) and all(
        one.shape == two.shape and one.dtype == two.dtype and torch.allclose(one, two, CLOSE, CLOSE, equal_nan=True)
        for one, two in zip(old, new, strict=True)
    )


def measure(name: str, draw: int, seed: int, python: str | None, first: int, jobs: int, apart: bool) -> None:
    """Rewrite a package and compare, so many files at a time; what is said last holds for all of them so far."""
    package = read(name)
    python = python or interpreter([package])
    before = workspace(package, python)
    after = CACHE / "rewritten" / name
    if first == 0 or not after.exists():
        shutil.rmtree(after, ignore_errors=True)
        shutil.copytree(before, after)
    paths = [path for path in files(before, package, draw, seed) if not fnmatch(Path(path).name, package.templates)]
    random.Random(seed).shuffle(paths)
    size = BATCH if jobs == 1 and not apart else 1
    batches = [paths[at : at + size] for at in range(first, len(paths), size)]
    started, files_done, done, refused, changed, equal = time.perf_counter(), first, [], [], 0, Counter[str]()
    for batch, one, two, differ, verdicts in in_turn(
        lambda part: tried(before, after, part, python, apart), batches, jobs
    ):
        files_done += len(batch)
        done += one
        refused += two
        changed += differ
        equal += verdicts
        for line in [*one, *two]:
            print(f"    {line[:240]}")
        print(f"== {name}: {files_done} of {len(paths)} files, {time.perf_counter() - started:.0f} s")
        counts = [Counter(match[3] for line in lines if (match := LINE.match(line))) for lines in (done, refused)]
        for rule in sorted(counts[0] | counts[1]):
            print(f"  {rule:24} done {counts[0][rule]:4}   refused after running {counts[1][rule]:4}")
        print(f"  {changed} files changed; examples with equal outputs: {dict(equal)}", flush=True)


def tried(before: Path, after: Path, batch: list[str], python: str, apart: bool) -> Tried:
    """What came of a batch: it, what was done and refused, how many files changed, and what their examples give."""
    folder = Path(batch[0]).parent if apart else Path()
    names = [str(Path(path).relative_to(folder)) for path in batch]
    if apart:
        (after / folder / ".git").mkdir(exist_ok=True)  # the root of a workspace
    report = check(str(after / folder), names, python, kept=True)
    done, refused = rewritten(after / folder, names, python)
    differ = [name for name in names if (before / folder / name).read_bytes() != (after / folder / name).read_bytes()]
    found = [one for file in report["files"] if file["path"] in differ for one in file["examples"]]
    examples = dict.fromkeys((str(folder / one["scope"]), one["setup"], one["call"]) for one in found)
    names = {word for name in differ for word in concerned(before / folder / name, after / folder / name)}
    wanted = [one for one in examples if names & {*re.findall(r"\w+", one[1] + " " + one[2])}]
    return batch, done, refused, len(differ), compared(before, after, wanted, python)


def concerned(before: Path, after: Path) -> set[str]:
    """Classes and functions of a file that were changed, or name one that is concerned."""
    old, new = ({one.name: one for one in ast.parse(path.read_bytes()).body if hasattr(one, "name")}
                for path in (before, after))  # fmt: skip
    found = {name for name in new if name not in old or ast.dump(old[name]) != ast.dump(new[name])}
    used = {name: {*re.findall(r"\w+", ast.unparse(one))} for name, one in new.items()}
    while more := {name for name, words in used.items() if name not in found and words & found}:
        found |= more
    return found


def compared(before: Path, after: Path, examples: list[Example], python: str) -> Counter[str]:
    """How many examples, as they were found before, give the same on both copies, with the same kind of weights."""
    verdicts, left = Counter[str](), examples
    for weights, seconds in ((FULL, SECONDS), (SLIM, THIN)):
        old = outputs(before, left, python, weights, seconds)
        ran = [(one, was) for one, was in zip(left, old, strict=True) if was is not None]
        left = [one for one, was in zip(left, old, strict=True) if was is None]
        now = outputs(after, [one for one, _ in ran], python, weights, seconds * PATIENCE)
        for (one, was), new in zip(ran, now, strict=True):
            verdict = "broken" if new is None else str(same(was, new))
            verdicts[verdict] += 1
            if verdict != "True":
                print(f"  {verdict}: {' '.join(part[:400] for part in one)}", flush=True)
    return verdicts + Counter({"did not run before": len(left)})


def speed() -> None:
    """Old and new in turn, in one process."""
    import torch

    torch.set_num_threads(1)
    for name, (body, size) in SPEED.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.py"
            (Path(folder) / ".git").mkdir()
            path.write_text(MODEL.format(size=size, body=body))
            old = _model(path)
            done, refused = rewritten(Path(folder), ["model.py"], sys.executable)
            new = _model(path)
        if not done:
            print(f"{name}: not rewritten: {refused}")
            continue
        x = torch.randn(eval(size))
        times: dict[str, list[float]] = {"old": [], "new": []}
        for _ in range(9):
            for kind, model in (("old", old), ("new", new)):
                started = time.perf_counter()
                model(x)
                times[kind].append(time.perf_counter() - started)
        one, two = (sorted(times[kind])[4] for kind in ("old", "new"))
        peak = {kind: _peak(model, x) for kind, model in (("old", old), ("new", new))}
        print(f"{name:14} {one * 1e3:8.2f} ms → {two * 1e3:8.2f} ms, ratio {two / one:.2f};"
              f" peak {peak['old']:7.1f} → {peak['new']:7.1f} MB   ({done[0].split(': ')[1]})")  # fmt: skip


def _model(path: Path) -> Any:
    names: dict[str, Any] = {"__name__": "model"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["Net"]().eval()


def _peak(model: Any, x: Any) -> float:
    """Growth of a process of its own, in MB."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        model(x)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(writer, str(grown).encode())
        os._exit(0)
    os.close(writer)
    os.wait()
    return int(os.read(reader, 100)) / 1024


def main() -> int:
    """Exit status."""
    if sys.argv[1:2] == ["--outputs"]:
        give_outputs(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", help="name of a file in bench/packages/")
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="folders of models that are drawn (all)")
    parser.add_argument("--seed", type=int, default=SEED, help="what is drawn with (%(default)s)")
    parser.add_argument("--python", help="interpreter with torch and the packages, used as it is")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="N", help="go on at this file, from 0")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="files at a time (%(default)s)")
    parser.add_argument("--apart", action="store_true", help="each folder of models is a workspace of its own")
    parser.add_argument("--speed", action="store_true", help="time and memory")
    options = parser.parse_args()
    os.environ["XDG_CACHE_HOME"] = str(CACHE / "cache")
    if options.speed:
        speed()
        return 0
    set_up()
    chosen = options.draw, options.seed, options.python, options.first, options.jobs, options.apart
    measure(options.package or "vit_pytorch", *chosen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
