"""A recurrent layer starts with a state of other sizes: it is made for the features of the state."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.recurrent_state import PAIRS, expected
from fx_lsp.analysis.causes.tensor_expected import several
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._shapes import moved
from fx_lsp.analysis.mends.directions import both_ways
from fx_lsp.model.value import Group, TensorType


def propose(broken: Broken) -> Iterator[Edit]:
    """Where only the features differ; where only the layers do, for as many as the state has."""
    wanted, given = expected(broken.call), broken.call.operand(1, "hx")
    value = given.value if given is not None else None
    node = broken.place(1, "hx")
    one = isinstance(value, TensorType) and value.shape == wanted  # where two are taken, or it would have run
    if one and node is not None:
        text = broken.text(node)
        yield from broken.instead(node, (f"({text}, torch.zeros_like({text}))", f"({text}, {text})"))
        return
    if given is not None and several(given) is not None and broken.call.target not in PAIRS:
        yield from broken.instead(node, (broken.text(one) for one in getattr(node, "elts", ())))
        yield from broken.after(node, ("[0]", "[1]"))
        return
    value = value.items[0] if isinstance(value, Group) and value.items else value
    yield from _batched(broken, value.shape if isinstance(value, TensorType) else ())
    shape = value.shape if isinstance(value, TensorType) else None
    if shape and wanted and (1, *shape) == wanted and given is not None and isinstance(given.value, TensorType):
        yield from broken.after(node, (".unsqueeze(0)",))
    elif shape and wanted and (1, *shape) == wanted and isinstance(node, ast.Tuple):
        changes = [change for one in node.elts for change in _text.after(broken.source, one, ".unsqueeze(0)")]
        yield Edit("Give both states a dim for the layers", broken.source.path, tuple(changes))
    if not shape or not wanted or len(shape) != len(wanted):
        return
    if isinstance(given.value if given is not None else None, TensorType):
        yield from broken.after(node, (suffix for suffix, new in moved(shape) if new == wanted))
        yield from _repeated(broken, node, shape, wanted)
        yield from _resized(broken, shape, wanted)
    x = broken.call.shape(0, "input") or ()
    turned = len(wanted) == len(x) == 3 and shape[1] != wanted[1] and shape[1] in x[:2]
    for made in broken.made if turned else ():
        first = bool(broken.call.settings.get("batch_first"))
        if made.argument("batch_first") is not None:
            yield from made.changed("batch_first", {"batch_first": str(not first)})
        elif not first:
            yield from made.added("batch_first=True")
    if shape[:-1] == wanted[:-1]:
        yield from broken.sized("hidden_size", shape[-1])
    elif shape[1:] == wanted[1:] and shape[0] > wanted[0]:
        layers, both = broken.call.settings.get("num_layers"), bool(broken.call.settings.get("bidirectional"))
        for made in broken.made if isinstance(layers, int) else ():
            if shape[0] == 2 * wanted[0] and not both:
                yield from both_ways(made)
            if shape[0] % (both + 1) == 0:
                number = shape[0] // (both + 1)
                known = made.argument("num_layers") is not None
                yield from made.sized("num_layers", number) if known else made.added(f"num_layers={number}")


def _batched(broken: Broken, state: tuple[int, ...]) -> Iterator[Edit]:
    """One step, or one sequence, where the state is that of a batch."""
    x = broken.call.shape(0, "input") or ()
    if len(x) == 2 and len(state) == 3:
        first = bool(broken.call.settings.get("batch_first"))
        step = x[0] == state[1]
        yield from broken.after(broken.place(0, "input"), (f".unsqueeze({int(first == step)})",))


def _repeated(broken: Broken, node: ast.expr | None, shape: tuple[int, ...], wanted: tuple[int, ...]) -> Iterator[Edit]:
    """For each of several sequences that belong to one entry of the state."""
    same = len(shape) == 3 and (shape[0], shape[2]) == (wanted[0], wanted[2])
    if node is not None and same and shape[1] and wanted[1] % shape[1] == 0:
        x, batch = broken.place(0, "input"), int(not broken.call.settings.get("batch_first"))
        count = str(wanted[1] // shape[1])
        if isinstance(x, ast.Name) and isinstance(node, ast.Name):
            count = f"{x.id}.size({batch}) // {node.id}.size(1)"
        yield from broken.after(node, (f".repeat_interleave({count}, dim=1)", f".repeat(1, {count}, 1)"))


def _resized(broken: Broken, shape: tuple[int, ...], wanted: tuple[int, ...]) -> Iterator[Edit]:
    """A state of zeros: its sizes in another order, or one of them another number."""
    source, node = broken.origin(broken.place(1, "hx"))
    if not isinstance(node, ast.Call) or called(node) not in ("zeros", "randn", "ones", "empty"):
        return
    written = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple | ast.List) else node.args
    if len(written) != len(shape):
        return
    differ = [dim for dim, size in enumerate(wanted) if size != shape[dim]]
    for order in permutations(range(len(shape))) if len(differ) == 2 else ():
        if tuple(shape[dim] for dim in order) == wanted:
            text = ", ".join(_text.written(source, written[dim]) for dim in order)
            whole = source.span(written[0])
            last = source.span(written[-1])
            place = replace(whole, end_line=last.end_line, end_column=last.end_column)
            yield Edit(f"Use `{text}` as its sizes", source.path, ((place, text),))
    for dim in differ if len(differ) == 1 else ():
        yield Edit(f"Use {wanted[dim]} in place of {_text.title(_text.written(source, written[dim]))}", source.path,
                   _text.instead(source, written[dim], str(wanted[dim])))  # fmt: skip


MEND = Mend(frozenset({"recurrent-state"}), propose)
