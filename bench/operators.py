"""Whether fake tensors say of torch's own operators what real ones do.

    pip install expecttest pytest          in an environment of its own, for PYTHONPATH
    python bench/operators.py

Runs the samples that torch tests each of its operators with (`OpInfo.sample_inputs`, the first 25 in single precision),
and the calls that it has to refuse (`OpInfo.error_inputs`), through the worker, once with each engine, and prints what
differs: shapes and dtypes of what is given, and calls that fake tensors take and real ones refuse.
"""

from __future__ import annotations

import ast
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from tests.worker.tracing import trace

SECONDS = 900.0
LIMITS = ("DynamicOutputShapeException", "DataDependentOutputException")
"""How fake tensors say that they cannot go on; real ones do then."""
SOURCE = """
from itertools import islice
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree

def told(op, sample):
    try:
        given = op.op(sample.input, *sample.args, **sample.kwargs)
    except Exception as error:
        return "raises " + type(error).__name__
    return [
        f"{tuple(one.shape)} {one.dtype}" if isinstance(one, torch.Tensor) else type(one).__name__
        for one in _pytree.tree_leaves(given)
    ]

def run(x):
    found = {}
    for op in op_db:
        dtypes = sorted(op.supported_dtypes("cpu"), key=lambda one: (one is not torch.float32, str(one)))
        name = f"{op.name}/{op.variant_test_name}"
        try:
            for number, sample in enumerate(islice(op.sample_inputs("cpu", dtypes[0]), 25) if dtypes else ()):
                found[name, "sample", number] = told(op, sample)
        except Exception as error:
            found[name, "samples", 0] = "raises " + type(error).__name__
        try:
            for number, error in enumerate(op.error_inputs("cpu") if op.error_inputs_func is not None else ()):
                found[name, "error", number] = told(op, error.sample_input)
        except Exception as error:
            found[name, "errors", 0] = "raises " + type(error).__name__
    with open(FILE, "w") as file:
        file.write(repr(found))
    return x
"""


def results(engine: str) -> dict[tuple[str, str, int], Any]:
    """What each call gives, by operator, kind and number."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "found.txt"
        source = SOURCE.replace("FILE", repr(str(path)))
        reply = trace(Path(folder), source, "run(f32[2])", engine=engine, seconds=SECONDS)
        if not path.exists():
            raise RuntimeError(reply.failure)
        return ast.literal_eval(path.read_text())


def main() -> int:
    """Exit status: 1 where another shape or dtype is given."""
    real, fake = results("real"), results("fake")
    count: Counter[str] = Counter()
    for key, wanted in sorted(real.items()):
        found = fake.get(key)
        kind = key[1]
        if found is None:
            count[f"{kind}: could not be made"] += 1
        elif found == wanted or (str(found).startswith("raises") and str(wanted).startswith("raises")):
            count[f"{kind}: the same"] += 1
        elif any(limit in str(found) for limit in LIMITS):
            count[f"{kind}: real tensors go on"] += 1
        else:
            count[f"{kind}: another answer"] += 1
            print(f"{' '.join(map(str, key))}: {str(found)[:120]}, real {str(wanted)[:120]}")
    for kind, number in sorted(count.items()):
        print(f"{number:6} {kind}")
    return int(bool(count["sample: another answer"]))


if __name__ == "__main__":
    sys.exit(main())
