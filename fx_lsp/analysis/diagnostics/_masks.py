"""Attention masks: where they are given, what they hide, as far as the code says how they were made."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import NamedTuple

from fx_lsp.analysis.diagnostics._flows import argument, called, calls_of, inputs_of, made, operation_of
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain
from fx_lsp.model.value import TensorType

SINKS = frozenset({"softmax", "Softmax", "scaled_dot_product_attention", "MultiheadAttention", "TransformerEncoder",
                   "TransformerEncoderLayer", "TransformerDecoder", "TransformerDecoderLayer"})  # fmt: skip
_SCALED = {"squeeze": 0, "mul": 0, "div": 0, "add": 0, "sub": 0, "masked_fill": 0, "where": 1}
"""Which argument are the scores, in what is done to them before the softmax."""
_HIDES = {"attn_mask": 5, "key_padding_mask": 3, "mask": -1, "src_mask": -1, "tgt_mask": -1, "src_key_padding_mask": -1,
          "tgt_key_padding_mask": -1, "memory_key_padding_mask": -1, "memory_mask": -1}  # fmt: skip
"""Masks of torch's layers: where True, keys are hidden; with their places in `MultiheadAttention`."""
MAX_STEPS = 8
"""Things done to the scores."""
LOW = -1e4
"""A number that is added or filled in to hide."""


class Masked(NamedTuple):
    """A mask at the place where it is taken."""

    mask: Term
    call: Term
    hides: bool | None
    """Whether it hides where it is True, or the opposite; None: it is added."""


def scores(flow: Flow, softmax: Term) -> Iterator[Term]:
    """What is done to the scores before the softmax, last first, down to what makes them."""
    term = made(flow, argument(softmax, 0, "input"))
    for _ in range(MAX_STEPS):
        if term is None:
            return
        yield term
        if term.op not in _SCALED or len(term.args) <= _SCALED[term.op]:
            return
        place = 2 if term.op == "where" and len(term.args) > 2 and is_low(term.args[1]) else _SCALED[term.op]
        term = made(flow, term.args[place])


def is_product(flow: Flow, softmax: Term) -> bool:
    """Whether the scores are a product of matrices, perhaps scaled and masked."""
    return any(term.op == "matmul" for term in scores(flow, softmax))


def masked(flow: Flow) -> Iterator[Masked]:
    """Every mask that attention takes in a function."""
    for term, _ in calls_of(flow, SINKS):
        if term.op in ("softmax", "Softmax"):
            yield from _before(flow, term)
        elif term.op == "scaled_dot_product_attention":
            mask = argument(term, 3, "attn_mask")
            if mask is not None:
                yield Masked(mask, term, False)
        else:
            for name, place in _HIDES.items():
                by_place = place if term.op == "MultiheadAttention" else len(term.args)
                mask = argument(term, by_place if place >= 0 else len(term.args), name)
                if mask is not None:
                    yield Masked(mask, term, True)


def _before(flow: Flow, softmax: Term) -> Iterator[Masked]:
    if not is_product(flow, softmax):
        return
    for term in scores(flow, softmax):
        if term.op == "masked_fill" and len(term.args) == 3 and is_low(term.args[2]):
            yield Masked(term.args[1], term, True)
        elif term.op == "where" and len(term.args) == 3 and any(map(is_low, term.args[1:])):
            yield Masked(term.args[0], term, is_low(term.args[1]))
        elif term.op == "add" and len(term.args) == 2:
            yield from (Masked(one, term, None) for one in term.args)


def is_low(term: Term) -> bool:
    """Whether it is a number that hides: `-inf`, `-1e9`, the smallest of a type."""
    number = plain(term)
    if isinstance(number, int | float) and not isinstance(number, bool):
        return number <= LOW or number == -math.inf
    return isinstance(term.node, ast.Attribute) and term.node.attr == "min" and "finfo" in ast.unparse(term.node)


_SHAPED = frozenset({"unsqueeze", "expand", "view", "reshape", "repeat", "squeeze", "contiguous", "getitem"})
"""Makes another shape of the same numbers."""
_CAST = frozenset({"to", "float", "half", "type_as", "double", "bfloat16", "int", "long", "type"})

_ONES = frozenset({"ones", "ones_like", "new_ones"})


def numbers(flow: Flow, term: Term) -> Term | None:
    """The cast of a mask of True and False to zeros and ones, if nothing was done to those."""
    for _ in range(MAX_STEPS):
        flow, found = origin(flow, term)
        if found is None or not found.args:
            return None
        operation = operation_of(flow, found)
        dtypes = [getattr(one.output, "dtype", "") for one in operation.variants] if operation is not None else [""]
        floats = all(one[:1] in ("f", "i") for one in dtypes)
        if found.op in ("tril", "triu") and floats:
            ones = made(flow, found.args[0])
            return found if ones is not None and ones.op in _ONES else None
        if found.op in _CAST:
            given = inputs_of(flow, found)
            if given and given[0].dtype == "b8" and floats:
                return found
        elif found.op not in _SHAPED:
            return None
        term = found.args[0]
    return None


class Triangle(NamedTuple):
    """Where a square mask is True: on and below (above) a diagonal."""

    lower: bool
    diagonal: int

    @property
    def inverted(self) -> Triangle:
        """Where it is False."""
        return Triangle(not self.lower, self.diagonal + 1 if self.lower else self.diagonal - 1)

    @property
    def whole_row(self) -> str:
        """The row of which every place is in it; empty for none."""
        if self.lower:
            return "last" if self.diagonal >= 0 else ""
        return "first" if self.diagonal <= 0 else ""


def triangle(flow: Flow, term: Term) -> Triangle | None:
    """The triangle that a mask is, if it is one."""
    turned = False
    for _ in range(MAX_STEPS):
        flow, found = origin(flow, term)
        if found is None or not found.args:
            return None
        if found.op in ("tril", "triu"):
            size = next(iter(inputs_of(flow, found)), None)
            ones = made(flow, found.args[0])
            number = plain(found.get(1, "diagonal")) if found.get(1, "diagonal") is not None else 0
            if ones is None or ones.op not in _ONES or not isinstance(number, int):
                return None
            if not isinstance(size, TensorType) or len(size.shape) < 2 or size.shape[-1] != size.shape[-2]:
                return None
            one = Triangle(found.op == "tril", number)
            return one.inverted if turned else one
        turn = _turns(found)
        if turn is None:
            return None
        turned, term = turned != turn, found.args[0]
    return None


def origin(flow: Flow, term: Term) -> tuple[Flow, Term | None]:
    """What made it; of a buffer what `__init__` registers, with the flow of that."""
    found = made(flow, term, frozenset({"contiguous", "clone"}))
    name = term.value[0] if term.op == "name" else ""
    if found is not None or not name.startswith("self.") or name.count(".") != 1 or flow.owner is None:
        return flow, found
    inits = [one for one in flow.owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    if len(inits) != 1:
        return flow, None
    calls = [one for one in ast.walk(inits[0]) if isinstance(one, ast.Call) and len(one.args) > 1]
    made_of = [
        one.args[1]
        for one in calls
        if getattr(one.func, "attr", "") == "register_buffer" and getattr(one.args[0], "value", None) == name[5:]
    ]
    init = Flow(flow.file, inits[0], flow.owner)
    of = [term for term, _ in init.roots if len(made_of) == 1 and term.node is made_of[0]]
    return init, called(init, of[0]) if len(of) == 1 else None


def _turns(term: Term) -> bool | None:
    """Whether the operation swaps True and False of its first argument; None for one that does something else."""
    if term.op in ("invert", "logical_not"):
        return True
    if term.op in _SHAPED | {"bool", "to", "type"}:
        return False
    number = plain(term.args[1]) if len(term.args) == 2 else None
    if term.op in ("eq", "ne") and number in (0, 1):
        return (number == 0) == (term.op == "eq")
    if term.op == "gt" and number == 0:
        return False
    return True if term.op == "lt" and number == 1 else None


def padding(flow: Flow, term: Term) -> bool | None:
    """Whether a mask is True where there is padding (or False there); None for what is no comparison with it."""
    turned = False
    for _ in range(MAX_STEPS):
        found = made(flow, term, frozenset({"contiguous", "clone"}))
        if found is None or not found.args:
            return None
        if found.op in ("eq", "ne") and len(found.args) == 2:
            given = next(iter(inputs_of(flow, found)), None)
            name = found.args[1].value
            text = name[0] if found.args[1].op == "name" else name if found.args[1].op == "text" else ""
            if given is not None and given.dtype in ("i64", "i32") and isinstance(text, str) and "pad" in text.lower():
                return (found.op == "eq") != turned
        turn = _turns(found)
        if turn is None:
            return None
        turned, term = turned != turn, found.args[0]
    return None
