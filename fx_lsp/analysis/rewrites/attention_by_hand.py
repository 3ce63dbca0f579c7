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
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._flow import Definition, Flow
from fx_lsp.analysis.rewrites._terms import Term, plain
from fx_lsp.analysis.rewrites._write import Unwritable, atom, replaced, text_of, without
from fx_lsp.model import syntax

CAUSAL = "Use scaled_dot_product_attention with is_causal=True"
_GIVEN: tuple[str, str, str] = ("_fx_query", "_fx_key", "_fx_value")
"""Names that no code has: beside them stands what is written."""
_ROWS = "the scores of a row that is masked as a whole get a gradient"
LARGE = -1e3
"""What is filled in or added where nothing is to be attended to is below this."""


@dataclass(frozen=True)
class _Parts:
    q: Term
    k: Term
    scale: str
    through: tuple[Definition, ...]
    mask: str = ""
    says: str = ""
    dropout: str = ""


@dataclass(frozen=True)
class _Place:
    flow: Flow
    statement: ast.stmt
    """Where the fused call is to stand."""


def find(flow: Flow) -> Iterator[Found]:
    """Every product of a softmax of a product."""
    for term, statement in flow.roots:
        if term.op != "matmul" or len(term.args) != 2 or term.node is None:
            continue
        try:
            found = _weights(_Place(flow, statement), term.args[0], ())
            if found is None:
                continue
            options = [f"attn_mask={found.mask}"] if found.mask else []
            options += [f"dropout_p={found.dropout}"] if found.dropout else []
            after = f"F.scaled_dot_product_attention({', '.join([*_GIVEN, *options, f'scale={found.scale}'])})"
            bound = dict(zip(_GIVEN, (found.q, found.k, term.args[1]), strict=True))
            gone = without(flow, found.through, statement)
            if found.mask and _is_triangle(flow, found.mask):
                causal = after.replace(f"attn_mask={found.mask}", "is_causal=True")
                yield Found(term.node, (*replaced(flow, term, statement, causal, bound), *gone), title=CAUSAL)
            yield Found(term.node, (*replaced(flow, term, statement, after, bound), *gone), found.says)
        except Unwritable:
            continue


def _is_triangle(flow: Flow, mask: str) -> bool:
    """Whether it may be made of a triangle: running it decides."""
    own = [node.attr for node in ast.walk(syntax.expression(mask)) if isinstance(node, ast.Attribute)]
    names = {node.id for node in ast.walk(syntax.expression(mask)) if isinstance(node, ast.Name)}
    for statement in ast.walk(flow.owner or flow.function):
        text = flow.file.text(statement) if isinstance(statement, ast.Assign | ast.Expr) else ""
        if "tri" in text and (any(f'"{name}"' in text or f".{name} =" in text for name in own)
                              or any(text.startswith(f"{name} =") for name in names)):  # fmt: skip
            return True
    return "tri" in mask


def _weights(at: _Place, term: Term, through: tuple[Definition, ...]) -> _Parts | None:
    term, through = _seen(at, term, through)
    if term.op == "dropout" and (dropped := term.get(1, "p")) is not None:
        found = _weights(at, term.args[0], through)
        p, training = _text(at, dropped), term.get(2, "training")
        if found is None or plain(training) is False:
            return found
        on = _text(at, training) if training is not None and plain(training) is not True else ""
        return replace(found, dropout=f"{p} if {on} else 0.0" if on else p)
    if term.op == "dropout_layer":
        found = _weights(at, term.args[0], through)
        layer = str(term.args[1].value)
        return replace(found, dropout=f"{layer}.p if {layer}.training else 0.0") if found is not None else None
    if term.op != "softmax" or len(term.args) != 2 or term.named or plain(term.args[1]) != -1:
        return None
    return _scores(at, term.args[0], through)


def _scores(at: _Place, term: Term, through: tuple[Definition, ...]) -> _Parts | None:
    term, through = _seen(at, term, through)
    if term.op == "optional":
        found, asked = _scores(at, term.args[0], through), _text(at, term.args[1])
        if found is None or not found.mask or found.mask == asked:
            return found if found is not None and found.mask else None
        return replace(found, mask=f"{found.mask} if {asked} is not None else None")
    if term.op == "masked_fill" and len(term.args) == 3:
        value, through = _seen(at, term.args[2], through)
        found = _scores(at, term.args[0], through) if _hides(at, value) else None
        if found is None or _is_infinite(at, value):
            return _masked(found, _negated(at, term.args[1]))
        return _masked(found, _filled(at, found.q, term.args[1], _text(at, term.args[1])), _ROWS)
    if term.op == "where" and len(term.args) == 3 and _hides(at, term.args[2]):
        found, kept = _scores(at, term.args[1], through), _text(at, term.args[0])
        if found is None or _is_infinite(at, term.args[2]):
            return _masked(found, kept)
        return _masked(found, _filled(at, found.q, term.args[0], f"~{atom(kept)}"), _ROWS)
    if term.op == "add" and len(term.args) == 2:
        for scores, mask in _both(term):
            found = _scores(at, scores, through)
            if found is not None and not found.mask:
                return replace(found, mask=_text(at, mask))
        return None
    return _scaled(at, term, through)


def _scaled(at: _Place, term: Term, through: tuple[Definition, ...]) -> _Parts | None:
    """The product of queries and keys, scaled before or after."""
    term, through = _seen(at, term, through)
    if term.op in ("mul", "div") and len(term.args) == 2:
        for scores, factor in _both(term) if term.op == "mul" else _both(term)[:1]:
            found = _scaled(at, scores, through)
            if found is not None:
                return replace(found, scale=_times(found.scale, term.op, _text(at, factor)))
        return None
    if term.op != "matmul" or len(term.args) != 2:
        return None
    q, scale, through = _side(at, term.args[0], "1.0", through)
    key, through = _seen(at, term.args[1], through)
    k, scale, through = _side(at, key, scale, through)
    k, through = _seen(at, k, through)
    if k.op != "transpose" or [plain(one) for one in k.args[1:]] != [-2, -1]:
        return None
    k, scale, through = _side(at, k.args[0], scale, through)
    return _Parts(q, k, scale, through)


def _text(at: _Place, term: Term) -> str:
    """As it is written, if it means the same there."""
    if not at.flow.same_at(term, at.statement):
        raise Unwritable
    return text_of(at.flow.file, term)


def _both(term: Term) -> list[tuple[Term, Term]]:
    """Its two arguments, either of them first."""
    left, right = term.args
    return [(left, right), (right, left)]


def _side(
    at: _Place, term: Term, scale: str, through: tuple[Definition, ...]
) -> tuple[Term, str, tuple[Definition, ...]]:
    """Queries or keys without the number that they are scaled with."""
    inner, further = _seen(at, term, through)
    scaled = inner.op in ("mul", "div") and len(inner.args) == 2 and _is_number(at, inner.args[1])
    if scaled and at.flow.same_at(inner.args[0], at.statement):  # `q = q * scale`: there is no other name for it
        return inner.args[0], _times(scale, inner.op, _text(at, inner.args[1])), further
    return term, scale, through


def _is_number(at: _Place, term: Term) -> bool:
    """Whether it is no tensor, as far as can be told."""
    if term.op == "name":
        known = at.flow.definitions.get(term.value)
        return term.value[0].startswith("self.") or (known is not None and _is_number(at, known.term))
    return term.op in ("constant", "sqrt", "rsqrt", "pow") and (
        term.node is None or at.flow.file.ran(term.node) is None
    )


def _times(scale: str, op: str, factor: str) -> str:
    if scale == "1.0":
        return factor if op == "mul" else f"1 / {atom(factor)}"
    return f"{scale} {'*' if op == 'mul' else '/'} {atom(factor)}"


def _seen(at: _Place, term: Term, through: tuple[Definition, ...]) -> tuple[Term, tuple[Definition, ...]]:
    """What a variable that is used only here stands for."""
    while (found := at.flow.defined(term)) is not None:
        term, through = found.term, (*through, found)
    return term, through


def _hides(at: _Place, value: Term) -> bool:
    """Whether what is filled in makes the softmax zero."""
    number = plain(value)
    if isinstance(number, int | float):
        return number <= LARGE
    return value.node is not None and any(word in at.flow.file.text(value.node) for word in ("finfo", "inf", "min"))


def _is_infinite(at: _Place, value: Term) -> bool:
    """Whether a row that is hidden as a whole gives no number: then nothing has to be kept of it."""
    number = plain(value)
    if isinstance(number, int | float):
        return number == -math.inf
    return value.node is not None and "finfo" not in at.flow.file.text(value.node)


def _filled(at: _Place, q: Term, condition: Term, hidden: str) -> str:
    """A mask to add: in a row that is hidden as a whole, all places stay alike, which a mask of yes and no would not
    keep so."""
    like = condition.args[0] if condition.op in ("eq", "ne", "invert") else condition
    dtype = f"{atom(_text(at, q))}.dtype"
    return f"torch.zeros_like({_text(at, like)}, dtype={dtype}).masked_fill({hidden}, torch.finfo({dtype}).min)"


def _negated(at: _Place, mask: Term) -> str:
    """Where there is attention, given where there is none."""
    if mask.op in ("eq", "ne") and plain(mask.args[1]) == 0:
        return f"{atom(_text(at, mask.args[0]))} {'!=' if mask.op == 'eq' else '=='} 0"
    if mask.op == "invert":
        return _text(at, mask.args[0])
    return f"~{atom(_text(at, mask))}"


def _masked(found: _Parts | None, mask: str, says: str = "") -> _Parts | None:
    return replace(found, mask=mask, says=says) if found is not None and not found.mask else None


RULE = Rewrite("attention-by-hand", "Use scaled_dot_product_attention", find)
