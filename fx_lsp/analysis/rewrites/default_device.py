"""A tensor that is made in `forward` on the default device, whatever device the inputs are on.

Before:
    positions = torch.arange(x.shape[1])
After:
    positions = torch.arange(x.shape[1], device=x.device)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._write import Unwritable, end_of_arguments
from fx_lsp.model.value import TensorType

_MAKERS = frozenset({"zeros", "ones", "full", "empty", "arange", "linspace", "eye", "rand", "randn", "randint",
                     "tensor"})  # fmt: skip

_MOVES = frozenset({"to", "cuda", "type_as"})

_PACKS = "pack_padded_sequence"
_STEPS = 4
"""Variables that are made of one another."""
_LITERALS = ast.Constant | ast.List | ast.Tuple | ast.UnaryOp | ast.BinOp


def find(flow: Flow) -> Iterator[Found]:
    """Calls that say no device, in a `forward` that is given a tensor, or in a function that one calls."""
    given = _given(flow) if _is_forward(flow) else ""
    kept = [*_on_processor(flow)] if given else []
    for node in ast.walk(flow.function) if given else ():
        dotted = flow.file.dotted(node.func) if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or dotted.rpartition(".")[2] not in _MAKERS or dotted.count(".") != 1:
            continue
        if (
            dotted.startswith("torch.")
            and flow.file.ran(node) is not None
            and not _says(node)
            and not _moved(flow, node)
            and not _stays(flow, node, kept)
        ):
            try:
                place = end_of_arguments(flow.file, node)
                yield Found(node, ((place, f", device={given}.device"),))
            except Unwritable:
                continue


def _is_forward(flow: Flow) -> bool:
    name = flow.function.name
    return name == "forward" if flow.owner is not None else name in flow.file.named_in_forwards


def _says(node: ast.Call) -> bool:
    parenthesised = any(isinstance(one, ast.Starred | ast.GeneratorExp) for one in node.args)
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr == "tensor" and node.args and not _is_written(node.args[0]):
        return True  # what it is made of may be somewhere already
    return parenthesised or any(one.arg in (None, "device", "out", "generator") for one in node.keywords)


def _is_written(node: ast.expr) -> bool:
    """Whether it is numbers, and groups of them."""
    return all(isinstance(one, _LITERALS) for one in ast.walk(node) if isinstance(one, ast.expr))


def _moved(flow: Flow, node: ast.expr) -> bool:
    """Whether a call after it says the device: `torch.zeros(2).view(1, 2).to(x.device)`."""
    inside, outer = flow.parents.get(id(node)), node
    while isinstance(inside, ast.Attribute | ast.Call | ast.Subscript):
        if outer is not (inside.func if isinstance(inside, ast.Call) else inside.value):
            return False
        if isinstance(inside, ast.Attribute) and inside.attr in _MOVES:
            return True
        inside, outer = flow.parents.get(id(inside)), inside
    return False


def _stays(flow: Flow, node: ast.expr, kept: Sequence[ast.expr]) -> bool:
    """Whether it, or what is made of it, is one of those that are asked for on the processor."""
    if not kept:
        return False
    names, statements = set[str](), [one for one in ast.walk(flow.function) if isinstance(one, ast.Assign)]

    def has(part: ast.AST) -> bool:
        return any(one is node or (isinstance(one, ast.Name) and one.id in names) for one in ast.walk(part))

    for _ in range(_STEPS):
        targets = (target for one in statements if has(one.value) for target in one.targets)
        names |= {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    return any(map(has, kept))


def _on_processor(flow: Flow) -> Iterator[ast.expr]:
    """What a function needs there: lengths of a packed sequence, also those that a function of the file is given, what
    NumPy takes, what is drawn with a generator."""
    packs = _PACKS in flow.file.source.text
    for node in ast.walk(flow.function):
        if not isinstance(node, ast.Call):
            continue
        func, dotted = node.func, flow.file.dotted(node.func)
        name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
        given = [*node.args, *(one.value for one in node.keywords)]
        if name == _PACKS:
            yield from (*node.args[1:2], *(one.value for one in node.keywords if one.arg == "lengths"))
        elif dotted.startswith("numpy.") or (packs and not dotted and flow.file.ran(node) is None):
            yield from given
        elif isinstance(func, ast.Attribute) and (
            name == "numpy" or any(one.arg == "generator" for one in node.keywords)
        ):
            yield func.value


def _given(flow: Flow) -> str:
    """The first parameter that is always a tensor, and is bound nowhere else."""
    bound = {
        node.id for node in ast.walk(flow.function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for argument in flow.function.args.args:
        values = flow.file.bound(argument)
        if values and all(isinstance(value, TensorType) for value in values) and argument.arg not in bound:
            return argument.arg
    return ""


RULE = Rewrite("default-device", "Make it on the device of the input", find)
