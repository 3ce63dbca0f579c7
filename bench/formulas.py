"""Whether formulas of costs are true: each is evaluated at other sizes, and what is computed there is counted.

    python bench/formulas.py examples
    python bench/formulas.py torchvision resnet vgg      the models whose path contains one of the words

Finds the formulas of every example as the server has it done, picks three combinations of sizes that were not tried for
that, counts there what the example, its modules and its expressions compute, and compares.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import dims

TRIED = 3
"""Combinations of sizes."""


def formulas(costs: Any) -> dict[Any, tuple[int, str]]:
    """By place the number of operations, and the formula."""
    found: dict[Any, tuple[int, str]] = {"the example": (costs.total.flops, costs.formula)}
    found |= {(one.root, one.module): (one.total.flops, one.formula) for one in costs.modules}
    found |= {one.span: (one.total.flops, one.formula) for one in costs.expressions}
    return {place: one for place, one in found.items() if one[0]}


def measure(root: str, scope: str, setup: str, call: str) -> tuple[Counter[str], list[str]]:
    """Find the formulas of one example, and compare."""
    from fx_lsp.model.costs import CostRequest
    from fx_lsp.model.messages import TraceRequest
    from fx_lsp.model.naming import Naming
    from tests.worker.tracing import in_child

    base = TraceRequest(1, root, os.path.join(root, scope), call, setup, seconds=90, costs=CostRequest())
    numbers = in_child(base)
    if numbers.failure is not None:
        base = replace(base, engine="real", costs=CostRequest("real"))
        numbers = in_child(base)
    if numbers.failure is not None or numbers.costs is None:
        return Counter(failed=1), []
    wanted = Naming(call, engine=base.engine)
    tried, found = dims.told(lambda: in_child(replace(base, naming=wanted)))
    if found.costs is None or found.failure is not None or not tried[0]:
        return Counter(unvaried=1), []
    known = formulas(found.costs)
    count = Counter(places=len(formulas(numbers.costs)), formulas=sum(bool(text) for _, text in known.values()))
    wrong: list[str] = []
    runs = 0
    for sizes in dims.others(*tried):
        text = dims.text_at(setup, call, sizes)
        there = in_child(replace(base, setup=text[0], call=text[1]))
        if there.failure is not None or there.costs is None:
            continue
        runs += 1
        for place, (number, _) in formulas(there.costs).items():
            formula = known.get(place, (0, ""))[1]
            right = bool(formula) and eval(formula, {}, sizes) == number
            count["right"] += right
            if formula and not right:
                wrong.append(f"{place}: {formula} at {sizes} was {number}")
        if runs == TRIED:
            break
    return count + Counter(wrong=len(wrong), examples=1), wrong


def main() -> int:
    """0 when no formula is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="+", help="`examples` or a file of bench/packages/, and words in its paths")
    parser.add_argument("--python", default=sys.executable, help="interpreter with torch and the packages")
    options = parser.parse_args()
    from fx_lsp.worker.warm import warm_up

    warm_up()
    total: Counter[str] = Counter()
    for one in dims.given(options.corpus, options.python):
        count, wrong = measure(one["root"], one["scope"], one["setup"], one["call"])
        total += count
        print(f"{one['scope']}: {one['call'][:60]:<60} {dict(count)}", flush=True)
        for text in wrong[:10]:
            print(f"    wrong   {text[:300]}")
    print(f"== {' '.join(options.corpus)}: {dict(total)}")
    return int(total["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
