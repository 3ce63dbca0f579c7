"""A layer gets maps of its features where it takes the features alone: their mean over all places."""

from __future__ import annotations

from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.mends import Mend
from fx_lsp.analysis.mends._broken import Broken

_SIZES = ("in_features", "normalized_shape")


def propose(broken: Broken) -> Iterator[Edit]:
    """Of what has its features in dim 1; of a sequence that has them last, where a batch is normalised."""
    shape, settings = broken.call.shape(0, "input"), broken.call.settings
    wanted = next((found for name in _SIZES if (found := numbers(settings.get(name)))), None)
    if shape and wanted and 3 < len(shape) < 6 and shape[1] == wanted[-1] and len(wanted) == 1:
        dims = ", ".join(str(dim) for dim in range(2, len(shape)))
        yield from broken.after(broken.place(0, "input"), (f".mean(dim=({dims}))",))
    features = settings.get("num_features")
    if broken.call.target == "BatchNorm1d" and shape and len(shape) == 3 and shape[1] != features == shape[2]:
        yield from broken.after(broken.place(0, "input"), (".mean(dim=1)",))


MEND = Mend(frozenset({"linear-features", "norm-features"}), propose)
