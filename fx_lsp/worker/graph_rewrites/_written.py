"""A graph as a Python file with a module: it needs torch alone, and loads the state dict of the old module."""

from __future__ import annotations

import inspect
import math
import re
from typing import Any, Collection, Container, Iterator, List, Tuple

import torch
from torch import fx, nn
from torch.fx.graph_module import _format_import_statement
from torch.package import sys_importer

from fx_lsp.worker.graph_rewrites import Change
from fx_lsp.worker.graph_rewrites._placed import put
from fx_lsp.worker.graph_rewrites._spelled import spelled

MAX_CONSTANT = 256
"""Elements of a tensor that is written as numbers."""
_ALONE = frozenset({"torch", "math", "operator", "_operator", "builtins"})
_BUILT_IN = frozenset({"aten", "prims", "prim", "higher_order"})
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


class Unwritable(Exception):
    """There is no such file; the message says why, without a full stop."""


def written(module: fx.GraphModule, name: str, change: Change, keys: Collection[str], directive: str) -> str:
    """The file without its docstring; `keys`: those of the old state dict, `directive`: how it is called.

    Raises:
        Unwritable: what the graph has or calls cannot be written down.
    """
    graph = module.graph
    code = graph.python_code("self")
    members = list(_members(module, keys))
    uses = {target for target, _, _ in members}
    unused = tuple(key for key in keys if not _is_used(key, uses, change))
    lines = ["import torch", *_imports(code), ""]
    if change.rows:
        lines += ["CONVERTED = (", *(f"    {row!r}," for row in change.rows), ")", ""]
    if unused:
        lines += ["UNUSED = (", *(f"    {key!r}," for key in unused), ")", ""]
    lines += ["", f"class {name}(torch.nn.Module):"]
    lines += [f"    # fx: {directive}"] if directive else []
    lines += ["    def __init__(self):", "        super().__init__()"]
    lines += [f"        {_member(target, text)}" for target, text, _ in members]
    lines += ["        self.eval()", ""]
    body = code.src.strip().split("\n")
    lines += [f"    {line}".rstrip() for line in body]
    lines += _loader(change, unused)
    functions = [put] if any("." in target or not spells for target, _, spells in members) else []
    functions += [change.convert] if change.convert is not None and change.rows else []
    for function in functions:
        lines += ["", "", *inspect.getsource(function).rstrip("\n").split("\n")]
    return "\n".join(lines) + "\n"


def _members(module: fx.GraphModule, keys: Container[str]) -> Iterator[Tuple[str, str, bool]]:
    """Name, expression and whether it is a layer, of what the graph uses; in the order of its use."""
    seen = set()
    for node in module.graph.nodes:
        _check(node)
        target = str(node.target)
        if node.op not in ("call_module", "get_attr") or target in seen:
            continue
        seen.add(target)
        if node.op == "call_module":
            text = spelled(module.get_submodule(target))
            if text is None:
                raise Unwritable(f"{target} cannot be written as code")
            yield target, text, True
        else:
            yield target, _tensor(module, target, keys), False


def _check(node: fx.Node) -> None:
    """That the operator is there where torch is."""
    target: Any = node.target
    if isinstance(target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        home = str(target).split(".")[0]
        if home not in _BUILT_IN:
            raise Unwritable(f"it calls {target}, which torch alone does not have")


def _tensor(module: nn.Module, target: str, keys: Container[str]) -> str:
    """The expression of a parameter or buffer, which the state dict fills, or of a constant."""
    parent, _, name = target.rpartition(".")
    value = getattr(module.get_submodule(parent), name)
    if not isinstance(value, torch.Tensor):
        raise Unwritable(f"{target} is no tensor")
    dtype = "" if value.dtype is torch.float32 else f", dtype={value.dtype}"
    zeros = f"torch.zeros({list(value.shape)}{dtype})"
    if isinstance(value, nn.Parameter):
        return f"torch.nn.Parameter({zeros}{'' if value.requires_grad else ', requires_grad=False'})"
    if target in keys:
        return zeros
    if value.numel() > MAX_CONSTANT:
        raise Unwritable(f"{target} is a constant of {value.numel()} numbers, which are in no state dict")
    text = f"torch.tensor({_numbers(value.detach().flatten().tolist())}{dtype})"
    return f"{text}.reshape({list(value.shape)})"


def _numbers(item: Any) -> str:
    if isinstance(item, list):
        return f"[{', '.join(map(_numbers, item))}]"
    return repr(item) if not isinstance(item, float) or math.isfinite(item) else f'float("{item}")'


def _member(target: str, text: str) -> str:
    """The statement that sets it; constants are no part of the state dict."""
    if text.startswith("torch.tensor("):
        return f'put(self, "{target}", {text}, False)'
    if text.startswith(("torch.zeros(", "torch.nn.Parameter(")) or not _IDENTIFIER.fullmatch(target):
        return f'put(self, "{target}", {text})'
    return f"self.{target} = {text}"


def _imports(code: Any) -> List[str]:
    words = set(re.findall(r"\w+", code.src))
    found = set()
    for name, value in code.globals.items():
        if name not in words or name in ("getattr", "setattr", "torch"):
            continue
        home = getattr(value, "__module__", None) or getattr(value, "__name__", "")
        line = _format_import_statement(name, value, sys_importer)
        if not {str(home).split(".")[0], line.split()[1].split(".")[0]} <= _ALONE | {"None", ""}:
            raise Unwritable(f"it calls {name}, and the file is to need nothing but torch")
        found.add(line)
    return sorted(found)


def _is_used(key: str, uses: "set[str]", change: Change) -> bool:
    parent = key.rpartition(".")[0]
    owners = {name for row in change.rows for name in row if isinstance(name, str)}
    while parent not in uses | owners and "." in parent:
        parent = parent.rpartition(".")[0]
    return key in uses or parent in uses or parent in owners


def _loader(change: Change, unused: Tuple[str, ...]) -> List[str]:
    if not change.rows and not unused:
        return []
    lines = ["", "    def _load_from_state_dict(self, state_dict, prefix, *args):"]
    lines += ['        """Of an older state dict, too."""']
    if change.rows and change.convert is not None:
        lines += ["        for row in CONVERTED:"]
        lines += [f"            {change.convert.__name__}(state_dict, prefix, *row)"]
    if unused:
        lines += ["        for name in UNUSED:", "            state_dict.pop(prefix + name, None)"]
    return [*lines, "        super()._load_from_state_dict(state_dict, prefix, *args)"]
