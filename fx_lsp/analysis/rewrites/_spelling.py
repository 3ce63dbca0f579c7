"""Functions of torch by one name each, with their arguments in one order."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fx_lsp.analysis.rewrites._terms import Term, constant, plain

ALIASES = {
    "multiply": "mul", "divide": "div", "true_divide": "div", "subtract": "sub", "bmm": "matmul", "mm": "matmul",
    "swapaxes": "transpose", "swapdims": "transpose", "concat": "cat", "concatenate": "cat", "negative": "neg",
    "masked_fill_": "masked_fill", "relu_": "relu", "mul_": "mul", "add_": "add",
    "div_": "div", "sub_": "sub", "softmax_": "softmax", "truediv": "div", "not_equal": "ne", "absolute": "abs",
}  # fmt: skip
OPERATORS: Mapping[type[ast.AST], str] = {
    ast.MatMult: "matmul", ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "remainder", ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.USub: "neg", ast.Invert: "invert",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
SIGNATURES: Mapping[str, tuple[str, ...]] = {
    "softmax": ("input", "dim"), "log_softmax": ("input", "dim"), "transpose": ("input", "dim0", "dim1"),
    "matmul": ("input", "other"), "masked_fill": ("input", "mask", "value"), "where": ("condition", "input", "other"),
    "dropout": ("input", "p", "training", "inplace"), "cat": ("tensors", "dim"), "stack": ("tensors", "dim"),
    "sum": ("input", "dim", "keepdim"), "mean": ("input", "dim", "keepdim"), "unsqueeze": ("input", "dim"),
    "logsumexp": ("input", "dim", "keepdim"), "pow": ("input", "exponent"), "nll_loss": ("input", "target"),
    "binary_cross_entropy": ("input", "target"), "clamp": ("input", "min", "max"), "clamp_min": ("input", "min"),
    "linear": ("input", "weight", "bias"), "squeeze": ("input", "dim"), "flatten": ("input", "start_dim", "end_dim"),
    **{name: ("input",) for name in (
        "exp", "log", "log1p", "expm1", "sigmoid", "tanh", "relu", "neg", "sqrt", "rsqrt", "contiguous", "clone", "abs",
        "t", "square", "reciprocal", "silu", "isnan")},
    **{name: ("input", "other") for name in (
        "add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum")},
}  # fmt: skip
_TUPLES = frozenset({"permute", "view", "reshape", "expand", "repeat"})
"""Take their numbers one by one or in one group."""


def spelt(op: str, args: Sequence[Term], named: Mapping[str, Term], rank: int | None, node: ast.expr | None) -> Term:
    """The call as one term; `rank`: dims of its first argument."""
    op = ALIASES.get(op, op)
    if op == "einsum":
        return _einsum(args, node) or Term(op, tuple(args), tuple(sorted(named.items())), node=node)
    args, rest = [*args], dict(named)
    rest = {("dim" if key == "axis" else key): term for key, term in rest.items()}
    for place, parameter in enumerate(SIGNATURES.get(op, ())):
        if place == len(args) and parameter in rest:
            args.append(rest.pop(parameter))
    if op in _TUPLES and len(args) > 2:
        args = [args[0], Term("tuple", tuple(args[1:]))]
    term = Term(op, tuple(args), tuple(sorted(rest.items())), node=node)
    return _simple(_counted_back(term, rank))


def _counted_back(term: Term, rank: int | None) -> Term:
    """With dims counted from the last one, and swaps as `transpose`."""
    if term.op == "t":
        return Term("transpose", (term.args[0], constant(-2), constant(-1)), node=term.node)
    if term.op == "permute" and rank and len(term.args) == 2:
        dims = [plain(one) for one in term.args[1].args]
        if sorted(dim % rank for dim in dims if isinstance(dim, int)) == list(range(rank)):
            moved = [(place, dim % rank) for place, dim in enumerate(dims) if dim % rank != place]
            if len(moved) == 2:
                pair = (constant(moved[0][0]), constant(moved[1][0]))
                return _counted_back(Term("transpose", (term.args[0], *pair), node=term.node), rank)
    if term.op == "transpose" and len(term.args) == 3:
        dims = [plain(one) for one in term.args[1:]]
        if all(isinstance(dim, int) for dim in dims):
            back = sorted(_back(dim, rank) for dim in dims)
            return replace(term, args=(term.args[0], *map(constant, back)))
    if term.op in ("softmax", "log_softmax", "sum", "mean", "logsumexp", "unsqueeze", "cat") and len(term.args) > 1:
        dim = plain(term.args[1])
        if isinstance(dim, int) and term.op not in ("unsqueeze", "cat"):
            return replace(term, args=(term.args[0], constant(_back(dim, rank), term.args[1].node), *term.args[2:]))
    return term


def _back(dim: int, rank: int | None) -> int:
    return dim - rank if rank and dim >= 0 else dim


def _simple(term: Term) -> Term:
    """Powers that have names, negated constants, infinity."""
    if term.op == "pow" and len(term.args) == 2:
        named = {0.5: "sqrt", -0.5: "rsqrt", 2: "square", -1: "reciprocal"}.get(plain(term.args[1]) or 0)
        return Term(named, term.args[:1], node=term.node) if named is not None else term
    if term.op == "neg" and isinstance(plain(term.args[0]), int | float):
        return constant(-plain(term.args[0]), term.node)
    if term.op == "reciprocal" or (term.op == "div" and len(term.args) == 2 and plain(term.args[0]) == 1):
        below = term.args[-1]
        if below.op == "sqrt":
            return Term("rsqrt", below.args, node=term.node)
    return term


def infinity(text: str) -> float | None:
    """What names for infinity mean."""
    return {"math.inf": math.inf, "torch.inf": math.inf, "np.inf": math.inf, "numpy.inf": math.inf}.get(text)


def _einsum(args: Sequence[Term], node: ast.expr | None) -> Term | None:
    """A sum over products that is a product of matrices."""
    equation: Any = plain(args[0]) if args else None
    if not isinstance(equation, str) or len(args) != 3 or "->" not in equation or "." in equation:
        return None
    inputs, _, output = equation.replace(" ", "").partition("->")
    left, _, right = inputs.partition(",")
    count = len(output) - 2
    batch, rows, columns = output[:count], output[count : count + 1], output[count + 1 :]
    inner = set(left) & set(right) - set(batch)
    if count < 0 or len(inner) != 1 or len(set(output)) != len(output):
        return None
    (k,) = inner
    forms = {batch + rows + k: False, batch + k + rows: True}, {batch + k + columns: False, batch + columns + k: True}
    if left not in forms[0] or right not in forms[1] or k in output:
        return None
    sides = [
        Term("transpose", (term, constant(-2), constant(-1)), node=None) if form[text] else term
        for term, form, text in zip(args[1:], forms, (left, right), strict=True)
    ]
    return Term("matmul", tuple(sides), node=node)
