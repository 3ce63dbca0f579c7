"""A normalisation gets another number of features than it was made for.

    self.norm = nn.LayerNorm(512)
    y = self.norm(x)  # x is f32[8, 10, 256]

Instead: make it for what it gets; `LayerNorm` looks at the last dims, the others at the one after the batch.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, numbers

_RANKS = {"BatchNorm1d": (2, 3), "BatchNorm2d": (4,), "BatchNorm3d": (5,), "InstanceNorm1d": (2, 3),
          "InstanceNorm2d": (3, 4), "InstanceNorm3d": (4, 5)}  # fmt: skip
"""Dims that each takes."""


def explain(call: Call) -> str | None:
    """From `num_features`, `num_channels` or `normalized_shape`."""
    x = call.operand(0, "input")
    if x is None or x.shape is None:
        return None
    if call.target in ("LayerNorm", "RMSNorm", "layer_norm", "rms_norm"):
        wanted = call.settings.get("normalized_shape") if call.settings else call.plain(1, "normalized_shape")
        sizes = numbers(wanted)
        return _last(call, tuple(sizes)) if sizes else None
    ranks = _RANKS.get(call.target)
    if ranks is not None and len(x.shape) not in ranks:
        return f"{call.name} takes {' or '.join(map(str, ranks))} dims, and {x.known()} has {len(x.shape)}"
    features = call.settings.get("num_features", call.settings.get("num_channels"))
    channel = 0 if "Instance" in call.target and ranks is not None and len(x.shape) == ranks[0] else 1
    if isinstance(features, int) and len(x.shape) > channel and x.shape[channel] != features:
        found = x.shape[channel]
        return f"{call.name} takes {features} features in dim {channel}, and {x.known()} has {found}"
    return None


def _last(call: Call, wanted: tuple[int, ...]) -> str | None:
    x = call.operand(0, "input")
    if x is None or x.shape is None or x.shape[len(x.shape) - len(wanted) :] == wanted:
        return None
    dims = f"{wanted[0]} in the last dim" if len(wanted) == 1 else f"{list(wanted)} in the last dims"
    return f"{call.name} takes {dims}, and {x.known()} ends otherwise"


_TARGETS = {*_RANKS, "LayerNorm", "RMSNorm", "GroupNorm", "SyncBatchNorm", "layer_norm", "rms_norm"}
CAUSE = Cause("norm-features", "A normalisation for another number of features", _TARGETS, explain)
