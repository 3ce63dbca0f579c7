"""Places along a dim of another type or other sizes: cast, or with the dims that are missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.index_tensor import INTO, ROWS
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._shapes import Shape, grown, shrunk
from fx_lsp.analysis.mends.dtypes import uncast


def propose(broken: Broken) -> Iterator[Edit]:
    """By what is wrong."""
    call, index = broken.call, broken.place(2, "index", "indices")
    x, places = call.operand(0, "input"), call.operand(2, "index", "indices")
    if index is None or x is None or places is None or places.shape is None or x.shape is None:
        return
    if places.dtype != "i64":
        yield from _exchanged(broken, index)
        yield from uncast(broken, index, "i64")
        yield from broken.after(index, (".long()",))
        return
    if call.target in ROWS:
        yield from _along(broken, x.shape, places.shape)
        one = (suffix for suffix, new in shrunk(places.shape) if len(new) == 1)
        yield from broken.after(index, one if len(places.shape) > 1 else ())
        added = call.shape(3, "source") or ()
        fewer = (suffix for suffix, new in shrunk(added) if len(new) == len(x.shape) and "squeeze" in suffix)
        yield from broken.after(broken.place(3, "source"), fewer if len(added) == len(x.shape) + 1 else ())
        return
    if call.target not in INTO:
        yield from _one_each(broken, index, places.shape, x.shape)
    source = call.shape(3, "src") if call.target in INTO else None
    yield from _of_rows(broken, places.shape, source)
    yield from _spread(broken, places.shape, x.shape if source is None else source)


def _exchanged(broken: Broken, index: ast.expr) -> Iterator[Edit]:
    """The places and what is put there in each other's place, where that is what holds whole numbers."""
    given, other = broken.call.operand(3, "src", "source"), broken.place(3, "src", "source")
    if given is not None and other is not None and given.dtype == "i64":
        texts = [broken.text(index), broken.text(other)]
        spans = [broken.source.span(one) for one in (index, other)]
        title = f"Swap {' and '.join(map(_text.title, texts))}"
        yield Edit(title, broken.source.path, tuple(zip(spans, reversed(texts), strict=True)))


def _along(broken: Broken, shape: Shape, places: Shape) -> Iterator[Edit]:
    """Another dim, in which there are as many as there are places."""
    source, old = broken.call.shape(3, "src", "source") or (), broken.call.plain(1, "dim")
    for dim in range(min(len(shape), len(source))):
        if dim != old and places[:1] == source[dim : dim + 1]:
            yield from broken.instead(broken.place(1, "dim"), (str(dim),))


def _one_each(broken: Broken, index: ast.expr, shape: Shape, wanted: Shape) -> Iterator[Edit]:
    """One element for each place: `logp.gather(1, labels.unsqueeze(1)).squeeze(1)`."""
    dim = broken.call.plain(1, "dim")
    along = dim % len(wanted) if isinstance(dim, int) and wanted else 0
    if isinstance(dim, int) and isinstance(broken.node, ast.expr) and shape == (*wanted[:along], *wanted[along + 1 :]):
        inner = _text.after(broken.source, index, f".unsqueeze({dim})")
        outer = _text.after(broken.source, broken.node, f".squeeze({dim})")
        yield Edit(
            f"Take one element for each of {_text.title(broken.text(index))}", broken.source.path, (*inner, *outer)
        )


def _of_rows(broken: Broken, places: Shape, source: Shape | None) -> Iterator[Edit]:
    """Whole rows are added, where there is a place for each: `index_add` in the place of `scatter_add`."""
    dim, func = broken.call.plain(1, "dim"), getattr(broken.node, "func", None)
    rows = source[dim : dim + 1] if source is not None and type(dim) is int and dim >= 0 else ()
    if (
        isinstance(func, ast.Attribute)
        and func.attr.rstrip("_") == "scatter_add"
        and len(places) == 1
        and rows == places
    ):
        yield from broken.instead(func, (f"{broken.text(func.value)}.{func.attr.replace('scatter', 'index')}",))


def _spread(broken: Broken, shape: Shape, wanted: Shape) -> Iterator[Edit]:
    """With dims of 1, as wide as the tensor has them there."""
    index, dim = broken.place(2, "index"), broken.call.plain(1, "dim")
    missing = len(wanted) - len(shape)
    if not isinstance(dim, int) or missing < 1:
        return
    along = dim % len(wanted)
    for suffix, new in grown(shape, missing):
        fits = all(size in (1, wanted[place]) for place, size in enumerate(new) if place != along)
        if fits:
            x = broken.place(3, "src") if broken.call.target in INTO else broken.place(0, "input")
            name, last = x.id if isinstance(x, ast.Name) else "", len(new) - 1
            named = [f"{name}.size({-1 if place == last else place})" if name else str(size)
                     for place, size in enumerate(wanted)]  # fmt: skip
            sizes = ["-1" if size != 1 or place == along else named[place] for place, size in enumerate(new)]
            yield from broken.after(index, (f"{suffix}.expand({', '.join(sizes)})",))


MEND = Mend(frozenset({"index-tensor"}), propose)
