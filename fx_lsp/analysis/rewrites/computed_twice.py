"""The same operation on the same values, written twice.

Before:
    y = torch.exp(x) / (1 + torch.exp(x))
After:
    exp = torch.exp(x)
    y = exp / (1 + exp)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._write import Unwritable, indent, inserted, place, text_of

_FREE = frozenset({"transpose", "view", "reshape", "getitem", "unsqueeze", "squeeze", "expand", "permute", "detach",
                   "flatten", "tuple", "contiguous", "neg", "identity"})  # fmt: skip
"""Views cost nothing."""
_SAME = frozenset({"T", "mT", "data", "to", "float", "chunk", "split", "unbind", "narrow", "select", "view_as"})
"""Others that give, or may give, the same memory."""
_LAYERS = frozenset({"Linear", "Bilinear", "Embedding", "LayerNorm", "RMSNorm", "GroupNorm", "GELU", "ELU", "LeakyReLU",
                     "Softplus", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
                     "AvgPool1d", "AvgPool2d", "MaxPool1d", "MaxPool2d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
                     "Upsample", "PixelShuffle"})  # fmt: skip
"""Give the same whenever they are called, and keep nothing."""
_NEW = frozenset({"exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "sigmoid", "relu", "gelu", "silu", "abs",
                  "sqrt", "rsqrt", "square", "pow", "clamp", "sum", "mean", "amax", "amin", "norm", "softmax",
                  "log_softmax", "logsumexp", "matmul", "mul", "add", "sub", "div"})  # fmt: skip
"""Functions and methods whose result is new."""
_RANDOM = ("rand", "normal", "bernoulli", "multinomial", "dropout", "empty")
"""What is drawn at random is not the same twice."""


def find(flow: Flow) -> Iterator[Found]:
    """Each group of equal operations whose statements stand among each other."""
    groups: dict[Term, list[tuple[Term, ast.stmt]]] = {}
    for term, statement in flow.roots if flow.function.name != "__init__" else ():
        counts = not term.op.startswith(("?", ".", *_RANDOM)) and term.op not in _FREE and _is_known(flow, term)
        if counts and term.node is not None and flow.file.output(term.node) is not None:
            groups.setdefault(term, []).append((term, statement))
    done: list[Term] = []
    for group in sorted(groups.values(), key=lambda group: -_length(flow, group[0][0])):
        if len(group) > 1 and not any(_holds(one, group[0][0]) for one in done):
            done.append(group[0][0])
            try:
                yield _hoisted(flow, group)
            except Unwritable:
                continue


def _is_known(flow: Flow, term: Term) -> bool:
    """Whether a layer is one of torch's that may be called once instead."""
    if not term.op.startswith("nn."):
        return True
    if term.op.removeprefix("nn.") not in _LAYERS:
        return False
    made = flow.file.layers(flow.owner).get(str(term.args[-1].value).rpartition(".")[2])
    return made is not None and "inplace" not in ast.unparse(made)


def _is_only_read(flow: Flow, node: ast.expr) -> bool:
    """Whether what takes it makes something else of it: under two names, or given away, it would be one object that
    somebody may change."""
    parent = flow.parents.get(id(node))
    if isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.ctx, ast.Load):
        return _is_only_read(flow, parent)
    if isinstance(parent, ast.Assign) and isinstance(node, ast.Call | ast.BinOp):
        return _is_read_by_name(flow, parent.targets)
    if isinstance(parent, ast.keyword):
        parent = flow.parents.get(id(parent))
    if isinstance(parent, ast.Attribute):
        return not parent.attr.endswith("_") and parent.attr not in _FREE | _SAME
    if not isinstance(parent, ast.Call):
        return isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Compare)
    own = parent.func.attr if isinstance(parent.func, ast.Attribute) else ""
    layer = flow.file.layers(flow.owner).get(own)
    if layer is not None:
        return "inplace" not in ast.unparse(layer)
    return flow.file.dotted(parent.func).startswith("torch.") and not own.endswith("_")


def _is_read_by_name(flow: Flow, targets: Sequence[ast.expr]) -> bool:
    """Whether a variable, and whatever else has its name, is only read."""
    name = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""
    named = [one for one in ast.walk(flow.function) if isinstance(one, ast.Name) and one.id == name]
    changed = [one.target for one in ast.walk(flow.function) if isinstance(one, ast.AugAssign)]
    reads = [one for one in named if isinstance(one.ctx, ast.Load)]
    return bool(reads) and not any(one in changed for one in named) and all(_is_computed(flow, one) for one in reads)


def _is_computed(flow: Flow, node: ast.expr) -> bool:
    """Whether something new is made of it: no view, and nothing that changes it, or keeps it, on a way that has not
    run."""
    parent = flow.parents.get(id(node))
    if isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.ctx, ast.Load):
        return _is_computed(flow, parent)
    call = flow.parents.get(id(parent)) if isinstance(parent, ast.Attribute) else parent
    if isinstance(call, ast.Call):
        own = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        new = own in _NEW and not any(one.arg in ("out", "inplace", None) for one in call.keywords)
        return new and (isinstance(parent, ast.Attribute) or flow.file.dotted(call.func).startswith("torch."))
    return isinstance(parent, ast.BinOp | ast.UnaryOp)


def _hoisted(flow: Flow, group: list[tuple[Term, ast.stmt]]) -> Found:
    term, first = group[0]
    block = flow.block[id(first)]
    if any(flow.block[id(statement)] is not block for _, statement in group) or term.node is None:
        raise Unwritable
    if not all(one.node is not None and _is_only_read(flow, one.node) for one, _ in group):
        raise Unwritable
    if isinstance(first, ast.For | ast.While | ast.With | ast.If):
        raise Unwritable
    before = indent(flow.file, first)
    taken = {node.id for node in ast.walk(flow.function) if isinstance(node, ast.Name)}
    base = str(term.args[-1].value).rpartition(".")[2] if term.op.startswith("nn.") else _NAMES.get(term.op, term.op)
    name = next(name for name in (base, *(f"{base}_{n}" for n in range(1, 100))) if _is_free(name, taken, flow))
    changes = [inserted(flow.file, first.lineno, f"{before}{name} = {text_of(flow.file, term)}")]
    for one, _ in group:
        text_of(flow.file, one)  # where a comment would be lost, nothing is written
        changes += [(place(flow.file, one.node, name), name)] if one.node is not None else []
    return Found(term.node, tuple(changes))


def _is_free(name: str, taken: set[str], flow: Flow) -> bool:
    return name.isidentifier() and name not in taken and name not in flow.file.imports and name not in _KEYWORDS


def _length(flow: Flow, term: Term) -> int:
    return len(flow.file.text(term.node)) if term.node is not None else 0


def _holds(outer: Term, inner: Term) -> bool:
    return outer == inner or any(_holds(part, inner) for part in outer.parts)


_NAMES = {"matmul": "product", "mul": "product", "add": "total", "sub": "difference", "div": "ratio"}
_KEYWORDS = frozenset({"and", "or", "not", "is", "in", "abs", "sum", "max", "min", "pow", "round", "all", "any"})
"""Names that mean something else already."""

RULE = Rewrite("computed-twice", "Compute it once", find, late=True)
