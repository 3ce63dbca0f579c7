"""Functions of torch by one name each, with their arguments in one order."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fx_lsp.analysis.rewrites._einsum import einsum
from fx_lsp.analysis.rewrites._terms import Term, constant, plain

ALIASES = {
    "multiply": "mul", "divide": "div", "true_divide": "div", "subtract": "sub", "bmm": "matmul", "mm": "matmul",
    "swapaxes": "transpose", "swapdims": "transpose", "concat": "cat", "concatenate": "cat", "negative": "neg",
    "masked_fill_": "masked_fill", "relu_": "relu", "mul_": "mul", "add_": "add",
    "div_": "div", "sub_": "sub", "softmax_": "softmax", "truediv": "div", "not_equal": "ne", "absolute": "abs",
    "logical_not": "invert", "bitwise_not": "invert", "tile": "repeat",
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
    if op in ("einsum", "named_einsum"):
        found = einsum(args, op == "named_einsum", node)
        return found or Term(op, tuple(args), tuple(sorted(named.items())), node=node)
    if op == "rearrange":
        order = _order(args) if not named else None
        args, op = ([args[0], order], "permute") if order is not None else (args, op)
    if op in ("baddbmm", "addmm"):
        return _added(op, args, named, node)
    args, rest = [*args], dict(named)
    rest = {("dim" if key == "axis" else key): term for key, term in rest.items()}
    for place, parameter in enumerate(SIGNATURES.get(op, ())):
        if place == len(args) and parameter in rest:
            args.append(rest.pop(parameter))
    if op in _TUPLES and len(args) > 2:
        args = [args[0], Term("tuple", tuple(args[1:]))]
    term = Term(op, tuple(args), tuple(sorted(rest.items())), node=node)
    return _simple(_counted_back(term, rank))


def _order(args: Sequence[Term]) -> Term | None:
    """Of a pattern of axes that only puts them in another order, `b n d -> b d n`, that of the dims."""
    text = plain(args[1]) if len(args) == 2 else None
    before, _, after = text.partition("->") if isinstance(text, str) else ("", "", "")
    old, new = before.split(), after.split()
    if len({*old}) != len(old) or sorted(old) != sorted(new) or not all(one.isidentifier() for one in old):
        return None
    return Term("tuple", tuple(constant(old.index(one)) for one in new))


def _counted_back(term: Term, rank: int | None) -> Term:
    """With dims counted from the last one, and swaps as `transpose`."""
    if term.op == "t":
        return Term("transpose", (term.args[0], constant(-2), constant(-1)), node=term.node)
    if term.op == "permute" and len(term.args) == 2:
        dims = [plain(one) for one in term.args[1].args]
        rank = rank or len(dims)
        if sorted(dim % rank for dim in dims if isinstance(dim, int)) == list(range(rank)):
            moved = [(place, dim % rank) for place, dim in enumerate(dims) if dim % rank != place]
            if len(moved) == 2:
                pair = (constant(moved[0][0]), constant(moved[1][0]))
                return _counted_back(Term("transpose", (term.args[0], *pair), node=term.node), rank)
    if term.op == "transpose" and len(term.args) == 3:
        dims = [(plain(one), one.node) for one in term.args[1:]]
        back = sorted(((_back(dim, rank), node) for dim, node in dims if isinstance(dim, int)), key=lambda one: one[0])
        if len(back) == 2:
            return replace(term, args=(term.args[0], *(constant(dim, node) for dim, node in back)))
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


def _added(op: str, args: Sequence[Term], named: Mapping[str, Term], node: ast.expr | None) -> Term:
    """`beta * input + alpha * (one @ other)`."""
    names = ("input", "batch1", "batch2") if op == "baddbmm" else ("input", "mat1", "mat2")
    given = {**dict(zip(names, args, strict=False)), **named}
    if len(args) > len(names) or not {*names} <= {*given} or not {*given} <= {*names, "alpha", "beta"}:
        return Term(op, tuple(args), tuple(sorted(named.items())), node=node)
    product, added = Term("matmul", (given[names[1]], given[names[2]])), given["input"]
    if "alpha" in given and plain(given["alpha"]) != 1:
        product = Term("mul", (product, given["alpha"]))
    if "beta" in given and plain(given["beta"]) == 0:
        return replace(product, node=node)
    if "beta" in given and plain(given["beta"]) != 1:
        added = Term("mul", (added, given["beta"]))
    return Term("add", (product, added), node=node)
