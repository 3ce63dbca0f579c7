"""Images that lie on a disk: what a transform makes of one does not depend on which it is."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from fx_lsp.analysis.names import dotted
from fx_lsp.model.datasets import DATASETS

_UNSIZED = 256
"""Pixels of an image of any size: what is made of it must have a size of its own."""
_CROPS = frozenset(["CenterCrop", "RandomCrop", "RandomResizedCrop", "resize", "center_crop", "resized_crop"])


def are_pictures(name: str) -> bool:
    """Whether the name is that of a data set which the worker has stand-ins for."""
    before, _, last = name.rpartition(".")
    return before.startswith("torchvision") and last in DATASETS


def opened(name: str, node: ast.Call) -> ast.Call | None:
    """An empty image for one that is opened."""
    if name != "PIL.Image.open" or not isinstance(node.func, ast.Attribute):
        return None
    size = ast.Tuple([ast.Constant(_UNSIZED), ast.Constant(_UNSIZED)], ast.Load())
    return ast.Call(ast.Attribute(node.func.value, "new", ast.Load()), [ast.Constant("RGB"), size], [])


def sizes_are_made_up(nodes: Sequence[ast.AST]) -> bool:
    """Whether there is an image of no certain size, and nothing that gives it one."""
    calls = [node for root in nodes for node in ast.walk(root) if isinstance(node, ast.Call)]
    return any(map(_is_unsized, calls)) and not any(map(_gives_size, calls))


def _is_unsized(call: ast.Call) -> bool:
    name = (dotted(call.func) or "").rpartition(".")[2]
    return name == "new" and [ast.unparse(argument) for argument in call.args] == ["'RGB'", f"({_UNSIZED}, {_UNSIZED})"]


def _gives_size(call: ast.Call) -> bool:
    name = (dotted(call.func) or "").rpartition(".")[2]
    if name == "Resize":
        given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "size")]
        return any(isinstance(value, (ast.Tuple, ast.List)) for value in given)
    return name in _CROPS
