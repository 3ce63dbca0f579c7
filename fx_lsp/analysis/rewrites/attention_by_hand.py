"""Attention that is written out keeps all its scores in memory, and is slower than torch's own.

Before:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    scores = scores.masked_fill(mask == 0, float("-inf"))
    attn = self.drop(scores.softmax(dim=-1))
    out = attn @ v
After:
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask != 0, dropout_p=…, scale=…)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Definition, Flow
from fx_lsp.analysis.rewrites._place import Place, seen, text
from fx_lsp.analysis.rewrites._scores import SINGLE, Parts, in_single, scores, uncast
from fx_lsp.analysis.rewrites._terms import Term, constant, plain
from fx_lsp.analysis.rewrites._triangles import is_triangle
from fx_lsp.analysis.rewrites._write import Unwritable, atom, replaced, text_of, without
from fx_lsp.model import syntax
from fx_lsp.model.span import Span

CAUSAL = "Use scaled_dot_product_attention with is_causal=True"
_GIVEN: tuple[str, str, str] = ("_fx_query", "_fx_key", "_fx_value")
"""Names that no code has: beside them stands what is written."""


def find(flow: Flow) -> Iterator[Found]:
    """Every product of a softmax of a product."""
    for term, statement in flow.roots:
        for weights, values, through, turned in _products(Place(flow, statement), term):
            try:
                yield from _fused(Place(flow, statement), term, weights, values, through, turned)
            except Unwritable:
                continue


def _products(at: Place, term: Term) -> Iterator[tuple[Term, Term, tuple[Definition, ...], str]]:
    """What may be weights and values of a product, and how it is turned afterwards."""
    product, turned = term, ""
    if term.op == "transpose" and term.args[0].op == "matmul" and term.args[0].node is None:
        product, turned = term.args[0], f".transpose({', '.join(str(plain(one)) for one in term.args[1:])})"
    if product.op != "matmul" or len(product.args) != 2 or term.node is None:
        return
    yield product.args[0], product.args[1], (), turned
    other, through = seen(at, product.args[1], ())
    if _is_turned(other):
        values = Term("transpose", (product.args[0], constant(-2), constant(-1)))
        yield other.args[0], values, through, f".transpose(-2, -1){turned}"


def _is_turned(term: Term) -> bool:
    return term.op == "transpose" and [plain(one) for one in term.args[1:]] == [-2, -1]


def _straight(term: Term) -> Term:
    """What was turned twice."""
    return term.args[0].args[0] if _is_turned(term) and _is_turned(term.args[0]) else term


def _fused(
    at: Place, term: Term, weights: Term, values: Term, through: tuple[Definition, ...], turned: str
) -> Iterator[Found]:
    flow, statement = at.flow, at.statement
    found = _weights(at, weights, through)
    if found is None or term.node is None:
        return
    bound = dict(zip(_GIVEN, map(_straight, (found.q, found.k, values)), strict=True))
    gone = (*without(flow, found.through, statement), *_asides(at, found))
    if found.mask and not found.joint and is_triangle(flow, found.mask):
        edit = (*replaced(flow, term, statement, _call(found, "is_causal=True", turned), bound, found.through), *gone)
        yield Found(term.node, edit, SINGLE if found.single else "", CAUSAL, single=found.single)
    after = _call(found, f"attn_mask={found.mask}" if found.mask else "", turned)
    yield Found(
        term.node,
        (*replaced(flow, term, statement, after, bound, found.through), *gone),
        found.says,
        single=found.single,
    )


def _call(found: Parts, mask: str, turned: str) -> str:
    options = [mask, f"dropout_p={found.dropout}" if found.dropout else "", f"scale={found.scale}"]
    given = ", ".join([f"{_GIVEN[0]}{found.factor}", *_GIVEN[1:], *filter(None, options)])
    names = {dotted(_target(one)) or "" for one in found.through}
    return _asks_queries(f"F.scaled_dot_product_attention({given}){turned}", names, found.single)


def _target(one: Definition) -> ast.expr:
    statement = one.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    return target if isinstance(target, ast.expr) else ast.Name("", ast.Load())


def _asks_queries(after: str, gone: set[str], single: bool) -> str:
    """With `q.dtype` for the `scores.dtype` of scores that are gone, where nothing but such is asked of them.

    Raises:
        Unwritable: the scores are in single precision, whatever the queries are.
    """
    asked = [one for one in ast.walk(syntax.expression(after)) if isinstance(one, ast.Name) and one.id in gone]
    if asked and single:
        raise Unwritable
    for node in sorted(asked, key=lambda node: -node.col_offset):
        start, end = node.col_offset, node.end_col_offset or 0
        after = after.encode()[:start].decode() + _GIVEN[0] + after.encode()[end:].decode()
    return after


def _asides(at: Place, found: Parts) -> Changes:
    """The same in statements that stay.

    Raises:
        Unwritable: there the queries are others.
    """
    edits: list[tuple[Span, str]] = []
    gone = [range(one.statement.lineno, (one.statement.end_lineno or 0) + 1) for one in found.through]
    for key, definition in at.flow.definitions.items():
        if not any(definition is one for one in found.through):
            continue
        for node, statement in at.flow.asked.get(key, ()):
            if statement is at.statement or any(node.lineno in lines for lines in gone):
                continue
            if not at.flow.same_at(found.q, statement):
                raise Unwritable
            edits.append((at.flow.file.source.span(node), atom(text_of(at.flow.file, found.q))))
    return tuple(edits)


def _weights(at: Place, term: Term, through: tuple[Definition, ...]) -> Parts | None:
    term, through = seen(at, term, through)
    if (inner := uncast(term)) is not None:
        found = _weights(at, inner, through)
        return in_single(found)
    if term.op == "optional":
        found, asked = _weights(at, term.args[0], through), text(at, term.args[1])
        given = f"{asked}.p if {asked}.training else 0.0"
        if found is None or found.dropout != given:
            return None
        return replace(found, dropout=given.replace(" if ", f" if {asked} is not None and "))
    if term.op == "dropout" and (dropped := term.get(1, "p")) is not None:
        found = _weights(at, term.args[0], through)
        p, training = text(at, dropped), term.get(2, "training")
        if found is None or plain(training) is False:
            return found
        on = text(at, training) if training is not None and plain(training) is not True else ""
        return replace(found, dropout=f"{p} if {on} else 0.0" if on else p)
    if term.op == "dropout_layer":
        found = _weights(at, term.args[0], through)
        layer = str(term.args[1].value)
        return replace(found, dropout=f"{layer}.p if {layer}.training else 0.0") if found is not None else None
    if term.op != "softmax" or len(term.args) != 2 or plain(term.args[1]) != -1:
        return None
    found = scores(at, term.args[0], through)
    if term.named:
        (name, kind), *more = term.named
        known = name == "dtype" and not more and kind.value in ("torch.float32", "torch.float")
        return in_single(found) if known else None
    return found


RULE = Rewrite("attention-by-hand", "Use scaled_dot_product_attention", find)
