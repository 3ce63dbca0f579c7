"""Attention weights that are shared out over the batch or the heads: a sample sees what is in the others.

    weights = F.softmax(q @ k.transpose(-2, -1), dim=0)  # f32[B, T, T]
    return weights @ v

Instead: `dim=-1`, over the keys.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import (
    argument,
    calls_of,
    dim_of,
    flows,
    inputs_of,
    layer_of,
    made,
    place_of,
    softmax_of,
    value_of,
)
from fx_lsp.analysis.diagnostics._lineage import besides, lineages
from fx_lsp.analysis.diagnostics._masks import is_product, scores
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term, plain
from fx_lsp.analysis.snapshot import Problem, Snapshot
from fx_lsp.analysis.spare import OURS
from fx_lsp.model.span import Span
from fx_lsp.model.value import TensorType, label

_SOFTMAX = frozenset({"softmax", "Softmax"})
_LOSSES = frozenset({"nll_loss", "NLLLoss"})
_CHOICES = frozenset({"gather", "argmax", "max", "topk", "multinomial"})
_SUMS = frozenset({"matmul", "einsum", "Linear", "linear", "Sequential"})
_OF_ROWS = re.compile(r"att(n|en|_|\b)|bag|instance|slot|cluster|node|token|assign|rout|expert")
"""Of what is weighed or shared out, dim 0 may as well be its parts."""
_OF_DIMS = ("Conv", "BatchNorm", "GRU", "LSTM", "RNN", "Transformer", "Attention", "transpose", "permute", "dim=")
_REDUCES = frozenset({"sum", "mean", "amax", "max", "logsumexp", "norm", "prod"})
_SCORED = frozenset({"mul", "div", "add", "sub", "masked_fill", "where", "squeeze"})
"""What scores go through on their way to the softmax."""

_ACTIVATIONS = frozenset({"relu", "leaky_relu", "elu", "gelu", "silu", "tanh", "ReLU", "LeakyReLU", "ELU", "GELU"})


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each softmax between two products, over a dim that both only repeat; one for each loss or
    choice of classes whose logarithms are taken over the samples; one for each over the samples of a convolution; one
    for each that is all that a model gives of its classes."""
    yield from besides(besides(_written(snapshot), _ran(snapshot)), _given(snapshot))


def _ran(snapshot: Snapshot) -> Iterator[Problem]:
    for one in lineages(snapshot, {"nll_loss"}, {"log_softmax"}):
        if len(one.sizes) == 2 and one.sizes[0] == -one.sizes[1] < -1 and one.source.path == snapshot.path:
            yield _classes(one.source, one.span, "the loss")
    for one in lineages(snapshot, _CHOICES, {"log_softmax", "softmax"}):
        if one.sizes == (-2, -1, 2) and one.source.path == snapshot.path:
            yield _classes(one.source, one.span, "the choice")
    for one in lineages(snapshot, {"softmax", "log_softmax"}, {"conv"}):
        if len(one.sizes) == 4 and one.sizes[0] and one.sizes[0] - 1 == one.sizes[1] == -one.sizes[3]:
            message = f"this is over dim {one.sizes[1]} of what a convolution gives, the samples"
            yield Problem(one.span, "warning", RULE.id, message, ((one.source, "the convolution"),))


def _classes(place: Span, used: Span, what: str) -> Problem:
    message = "the classes are dim 1, and this is over dim 0, the samples"
    return Problem(place, "warning", RULE.id, message, ((used, what),))


def _written(snapshot: Snapshot) -> Iterator[Problem]:
    for flow in flows(snapshot, _SOFTMAX):
        products = [made(flow, term.args[0]) for term, _ in calls_of(flow, {"matmul"}) if term.args]
        for term, _ in calls_of(flow, _SOFTMAX):
            x = next(iter(inputs_of(flow, term)), None)
            rank = flow.file.rank(term.node) if term.node is not None else None
            dim, place = dim_of(term, rank), place_of(flow, term)
            used = any(one is not None and one.node is term.node for one in products)
            if rank is not None and dim is not None and place is not None and _is_repeated(flow, term, rank, dim):
                message = f"this is over dim {rank + dim} of {rank}, which the sums after it only repeat"
                yield Problem(place, "warning", RULE.id, message)
                continue
            if x is not None and dim is not None and dim < -2 and place is not None and used and is_product(flow, term):
                message = f"this is over dim {dim} of {label(x)}, which the products before and after it only repeat"
                yield Problem(place, "warning", RULE.id, message)
    for flow in flows(snapshot, _LOSSES):
        for term, _ in calls_of(flow, _LOSSES):
            found = softmax_of(flow, argument(term, 0, "input"), "log_softmax")
            x = next(iter(inputs_of(flow, term)), None)
            first, place = place_of(flow, found) if found is not None else None, place_of(flow, term)
            if found is None or first is None or place is None or x is None or len(x.shape) < 2:
                continue
            if dim_of(found, len(x.shape)) == -len(x.shape):
                message = f"the classes of {label(x)} are dim 1, and this is over dim 0, the samples"
                yield Problem(first, "warning", RULE.id, message, ((place, "the loss"),))


def _given(snapshot: Snapshot) -> Iterator[Problem]:
    for flow in flows(snapshot, {*_SOFTMAX, "log_softmax", "LogSoftmax", "Sequential"}):
        if flow.owner is None or flow.function.name != "forward" or _OF_ROWS.search(ast.unparse(flow.owner).lower()):
            continue
        returned = [one for one in ast.walk(flow.function) if isinstance(one, ast.Return)]
        values = [value_of(flow, one.value, one) if one.value is not None else None for one in returned]
        for name in ("softmax", "log_softmax"):
            found = [softmax_of(flow, one, name, deep=False) for one in values]
            for softmax in found if None not in found else ():
                place = place_of(flow, softmax) if softmax is not None else None
                if softmax is None or place is None or dim_of(softmax, 2) != -2 or not _has_classes(flow, softmax):
                    continue
                if _is_whole(snapshot, place):
                    message = "the classes of what the model gives are dim 1, and this is over dim 0, the samples"
                    yield Problem(place, "warning", RULE.id, message)


def _has_classes(flow: Flow, softmax: Term) -> bool:
    """Whether it is of what a linear layer gives, with more than one feature, as they are."""
    if softmax.args and softmax.args[0].op == "Sequential":
        linear = _ends_linear(flow, softmax.args[0], -2)
    else:
        given = _shaped(flow, next((one for one in scores(flow, softmax) if one.op not in _SCORED), None))
        linear = given is not None and (given.op in ("linear", "Linear") or _ends_linear(flow, given, -1))
    whole = flow.file.output(softmax.node) if softmax.node is not None else None
    return linear and whole is not None and len(whole.shape) == 2 and 1 not in whole.shape


def _shaped(flow: Flow, term: Term | None) -> Term | None:
    """What an activation is of."""
    while term is not None and term.op in _ACTIVATIONS and term.args:
        term = made(flow, term.args[0])
    return term


def _ends_linear(flow: Flow, called: Term, place: int) -> bool:
    """Whether a linear layer is the last of a sequence, or has another place in it."""
    layer = layer_of(flow, called) if called.op == "Sequential" else None
    node = layer.args[place] if layer is not None and len(layer.args) >= -place else None
    return isinstance(node, ast.Call) and flow.file.dotted(node.func) == "torch.nn.Linear"


def _is_whole(snapshot: Snapshot, place: Span) -> bool:
    """Whether it only ran in models that nothing is around, of samples that somebody gave them; or of pictures."""
    stated = False
    for trace in snapshot.traces:
        runs = [one for one in trace.reply.operations if one.span == place]
        if any(variant.modules != ("",) for one in runs for variant in one.variants):
            return False
        models = [one for one in trace.reply.modules if one.module == "" and runs]
        pictures = (isinstance(x, TensorType) and len(x.shape) == 4 for one in models for x in one.inputs[:1])
        stated |= bool(runs) and (trace.example.origin not in OURS or any(pictures))
    return stated


def _is_repeated(flow: Flow, softmax: Term, rank: int, dim: int) -> bool:
    """Whether the weights of scores that a layer or a sum over products gives go into an `einsum`, a product of batches
    or a weighted sum in which the first dim, over which they add up to one, is the first of everything."""
    if rank + dim != 0 or rank < 2:
        return False
    given = next((one for one in scores(flow, softmax) if one.op not in _SCORED), None)
    while given is not None and given.op == "getitem" and _keeps_first(flow, given):  # `self.score(x)[..., 0]`
        given = made(flow, given.args[0])
    if given is None or not (given.op in _SUMS or _is_own(flow, given)) or _has_convolutions(flow, given):
        return False
    found = [one for way in (_summed, _multiplied, _named) for one in way(flow, softmax)]
    return bool(found) and all(found)


def _is_own(flow: Flow, called: Term) -> bool:
    """Whether it is a model of this file with linear layers and nothing that knows of a dim before the last."""
    classes = flow.file.source.every(ast.ClassDef)
    text = next((ast.unparse(one) for one in classes if one.name == called.op), "")
    return "Linear" in text and not any(name in text for name in _OF_DIMS)


def _multiplied(flow: Flow, softmax: Term) -> Iterator[bool]:
    """Products of batches that have the weights."""
    for term, _ in calls_of(flow, {"matmul"}):
        if len(term.args) == 2 and any(_is_weights(flow, one, softmax) for one in term.args):
            given = [flow.tensor(one) for one in term.args]
            yield all(one is not None and len(one.shape) == 3 for one in given) and not _is_reduced(flow, term)


def _summed(flow: Flow, softmax: Term) -> Iterator[bool]:
    """Sums over the second dim of three of what is multiplied with the weights."""
    for term, _ in calls_of(flow, {"sum"}):
        product, dim = made(flow, term.args[0]), plain(term.get(1, "dim"))
        if product is None or product.op != "mul":
            continue
        whole = flow.tensor(product)
        same = (
            whole is not None and len(whole.shape) == 3 and whole.shape in [x.shape for x in inputs_of(flow, product)]
        )
        for _ in (one for one in product.args if _is_weights(flow, one, softmax)):
            yield same and dim == -2 and not _is_reduced(flow, term)


def _is_reduced(flow: Flow, summed: Term) -> bool:
    """Whether something is reduced of what came of it, over the first dim perhaps."""
    for term, _ in calls_of(flow, _REDUCES):
        given = made(flow, term.args[0]) if term.args else None
        if given is not None and given.node is summed.node:
            return True
    return False


def _named(flow: Flow, softmax: Term) -> Iterator[bool]:
    """Sums by letters, of which the first is the first everywhere."""
    for term, _ in calls_of(flow, {"einsum"}):
        equation = plain(term.args[0]) if len(term.args) == 3 else None
        inputs, _, output = str(equation).replace(" ", "").partition("->")
        letters = inputs.split(",")
        if len(letters) == 2 and any(_is_weights(flow, one, softmax) for one in term.args[1:]):
            summed = set("".join(letters)) - set(output)
            yield len({one[:1] for one in (*letters, output)}) == 1 and output[:1].isalpha() and bool(summed)


def _has_convolutions(flow: Flow, layer: Term) -> bool:
    """Whether it is a sequence with some: of one picture, its first dim is the channels."""
    made_of = layer_of(flow, layer) if layer.op == "Sequential" else None
    return layer.op == "Sequential" and (made_of is None or "Conv" in ast.unparse(made_of))


def _is_weights(flow: Flow, term: Term, softmax: Term) -> bool:
    """Whether it is what the softmax gives, perhaps with a dim more that is not the first."""
    found = made(flow, term)
    while found is not None and _keeps_first(flow, found):
        found = made(flow, found.args[0])
    return found is not None and found.node is softmax.node


def _keeps_first(flow: Flow, term: Term) -> bool:
    """`w.unsqueeze(-1)`, `w.squeeze(-1)`, `w.transpose(1, 2)` of three dims, `w[:, None]`, `w[..., None]`."""
    if term.op == "transpose":
        turned, dims = flow.tensor(term.args[0]), [plain(one) for one in term.args[1:]]
        return turned is not None and len(turned.shape) > 2 and all(one in (1, 2, -1, -2) for one in dims)
    index = term.args[1] if term.op in ("unsqueeze", "squeeze", "getitem") and len(term.args) == 2 else None
    if index is None or term.op != "getitem":
        dim = plain(index)
        return type(dim) is int and (dim > 0 or dim == -1)
    first = index.args[0] if index.op == "tuple" and index.args else index
    return plain(first) is Ellipsis or (isinstance(first.node, ast.Slice) and ast.unparse(first.node) == ":")


RULE = Rule(id="softmax-over-batch", title="A softmax over the samples", find=find)
