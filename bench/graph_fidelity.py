"""Whether the graphs of real models compute what the models do.

    python bench/graph_fidelity.py               all packages of bench/packages/ that can be imported
    python bench/graph_fidelity.py vit_pytorch   one package

Each stated example is run once on real tensors while its graph is recorded, at every level; a `torch.fx.GraphModule` of
the graph with the same parameters must give the same outputs, bit by bit.  The exit status is 1 when one does not.
The packages of bench/packages/ have to be in the Python that runs this.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "site")]

import torch
import torchvision_operators  # noqa: F401
from torch import nn

from fx_lsp.worker import example
from fx_lsp.worker.levels import levels
from tests.worker.graphs import difference


def main(packages: list[str]) -> int:
    """Compare everything; 1 when a graph does otherwise than its model."""
    warnings.simplefilter("ignore")
    different = 0
    for listed in sorted((HERE / "packages").glob("*.toml")):
        if packages and listed.stem not in packages:
            continue
        content = tomllib.loads(listed.read_text())
        if importlib.util.find_spec(content["source"]) is None:
            print(f"{listed.stem}: not installed")
            continue
        found = [
            (path, call, level, difference_of(path, call, content.get("setup", {}).get(path, ""), level))
            for path, calls in content["examples"].items()
            for call in calls
            for level in levels()
        ]
        for path, call, level, what in found:
            if what:
                print(f"{path}: {call} at level {level}: {what}")
        wrong = sum(bool(what) for *_, what in found)
        print(f"{listed.stem}: {len(found) - wrong} of {len(found)} graphs compute what the model did", flush=True)
        different += wrong
    return int(different > 0)


def difference_of(path: str, call: str, setup: str, level: str) -> str:
    """What the graph of the example does otherwise; the model is built in the process that runs it."""
    expression = ast.parse(call, mode="eval").body
    assert isinstance(expression, ast.Call)

    def names() -> dict[str, Any]:
        module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
        found = example.namespace(module, example.INTEGERS[0])
        exec(setup, found)
        return found

    def value(node: ast.expr, known: dict[str, Any]) -> Any:
        return eval(compile(ast.Expression(node), "<example>", "eval"), known)

    def build() -> nn.Module:
        module = value(expression.func, names())
        assert isinstance(module, nn.Module)
        return module.eval()

    torch.manual_seed(0)
    known = names()
    given = tuple(value(argument, known) for argument in expression.args)
    named = {keyword.arg: value(keyword.value, known) for keyword in expression.keywords if keyword.arg}
    return difference(build, given, named, level)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
