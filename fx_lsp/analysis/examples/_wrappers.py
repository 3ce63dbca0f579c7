"""Calls of libraries that hand on the module they are given, and names under which modules are registered."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from fx_lsp.analysis.examples._bound import Items
from fx_lsp.analysis.names import Definition, dotted

SAME = frozenset(
    [
        "eval",
        "train",
        "to",
        "cuda",
        "cpu",
        "half",
        "float",
        "double",
        "bfloat16",
        "type",
        "requires_grad_",
        "apply",
        "share_memory",
        "to_empty",
    ]
)
"""Methods of a module that return the module."""

WRAPPERS = frozenset(
    [
        "compile",
        "DataParallel",
        "DistributedDataParallel",
        "DDP",
        "FullyShardedDataParallel",
        "FSDP",
        "convert_sync_batchnorm",
        "script",
        "deepcopy",
        "copy",
        "Sequential",
    ]
)
"""Functions that return something called like their first argument."""

MAX_WRAPPED = 4
"""Arguments looked at for the module that is wrapped."""

PREPARING = frozenset(["prepare", "prepare_model", "setup", "initialize"])
"""Methods of trainers that return what they are given: one thing, or all of them in order."""

_FIRST = frozenset(["list", "tuple", "iter", "reversed", "sorted", "tqdm", "trange"])


def kept_module(call: ast.Call, items: Items) -> list[tuple[ast.expr, Items]] | None:
    """What a call returns that keeps the module it is given; None when it is no such call."""
    name = (dotted(call.func) or "").rpartition(".")[2]
    if isinstance(call.func, ast.Attribute):
        name = call.func.attr
    if isinstance(call.func, ast.Attribute) and name in SAME and not items:
        return [(call.func.value, ())]
    if name in WRAPPERS and not items:
        given = call.args or [keyword.value for keyword in call.keywords if keyword.arg in ("module", "model")]
        return [(each, ()) for each in given[:MAX_WRAPPED]]
    if name in PREPARING:
        given = call.args or [keyword.value for keyword in call.keywords if keyword.arg in ("module", "model")]
        if len(given) <= 1 or not items:
            return [(each, ()) for each in given[:1]]
        return [(given[items[0]], items[1:])] if items[0] < len(given) else None
    return None


def inner_item(call: ast.Call, items: Items) -> tuple[ast.expr, Items] | None:
    """Where the item comes from that is taken out of `enumerate(…)`, `zip(…)`, `tqdm(…)`."""
    name = (dotted(call.func) or "").rpartition(".")[2]
    if not items or not call.args:
        return None
    if name in _FIRST:
        return call.args[0], items
    if name == "enumerate" and len(items) > 1 and items[1] == 1:
        return call.args[0], (items[0], *items[2:])
    if name == "zip" and len(items) > 1 and items[1] < len(call.args):
        return call.args[items[1]], (items[0], *items[2:])
    return None


def registered_name(argument: ast.expr, registered: Mapping[str, Definition]) -> Definition | None:
    """What is registered under a name in an argument: `"net"`, `dict(type="net", …)`, `{"name": "net"}`."""
    for word in _words(argument):
        if word in registered:
            return registered[word]
    return None


def _words(argument: ast.expr) -> Iterator[str]:
    values = [argument]
    if isinstance(argument, ast.Call) and dotted(argument.func) == "dict":
        values = [keyword.value for keyword in argument.keywords]
    elif isinstance(argument, ast.Dict):
        values = argument.values
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value
