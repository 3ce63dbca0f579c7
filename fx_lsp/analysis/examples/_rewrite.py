"""Code as it runs elsewhere: without command line, downloads, other processes and pretrained weights."""

from __future__ import annotations

import ast
import re
from typing import TypeVar

from fx_lsp.analysis.examples._configs import loaded, omega
from fx_lsp.analysis.examples._images import are_pictures, opened
from fx_lsp.analysis.names import External, dotted, resolve
from fx_lsp.analysis.source import Source
from fx_lsp.analysis.workspace import Workspace

Node = TypeVar("Node", bound=ast.AST)

OUTSIDE = frozenset(
    [
        "open",
        "input",
        "from_pretrained",
        "load_dataset",
        "load_from_checkpoint",
        "imread",
        "urlopen",
        "urlretrieve",
        "init_process_group",
        "load_state_dict_from_url",
        "hf_hub_download",
        "snapshot_download",
        "system",
        "check_output",
        "Popen",
        "exit",
    ]
)
"""Last names of calls that read files or the network, or end the process: never run to find an example."""

OUTSIDE_DOTTED = frozenset(
    [
        "torch.load",
        "np.load",
        "numpy.load",
        "torch.hub.load",
        "Image.open",
        "requests.get",
        "json.load",
        "pickle.load",
        "yaml.safe_load",
    ]
)

_WORKERS = ("num_workers", "persistent_workers", "prefetch_factor", "pin_memory", "timeout", "multiprocessing_context")
_DATACLASSES = "parse_args_into_dataclasses"
_PARSERS = ("parse_args", "parse_known_args", _DATACLASSES)
_ALONE = ("DistributedDataParallel", "DDP", "FullyShardedDataParallel", "FSDP")
"""Wrappers that want a process group."""


class Refused(Exception):
    """What is needed reaches outside of the process, or is too much to follow."""


def rewrite(workspace: Workspace, source: Source, node: Node, given: dict[str, ast.stmt]) -> Node:
    """The code of a file as it runs elsewhere; changes the node it is given, and adds to `given` what it needs.

    Raises:
        Refused: it reaches outside of the process.
    """
    return _Rewriter(workspace, source, given).visit(node)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, workspace: Workspace, source: Source, given: dict[str, ast.stmt]) -> None:
        self.workspace, self.source, self.given = workspace, source, given

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = dotted(node.func) or ""
        meaning = resolve(self.workspace, self.source.path, name) if name else None
        if isinstance(meaning, External):
            if (image := opened(meaning.name, node)) is not None:
                return self.generic_visit(image)
            if are_pictures(meaning.name):
                node.keywords = [keyword for keyword in node.keywords if keyword.arg != "download"]
            if (read := loaded(self.workspace, self.source, meaning.name, node)) is not None:
                value, imports = omega(read[0]) if read[1] else (read[0], {})
                self.given.update(imports)
                return value
        self.generic_visit(node)
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name
        if last in OUTSIDE or name in OUTSIDE_DOTTED or _asks_for_download(node):
            raise Refused(name or last)
        if last in _PARSERS and not node.args and not node.keywords:
            empty = ast.List([], ast.Load())
            node.args, node.keywords = ([empty], []) if last != _DATACLASSES else ([], [ast.keyword("args", empty)])
        elif last == "add_argument":
            _make_optional(node)
        elif last == "DataLoader":
            node.keywords = [keyword for keyword in node.keywords if keyword.arg not in _WORKERS]
        elif last in _ALONE and node.args:
            return node.args[0]
        for keyword in node.keywords:
            if _is_pretrained(keyword):
                keyword.value = ast.Constant(False if keyword.arg == "pretrained" else None)
        return node


def _make_optional(node: ast.Call) -> None:
    """An argument of a command line that may be left out: nobody gives it here."""
    node.keywords = [keyword for keyword in node.keywords if keyword.arg != "required"]
    first = node.args[0] if node.args else None
    positional = isinstance(first, ast.Constant) and not str(first.value).startswith("-")
    if positional and not any(keyword.arg == "nargs" for keyword in node.keywords):
        node.keywords.append(ast.keyword("nargs", ast.Constant("?")))


def _asks_for_download(node: ast.Call) -> bool:
    asked = [k.value for k in node.keywords if k.arg == "download"]
    return any(isinstance(value, ast.Constant) and value.value is True for value in asked)


def _is_pretrained(keyword: ast.keyword) -> bool:
    """Whether it asks for weights by name, on which no shape depends."""
    value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
    if keyword.arg == "pretrained":
        return value is True or isinstance(value, str)
    if keyword.arg is None or not re.fullmatch(r"(\w+_)?weights(_\w+)?", keyword.arg):
        return False
    return isinstance(value, str) or "_Weights" in (dotted(keyword.value) or "")
