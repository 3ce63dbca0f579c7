"""Queries, keys and values that do not fit each other: one of them turned, or the layer made for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.attention_sizes import shares_keys
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import Shape, broadcast, grown, moved, shrunk

_NAMES = ("query", "key", "value")
_WHOLE = 3
"""Dims of what a layer takes: batch, time and features."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Each turn of one with which they fit; for a layer, its other sizes."""
    if broken.call.target == "Transformer":
        yield from _order(broken)
        return
    shapes = [broken.call.shape(number, name) for number, name in enumerate(_NAMES)]
    known = [shape for shape in shapes if shape]
    if len(known) != len(_NAMES):
        return
    if broken.call.target == "MultiheadAttention":
        yield from _layer(broken, known)
        return
    query, key = broken.call.operand(0, "query"), broken.call.operand(1, "key")
    call = broken.node
    if query is not None and key is not None and shares_keys(query, key) and isinstance(call, ast.Call):
        last = call.keywords[-1].value if call.keywords else call.args[-1]
        text = f"{broken.text(last)}, enable_gqa=True"
        yield Edit("Let several queries share a key", broken.source.path, _text.instead(broken.source, last, text))
    yield from _mask(broken, known)
    for number in (1, 0, 2):
        for suffix, new in moved(known[number]):
            if new[0] == known[number][0] and _fit(*[*known[:number], new, *known[number + 1 :]]):
                yield from broken.after(broken.place(number, _NAMES[number]), (suffix,))


def _mask(broken: Broken, shapes: list[Shape]) -> Iterator[Edit]:
    """A mask with the dim of the heads that is missing, all of which it is for."""
    mask = broken.call.shape(3, "attn_mask")
    for query, key in [(shapes[0], shapes[1])] if mask and min(map(len, shapes)) > 1 else []:
        wanted = (*query[:-1], key[-2])
        if mask and len(mask) < len(wanted) and broadcast(mask, wanted) != wanted:
            ways = (way for way, new in grown(mask, len(wanted) - len(mask)) if broadcast(new, wanted) == wanted)
            yield from broken.after(broken.place(3, "attn_mask"), ways)


def _layer(broken: Broken, shapes: list[Shape]) -> Iterator[Edit]:
    """`kdim` and `vdim` where keys or values have other features than queries."""
    wanted = broken.call.settings.get("embed_dim")
    yield from _padding(broken, shapes)
    yield from _renamed(broken)
    if shapes[1][:-1] != shapes[2][:-1]:
        places = [broken.place(number, _NAMES[number]) for number in (1, 2)]
        texts = [broken.text(one) if one is not None else "" for one in places]
        yield from broken.instead(places[1], texts[:1] if texts[0] else ())
        yield from broken.instead(places[0], texts[1:] if texts[1] else ())
    sizes = [broken.call.settings.get(name, wanted) for name in ("embed_dim", "kdim", "vdim")]
    turned = [number for number, shape in enumerate(shapes) if shape[-1] != sizes[number]]
    # Where none of them has the features, it is the layer that was made for others.
    for number in turned if len(turned) < len(_NAMES) else ():
        ways = (way for way, new in moved(shapes[number])
                if new[-1] == sizes[number] and new[0] == shapes[number][0])  # fmt: skip
        yield from broken.after(broken.place(number, _NAMES[number]), ways)
    for number, name in enumerate(_NAMES):
        if len(shapes[number]) == _WHOLE + 1:
            yield from broken.after(broken.place(number, name), (".flatten(0, 1)",))
        elif len(shapes[number]) == _WHOLE - 1 and max(len(shape) for shape in shapes) == _WHOLE:
            time = 1 if broken.call.settings.get("batch_first") else 0
            yield from broken.after(broken.place(number, name), (f".unsqueeze({time})", f".unsqueeze({1 - time})"))
    found = {"kdim": shapes[1][-1], "vdim": shapes[2][-1]}
    if shapes[0][-1] != wanted:
        return
    for made in broken.made:
        missing = [f"{name}={size}" for name, size in found.items() if size != wanted and made.argument(name) is None]
        written = {name: str(size) for name, size in found.items() if made.argument(name) is not None}
        if written:
            yield from made.changed(" and ".join(written), written)
        if missing:
            yield from made.added(", ".join(missing))


def _padding(broken: Broken, shapes: list[Shape]) -> Iterator[Edit]:
    """The layer made for a batch where the mask has it; a mask of a picture as one of its places in a row."""
    mask = broken.call.shape(3, "key_padding_mask")
    first = bool(broken.call.settings.get("batch_first"))
    if mask and len(shapes[1]) == _WHOLE:
        wanted = (shapes[1][not first], shapes[1][first])
        if mask == wanted[::-1] != wanted:
            yield from _with_batch(broken, first=not first)
        ways = (way for way, new in (*shrunk(mask), *moved(mask)) if new == wanted)
        yield from broken.after(broken.place(3, "key_padding_mask"), ways)


def _renamed(broken: Broken) -> Iterator[Edit]:
    """A mask under the name of the other kind of mask, where its sizes are those of that one."""
    names = ("attn_mask", "key_padding_mask")
    for node in broken.node.keywords if isinstance(broken.node, ast.Call) else ():
        other = names[1 - names.index(node.arg)] if node.arg in names else None
        if other is not None and other not in broken.written:
            text = f"{other}={broken.text(node.value)}"
            yield Edit(f"Pass it as `{other}`", broken.source.path, _text.instead(broken.source, node, text))


def _order(broken: Broken) -> Iterator[Edit]:
    """A transformer made for the batch in its other place, where both have one batch there."""
    source, target = broken.call.shape(0, "src"), broken.call.shape(1, "tgt")
    first = bool(broken.call.settings.get("batch_first"))
    if source and target and len(source) == len(target) == 3 and source[first] == target[first]:
        yield from _with_batch(broken, first=not first)


def _with_batch(broken: Broken, first: bool) -> Iterator[Edit]:
    """The layer made for a batch in this place."""
    for made in broken.made:
        written = made.argument("batch_first")
        if written is None and first:
            yield from made.added("batch_first=True")
        elif written is not None:
            yield from made.changed("batch_first", {"batch_first": str(first)})


def _fit(query: Shape, key: Shape, value: Shape) -> bool:
    if min(len(query), len(key), len(value)) < 2 or query[-1] != key[-1] or key[-2] != value[-2]:
        return False
    return broadcast(query[:-2], key[:-2], value[:-2]) is not None


MEND = Mend(frozenset({"attention-sizes"}), propose)
