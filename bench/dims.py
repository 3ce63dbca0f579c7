"""Whether the names of dims are true: each is evaluated at other sizes, and the model is run for real at those.

    python bench/dims.py                             examples/ and every package of bench/packages/
    python bench/dims.py examples                    the demo models
    python bench/dims.py torchvision resnet vgg      the models whose path contains one of the words
    python bench/dims.py --ratio                     how long names take beside the first pass

Names the dims of every example as the server has it done, picks three sizes of each named dim that were not tried for
that, runs the example at them in plain torch under the tracer of tests/reference/, and compares every binding of the
example's file: a name is right when its value is what was there.  A dim that is a number in the label and that was
another number in one of these runs varies and is not named.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

MIN_NAMED = 0.95
TRIED = 3
"""Sizes of each dim."""
MAX_TRIES = 16
"""Combinations of sizes, of which some do not run."""
LISTED = 40
MAX_RATIO = 8.0
_SHAPE = re.compile(r"\b([a-z]+\d+\w*)\[([\d, ]*)\]")
_UNKNOWN = re.compile(r"u\d+")

Shapes = tuple[tuple[int, ...], ...]


@dataclass
class Result:
    """Of one example."""

    name: str
    named: int = 0
    missed: int = 0
    """Dims that vary: those with a name, and those without."""
    runs: int = 0
    right: int = 0
    """Names at one size each."""
    ms: float = 0.0
    first_ms: float = 0.0
    wrong: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    note: str = ""


# -- in the interpreter of the models --------------------------------------------------------------------------------


def measure(root: str, scope: str, setup: str, call: str) -> Result:
    """Name the dims of one example, and compare."""
    from fx_lsp.model.messages import TraceRequest
    from fx_lsp.model.naming import Naming
    from tests.reference.batch import forked
    from tests.worker.tracing import in_child

    result = Result(f"{scope}: {call}")
    base = TraceRequest(1, root, os.path.join(root, scope), call, setup, engine="fake", seconds=90)
    first = in_child(base)
    if first.failure is not None or first.fallback:
        base = TraceRequest(1, root, os.path.join(root, scope), call, setup, engine="real", seconds=90)
        first = in_child(base)
    if first.failure is not None:
        result.note = f"does not run: {first.failure.message}"
        return result
    wanted = TraceRequest(1, root, base.scope, call, setup, engine=base.engine, seconds=90, naming=Naming(call))
    (dims, tried), reply = told(lambda: in_child(wanted))
    result.ms, result.first_ms = reply.ms, first.ms
    if reply.failure is not None or not dims:
        result.note = reply.failure.message if reply.failure is not None else "nothing varies"
        return result
    unknown = {(b.span, b.name) for b in first.bindings if any(map(_depends, b.variants))}
    bindings = [b for b in reply.bindings if b.span.path == base.scope and (b.span, b.name) not in unknown]
    real: list[tuple[dict[str, int], dict[tuple[int, int, str], list[Shapes]]]] = []
    for sizes in others(dims, tried):
        text = text_at(setup, call, sizes)
        ran = forked(root, {"scope": scope, "setup": text[0], "call": text[1]}, [scope])
        if not ran["error"]:
            at = {dim["names"][0]: sizes[dim["names"][0]] for dim in dims}
            real.append(
                (at, {(b["line"], b["column"], b["name"]): list(map(_read, b["shapes"])) for b in ran["bindings"]})
            )
        if len(real) == TRIED:
            break
    result.runs = len(real)
    if len(real) < TRIED:
        result.note = f"ran at {len(real)} of {TRIED} other sizes of {dims}"
    for binding in bindings:
        place = (binding.span.end_line, binding.span.end_column, binding.name)
        seen = [(at, at_sizes.get(place)) for at, at_sizes in real]
        for variant in binding.variants:
            _judge(result, place, variant, [(at, there, _unexplained(binding, at, there)) for at, there in seen])
    return result


def _depends(variant: Any) -> bool:
    from fx_lsp.model.value import tensors

    return any(name and _UNKNOWN.fullmatch(name) for tensor in tensors(variant.value) for name in tensor.names)


def told(run: Callable[[], Any]) -> tuple[tuple[list[dict[str, Any]], dict[str, set[int]]], Any]:
    """The dims that a run names, the sizes of each that it tried, and what it answered."""
    read, write = os.pipe()
    _tell(write)
    reply = run()
    os.close(write)
    with open(read, encoding="utf-8") as pipe:
        lines = [json.loads(line) for line in pipe]
    dims = [one["dims"] for one in lines if "dims" in one][-1:]
    tried: dict[str, set[int]] = {}
    for one in lines:
        for name, size in one.get("sizes", {}).items():
            tried.setdefault(name, set()).add(size)
    return (dims[0] if dims else [], tried), reply


def _tell(write: int) -> None:
    """Have the sizes that are tried, and what came of it, written down."""
    from fx_lsp.worker import naming
    from fx_lsp.worker.costs import study, varied
    from fx_lsp.worker.naming.names import named as original
    from fx_lsp.worker.naming.slots import Text

    class Telling(Text):
        """Tells at which sizes it was asked for."""

        def at(self, sizes: Any) -> Any:
            os.write(write, (json.dumps({"sizes": dict(sizes)}) + "\n").encode())
            return super().at(sizes)

    def tell(trials: Any) -> None:
        dims = [
            {"names": [one.name for one in dim.factors], "size": dim.size, "step": dim.step, "high": dim.high}
            for dim in trials.free
        ]
        os.write(write, (json.dumps({"dims": dims}) + "\n").encode())

    def named(record: Any, base: Any, trials: Any) -> Any:
        tell(trials)
        return original(record, base, trials)

    class Varied(varied.Varied):
        """Tells what varies."""

        def _fitted(self, base: Any, trials: Any) -> Any:
            tell(trials)
            return super()._fitted(base, trials)

    naming.Text, naming.named = Telling, named  # type: ignore[misc]
    varied.Text, study.Varied = Telling, Varied  # type: ignore[misc]


def others(dims: list[dict[str, Any]], tried: dict[str, set[int]]) -> list[dict[str, int]]:
    """Sizes that nobody tried yet, small enough for a real run."""
    found: list[dict[str, int]] = []
    choices: list[list[int]] = []
    for number, dim in enumerate(dims):
        size, step = dim["size"], dim["step"]
        near = [size + (4 + number + extra) * step for extra in (0, 2, 3, 5, 7, 8, 11, 13)]
        near += [size - (number + less) * step for less in (2, 3, 5, 6, 9, 11)]
        near += [2 * size + 7 * step, 2 * size + 9 * step, size + 17 * step]
        near += list(range(2 * step, min(dim["high"], 3 * size) + 1, step))
        before = set().union(*(tried.get(name, set()) for name in dim["names"])) | {size}
        free = [one for one in dict.fromkeys(near) if 2 <= one <= dim["high"] and one not in before]
        choices.append(free)
    for index in range(MAX_TRIES):
        picked = [free[index * (number + 1) % len(free)] if free else dims[number]["size"]
                  for number, free in enumerate(choices)]  # fmt: skip
        if index % 2:  # one alone: together they may not go
            alone = index // 2 % len(dims)
            picked = [one if number == alone else dims[number]["size"] for number, one in enumerate(picked)]
        found.append({name: size for dim, size in zip(dims, picked, strict=True) for name in dim["names"]})
    return found


def text_at(setup: str, call: str, sizes: dict[str, int]) -> tuple[str, str]:
    from fx_lsp.model.naming import Naming
    from fx_lsp.worker.naming import slots

    return slots.Text(setup, call, Naming(call)).at(sizes)


def _read(text: str) -> Shapes:
    found = _SHAPE.findall(text)
    return tuple(tuple(int(one) for one in dims.split(",") if one.strip()) for _, dims in found)


def _parts(value: Any) -> list[tuple[tuple[int, ...], tuple[str | None, ...]]]:
    from fx_lsp.model.value import tensors

    return [(tensor.shape, tensor.names or (None,) * len(tensor.shape)) for tensor in tensors(value)]


def _at(value: Any, sizes: dict[str, int]) -> Shapes:
    """What the label says of these sizes."""
    return tuple(
        tuple(eval(name, {}, sizes) if name else size for name, size in zip(names, shape, strict=True))
        for shape, names in _parts(value)
    )


def _unexplained(binding: Any, at: dict[str, int], real: list[Shapes] | None) -> list[Shapes]:
    """What was there that no label says."""
    said = {_at(variant.value, at) for variant in binding.variants}
    return [one for one in real or () if one not in said]


def _judge(result: Result, place: tuple[int, int, str], variant: Any, seen: list[Any]) -> None:
    from fx_lsp.model.value import label

    names = [one for _, texts in _parts(variant.value) for one in texts]
    varies = [name is not None for name in names]
    for at, real, unexplained in seen:
        if real is None:
            continue
        wanted = _at(variant.value, at)
        flat = [one for shape in wanted for one in shape]
        alike = [[one for shape in other for one in shape] for other in real
                 if tuple(map(len, other)) == tuple(map(len, wanted))]  # fmt: skip
        fits = [other for other in alike if all(a == b for a, b, n in zip(other, flat, names, strict=True) if n)]
        if fits:
            best = min(fits, key=lambda other: sum(a != b for a, b in zip(other, flat, strict=True)))
            varies = [known or a != b for known, a, b in zip(varies, best, flat, strict=True)]
            result.right += sum(name is not None for name in names)
        elif any(names) and alike and unexplained:
            result.wrong.append(f"{place[2]} on line {place[0]}: {label(variant.value)} at {at} was {real[:4]}")
        elif alike and not any(names):
            # Nothing is said of any dim: those that differ everywhere vary.
            different = [all(other[i] != flat[i] for other in alike) for i in range(len(flat))]
            varies = [known or now for known, now in zip(varies, different, strict=True)]
    result.named += sum(name is not None for name in names)
    missed = sum(name is None and known for name, known in zip(names, varies, strict=True))
    result.missed += missed
    if missed:
        result.without.append(f"{place[2]} on line {place[0]}: {label(variant.value)}")


# -- outside ---------------------------------------------------------------------------------------------------------


def given(words: list[str], python: str) -> list[dict[str, str]]:
    """Examples of the demo models or of one package."""
    from accuracy import read, workspace

    from tests.reference.product import check

    if words[0] == "examples":
        root = HERE.parent / "examples"
        files = sorted(path.name for path in root.glob("*.py"))
        report = check(str(root), [name for name in files if not words[1:] or any(w in name for w in words[1:])])
        found = {(e["scope"], e["setup"], e["call"]): e["scope"] for f in report["files"] for e in f["examples"]}
        return [{"root": str(root), "scope": s, "setup": t, "call": c} for s, t, c in found]
    package = read(words[0]).only(words[1:])
    root = workspace(package, python)
    return [
        {"root": str(root), "scope": path, "setup": package.setup.get(path, ""), "call": call}
        for path, calls in package.examples.items()
        for call in calls
    ]


def ratio() -> int:
    """Whether the names of GPT-2 come within their time: the best of five, in turn with first passes.

    Processor time, which is what a run takes when nothing else runs: it waits for nobody.
    """
    import gc
    import resource

    from fx_lsp.model.messages import TraceRequest
    from fx_lsp.model.naming import Naming
    from fx_lsp.worker.warm import warm_up
    from tests.worker.tracing import in_child

    def spent(request: TraceRequest) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        reply = in_child(request)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if reply.failure is not None:
            raise RuntimeError(reply.failure.message)
        return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    warm_up()
    gc.collect()
    gc.freeze()  # as the worker does before it forks
    root, call = str(HERE.parent / "examples"), "GPT(GPTConfig())(i64[4, 64])"
    first = TraceRequest(1, root, os.path.join(root, "gpt2.py"), call, engine="fake")
    named = TraceRequest(1, root, first.scope, call, engine="fake", naming=Naming(call))
    before, after = map(min, zip(*((spent(first), spent(named)) for _ in range(5)), strict=True))
    print(f"GPT-2: first pass {before:.0f} ms, names {after:.0f} ms, {after / before:.1f} times as long")
    return int(after / before > MAX_RATIO)


def child() -> int:
    """Measure what is asked for on stdin, one line each."""
    from fx_lsp.worker.warm import warm_up

    warm_up()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        one = json.loads(line)
        try:
            result = measure(one["root"], one["scope"], one["setup"], one["call"])
        except Exception as error:  # of the bench itself: the next example is measured all the same
            result = Result(f"{one['scope']}: {one['call']}", note=f"{type(error).__name__}: {error}")
        out.write(json.dumps(asdict(result)) + "\n")
        out.flush()
    return 0


def main() -> int:
    """0 when no name is wrong and enough dims have one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="*", help="`examples` or a file of bench/packages/, and words in its paths")
    parser.add_argument("--python", default=sys.executable, help="interpreter with torch and the packages")
    parser.add_argument("--ratio", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child()
    if options.ratio:
        return ratio()
    corpora = [options.corpus] if options.corpus else [["examples"], ["vit_pytorch"], ["torchvision"], ["transformers"]]
    failed = False
    for words in corpora:
        started = time.perf_counter()
        wanted = "".join(json.dumps(one) + "\n" for one in given(words, options.python))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE.parent), str(HERE / "site")])}
        command = [options.python, str(HERE / "dims.py"), "--child"]
        answer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, env=environment)  # fmt: skip
        assert answer.stdin is not None
        assert answer.stdout is not None
        answer.stdin.write(wanted)
        answer.stdin.close()
        total: Counter[str] = Counter()
        for line in answer.stdout:
            one = Result(**json.loads(line))
            total.update(examples=1, named=one.named, missed=one.missed, right=one.right, wrong=len(one.wrong))
            slower = one.ms / max(one.first_ms, 1)
            counts = f"named {one.named:>5} missed {one.missed:>4} right {one.right:>5} wrong {len(one.wrong):>3}"
            print(f"{one.name[:90]:<90} {counts} {slower:>5.1f}x {one.note}", flush=True)
            for text in one.wrong[:LISTED]:
                print(f"    wrong   {text}")
            for text in one.without[:LISTED]:
                print(f"    without {text}")
        answer.wait()
        share = total["named"] / max(total["named"] + total["missed"], 1)
        failed = failed or total["wrong"] > 0 or share < MIN_NAMED
        seconds = time.perf_counter() - started
        print(
            f"== {' '.join(words)}: {total['examples']} examples, {total['named']} dims named, {total['missed']} not "
            f"({share:.1%} named), {total['right']} right, {total['wrong']} wrong, {seconds:.0f} s",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
