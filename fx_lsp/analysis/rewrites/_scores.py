"""Scores of attention: a product of queries and keys, scaled, with what is hidden and what is added."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, replace

from fx_lsp.analysis.rewrites._flow import Definition
from fx_lsp.analysis.rewrites._place import Place, seen, text
from fx_lsp.analysis.rewrites._terms import Term, constant, plain
from fx_lsp.analysis.rewrites._write import atom
from fx_lsp.model import syntax
from fx_lsp.model.value import TensorType

_ROWS = "the scores of a row that is masked as a whole get a gradient"
SINGLE = "in half precision it rounds at other places"
_LARGE = -1e3
"""What is filled in or added where nothing is to be attended to is below this."""
_INNER = {"masked_fill": 0, "where": 1, "add": 0}
"""Which argument has the scores before they are masked."""
_MADE = frozenset({"full", "zeros", "ones", "eye", "rand", "randn", "empty", "tensor", "linspace"})
_SINGLE = ("torch.float32", "torch.float")


@dataclass(frozen=True)
class Parts:
    """What the fused function is to be given."""

    q: Term
    k: Term
    scale: str
    through: tuple[Definition, ...]
    """Statements that are no longer needed."""
    factor: str = ""
    """Tensors that the queries are multiplied with, or divided by."""
    mask: str = ""
    adds: bool = False
    """Whether the mask is of numbers to add, else it says yes or no."""
    joint: bool = False
    """Whether it is made of several."""
    closed: bool = False
    """Whether there is no mask at times."""
    says: str = ""
    dropout: str = ""
    single: bool = False
    """Whether a step asks for single precision, so that no other shows that they are the same."""


def uncast(term: Term) -> Term | None:
    """What is cast to single precision, or back from it; None for anything else."""
    casts = term.op in ("to", "type_as", "half", "bfloat16") or (term.op == "float" and not term.named)
    casts = casts or (term.op == "type" and len(term.args) == 2)
    return term.args[0] if casts and 1 <= len(term.args) <= 2 else None


def in_single(found: Parts | None) -> Parts | None:
    """With a step that asks for single precision."""
    if found is None or found.single:
        return found
    return replace(found, single=True, says="; ".join(filter(None, [found.says, SINGLE])))


def scores(at: Place, term: Term, through: tuple[Definition, ...]) -> Parts | None:
    """What they are made of; None where they are something else."""
    term, through = seen(at, term, through)
    if (inner := uncast(term)) is not None:
        return in_single(scores(at, inner, through))
    if term.op == "optional":
        return _optional(at, term, through)
    if term.op == "masked_fill" and len(term.args) == 3:
        value, through = seen(at, term.args[2], through)
        found = scores(at, term.args[0], through) if _hides(at, value) else None
        if found is None or _is_infinite(at, value):
            return _kept(found, _negated(at, term.args[1]))
        return _filled(at, found, term.args[1], text(at, term.args[1]))
    if term.op == "where" and len(term.args) == 3 and _hides(at, term.args[2]):
        found, kept = scores(at, term.args[1], through), text(at, term.args[0])
        if found is None or _is_infinite(at, term.args[2]):
            return _kept(found, kept)
        return _filled(at, found, term.args[0], f"~{atom(kept)}")
    if term.op == "add" and len(term.args) == 2:
        for inner, mask in _both(term):
            found = scores(at, inner, through)
            if found is not None:
                return _added(found, _in_dtype(at, mask, found))
        return None
    return _scaled(at, term, through)


def _optional(at: Place, term: Term, through: tuple[Definition, ...]) -> Parts | None:
    """Masked where there is a mask."""
    found, asked, inner = scores(at, term.args[0], through), text(at, term.args[1]), term.args[0]
    if found is None or not found.mask:
        return None
    place = _INNER.get(inner.op)
    before = scores(at, inner.args[place], through) if place is not None else None
    if before is None and inner.op == "add":
        before = scores(at, inner.args[1], through)
    otherwise = before.mask if before is not None and before.mask else "None"
    if found.mask == asked and otherwise == "None":
        return replace(found, closed=True)
    mask = f"{found.mask} if {asked} is not None else {otherwise}"
    same = before is not None and before.adds == found.adds
    return replace(found, mask=mask, closed=otherwise == "None" or not same)


def _scaled(at: Place, term: Term, through: tuple[Definition, ...]) -> Parts | None:
    """The product of queries and keys, scaled before or after."""
    term, through = seen(at, term, through)
    if term.op in ("mul", "div") and len(term.args) == 2:
        for inner, factor in _both(term) if term.op == "mul" else _both(term)[:1]:
            found = _scaled(at, inner, through)
            if found is not None and _takes_tensors(at, term):
                sign = "*" if term.op == "mul" else "/"
                return replace(found, factor=f"{found.factor} {sign} {atom(text(at, factor))}")
            if found is not None:
                return replace(found, scale=_times(found.scale, term.op, text(at, factor)))
        return None
    if term.op != "matmul" or len(term.args) != 2:
        return None
    q, scale, through = _side(at, term.args[0], "1.0", through)
    as_given, as_scaled, as_through = _side(at, term.args[1], scale, through)
    key, through = seen(at, term.args[1], through)
    k, scale, through = _side(at, key, scale, through)
    k, through = seen(at, k, through)
    if k.op != "transpose" or [plain(one) for one in k.args[1:]] != [-2, -1]:
        known = _is_batch(at, term, as_given)
        return Parts(q, _turned(as_given), as_scaled, as_through) if known else None
    k, scale, through = _side(at, k.args[0], scale, through)
    return Parts(q, k, scale, through)


def _turned(key: Term) -> Term:
    """Keys that were turned somewhere else."""
    return Term("transpose", (key, constant(-2), constant(-1)))


def _is_batch(at: Place, product: Term, key: Term) -> bool:
    """Whether queries and keys are known to be of more than one sample or head: a weight has two dims."""
    operation = at.flow.file.ran(product.node) if product.node is not None else None
    inputs = [one.inputs for one in operation.variants] if operation is not None else []
    known = at.flow.tensor(key)
    if known is not None and len(known.shape) < 3:
        return False
    return bool(inputs) and all(
        len(one) == 2 and all(isinstance(side, TensorType) and len(side.shape) > 2 for side in one) for one in inputs
    )


def _takes_tensors(at: Place, term: Term) -> bool:
    """Whether both of its arguments are tensors."""
    operation = at.flow.file.ran(term.node) if term.node is not None else None
    return operation is not None and all(len(one.inputs) == 2 for one in operation.variants)


def _both(term: Term) -> list[tuple[Term, Term]]:
    """Its two arguments, either of them first."""
    left, right = term.args
    return [(left, right), (right, left)]


def _side(
    at: Place, term: Term, scale: str, through: tuple[Definition, ...]
) -> tuple[Term, str, tuple[Definition, ...]]:
    """Queries or keys without the number that they are scaled with."""
    inner, further = seen(at, term, through)
    turned = inner.op == "transpose" and inner.node is None
    if turned:
        found, scale, through = _side(at, inner.args[0], scale, through)
        return replace(inner, args=(found, *inner.args[1:])), scale, through
    scaled = inner.op in ("mul", "div") and len(inner.args) == 2 and _is_number(at, inner.args[1])
    if scaled and not _takes_tensors(at, inner) and at.flow.same_at(inner.args[0], at.statement, further):
        return inner.args[0], _times(scale, inner.op, text(at, inner.args[1])), further
    return term, scale, through


def _is_number(at: Place, term: Term) -> bool:
    """Whether it is no tensor, as far as can be told."""
    if term.op == "name":
        known = at.flow.definitions.get(term.value)
        return term.value[0].startswith("self.") or (known is not None and _is_number(at, known.term))
    if term.op in ("mul", "div"):
        return all(_is_number(at, one) for one in term.args)
    return term.op in ("constant", "sqrt", "rsqrt", "pow") and (
        term.node is None or at.flow.file.ran(term.node) is None
    )


def _times(scale: str, op: str, factor: str) -> str:
    if scale == "1.0":
        return factor if op == "mul" else f"1 / {factor if _is_power(factor) else atom(factor)}"
    return f"{scale} {'*' if op == 'mul' else '/'} {atom(factor)}"


def _is_power(text: str) -> bool:
    body = syntax.expression(text).body
    return isinstance(body, ast.BinOp) and isinstance(body.op, ast.Pow)


def _hides(at: Place, value: Term) -> bool:
    """Whether what is filled in makes the softmax zero."""
    number = plain(value)
    if isinstance(number, int | float):
        return number <= _LARGE
    return value.node is not None and any(word in at.flow.file.text(value.node) for word in ("finfo", "inf", "min"))


def _is_infinite(at: Place, value: Term) -> bool:
    """Whether a row that is hidden as a whole gives no number: then nothing has to be kept of it."""
    number = plain(value)
    if isinstance(number, int | float):
        return number == -math.inf
    return value.node is not None and "finfo" not in at.flow.file.text(value.node)


def _negated(at: Place, mask: Term) -> str:
    """Where there is attention, given where there is none."""
    if mask.op in ("eq", "ne") and plain(mask.args[1]) == 0:
        return f"{atom(text(at, mask.args[0]))} {'!=' if mask.op == 'eq' else '=='} 0"
    if mask.op == "invert":
        known = at.flow.tensor(mask.args[0])
        inner = text(at, mask.args[0])
        return inner if isinstance(mask.node, ast.UnaryOp) or (known and known.dtype == "b8") else f"{atom(inner)} != 0"
    return f"~{atom(text(at, mask))}"


def _kept(found: Parts | None, mask: str) -> Parts | None:
    """With another mask that says where there is attention."""
    if found is None or found.closed:
        return None
    if not found.mask:
        return replace(found, mask=mask)
    if found.adds:
        return replace(found, mask=f'torch.where({mask}, {found.mask}, float("-inf"))', joint=True)
    return replace(found, mask=f"{atom(found.mask)} & {atom(mask)}", joint=True)


def _added(found: Parts, mask: str) -> Parts | None:
    """With another mask to add."""
    if found.closed or (found.mask and found.says == _ROWS):
        return None
    if not found.mask:
        return replace(found, mask=mask, adds=True)
    if found.adds:
        return replace(found, mask=f"{found.mask} + {atom(mask)}", joint=True)
    return replace(found, mask=f'torch.where({found.mask}, {mask}, float("-inf"))', adds=True, joint=True)


def _in_dtype(at: Place, mask: Term, found: Parts) -> str:
    """The text of what is added, in the dtype of the queries: a sum takes any other one too, and the fused kernel of
    the CPU reads a mask in single precision as if it were one in double (torch 2.13, 16 keys and more)."""
    given = text(at, mask, found.through)
    return f"{atom(given)}.to({atom(text(at, found.q, found.through))}.dtype)" if _of_one_dtype(at, mask) else given


def _of_one_dtype(at: Place, term: Term) -> bool:
    """Whether it is cast to one dtype, or made in the usual one, whatever the queries are."""
    term = at.flow.bound(term) or term
    dtype = [one for key, one in term.named if key == "dtype"]
    cast = term.op == "float" or any(one.value in _SINGLE for one in (*dtype, *(term.args if term.op == "to" else ())))
    return cast or (term.op in _MADE and not dtype) or any(_of_one_dtype(at, part) for part in term.parts)


def _filled(at: Place, found: Parts, condition: Term, hidden: str) -> Parts | None:
    """A mask to add: in a row that is hidden as a whole, all places stay alike, which a mask of yes and no would not
    keep so."""
    if found.mask:
        return None
    like = condition.args[0] if condition.op in ("eq", "ne", "invert") else condition
    dtype = f"{atom(text(at, found.q, found.through))}.dtype"
    mask = f"torch.zeros_like({text(at, like)}, dtype={dtype}).masked_fill({hidden}, torch.finfo({dtype}).min)"
    return replace(found, mask=mask, adds=True, says="; ".join(filter(None, [found.says, _ROWS])))
