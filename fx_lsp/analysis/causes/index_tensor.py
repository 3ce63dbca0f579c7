"""Places along a dim, given as a tensor of another type or other sizes.

    y = x.gather(1, ids)  # x is f32[8, 10, 64], ids i64[8, 3]

Instead: i64, and for `gather` and `scatter` as many dims as the tensor has: `ids.unsqueeze(-1).expand(-1, -1, 64)`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand

ALONG = ("gather", "take_along_dim")
"""They take one place for each element of the result."""
INTO = ("scatter", "scatter_add", "scatter_reduce")
"""They take one place for each element of the source."""
ROWS = ("index_select", "index_add", "index_copy", "index_fill", "index_reduce")
"""They take a list of places."""


def explain(call: Call) -> str | None:
    """From the type, then from the sizes."""
    x, index = call.operand(0, "input"), call.operand(2, "index", "indices")
    if x is None or index is None or x.shape is None or index.shape is None:
        return None
    of = index.known("the index")
    if index.dtype not in ("i64", *(("i32",) if call.target in ROWS else ())):
        return f"{call.name} takes places, whole numbers of i64, and {of} holds {index.dtype}"
    dim, source = call.plain(1, "dim"), call.operand(3, "src", "source")
    if call.target in ROWS:
        return _rows(call, x, index, source, dim)
    if len(index.shape) != len(x.shape) and x.shape and index.shape:
        return (
            f"{call.name} takes an index with the dims of {x.known()}, {len(x.shape)}, and {of} has {len(index.shape)}"
        )
    if call.target == "take_along_dim":
        return None
    limits = [(x, other) for other in range(len(x.shape)) if isinstance(dim, int) and other != dim % len(x.shape)]
    if call.target in INTO and source is not None and source.shape is not None:
        limits += [(source, other) for other in range(len(index.shape))]
    for limit, other in limits:
        sizes = limit.shape or ()
        if other < len(sizes) and index.shape[other] > sizes[other]:
            return f"{of} has {index.shape[other]} in dim {other}, and {limit.known('the tensor')} only {sizes[other]}"
    return None


def _rows(call: Call, x: Operand, index: Operand, source: Operand | None, dim: object) -> str | None:
    if len(index.shape or ()) > 1:
        return f"{call.name} takes a list of places, and {index.known('the index')} has {len(index.shape or ())} dims"
    if source is None or not source.shape or not index.shape or not isinstance(dim, int) or dim >= len(source.shape):
        return None
    if source.shape[dim] != index.shape[0]:
        part = f"{source.known('the source')} has {source.shape[dim]} in dim {dim}"
        return f"{part}, and {index.known('the index')} a place for {index.shape[0]}"
    if _others(x, dim) != _others(source, dim):
        has = f"the sizes that {x.known('the tensor')} has but for dim {dim}"
        return f"{call.name} takes rows of {has}, and {source.known('the source')} has others"
    return None


def _others(x: Operand, dim: int) -> tuple[int, ...]:
    return tuple(size for place, size in enumerate(x.shape or ()) if place != dim % len(x.shape or (0,)))


CAUSE = Cause("index-tensor", "Places along a dim that do not fit", {*ALONG, *INTO, *ROWS}, explain)
