"""A grid that does not fit what is sampled at it.

    y = F.grid_sample(x, flow)  # f32[8, 3, 32, 32] and f32[8, 2, 32, 32]

Instead: the batch of the tensor, and one number for each dim of space last: `flow.permute(0, 2, 3, 1)`.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call


def explain(call: Call) -> str | None:
    """From both sizes."""
    x, grid = call.operand(0, "input"), call.operand(1, "grid")
    if x is None or grid is None or not x.shape or not grid.shape or len(x.shape) not in (4, 5):
        return None
    space = len(x.shape) - 2
    if len(grid.shape) != len(x.shape):
        return f"{call.name} takes a grid of {len(x.shape)} dims, and {grid.known('the grid')} has {len(grid.shape)}"
    if grid.shape[-1] != space:
        return (
            f"{call.name} takes {space} numbers in the last dim of its grid, a place in {x.known()}, and"
            f" {grid.known('the grid')} has {grid.shape[-1]}"
        )
    if grid.shape[0] != x.shape[0]:
        return f"{x.known()} has a batch of {x.shape[0]}, and {grid.known('the grid')} one of {grid.shape[0]}"
    return None


CAUSE = Cause("grid-sizes", "A grid that does not fit", {"grid_sample"}, explain)
