"""A dim that the tensor does not have.

    y = x.transpose(2, 3)  # x is f32[8, 10, 64]

Instead: dims are counted from 0, or back from -1.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand, numbers
from fx_lsp.model.value import Group

_TARGETS = {
    "transpose", "swapaxes", "swapdims", "permute", "sum", "mean", "softmax", "log_softmax", "max", "min",
    "argmax", "argmin", "std", "var", "norm", "squeeze", "unbind", "select", "narrow", "flatten", "size",
    "chunk", "split", "cat", "cumsum", "cumprod", "flip", "gather", "index_select", "sort", "topk", "argsort",
    "movedim", "roll", "prod", "any", "all", "logsumexp", "median", "amax", "amin", "normalize",
    "repeat_interleave", "unflatten", "tensor_split", "take_along_dim", "unsqueeze", "stack", "glu", "diff",
    "cummax", "cummin", "logcumsumexp", "kthvalue", "index_add", "index_fill", "index_copy", "scatter", "scatter_add",
    "fft", "ifft", "rfft", "irfft", "GLU", "Softmax", "LogSoftmax", "Flatten", "t",
}  # fmt: skip
_NEW = ("unsqueeze", "stack")
"""They make a dim, which may stand after the last one."""
_FLAT = 2
"""Dims that `t` turns."""
DIMS = ("dim", "dims", "dim0", "dim1", "axis", "start_dim", "end_dim")
"""Keywords that name a dim."""
FIRST = {"transpose": (1, 2), "swapaxes": (1, 2), "swapdims": (1, 2), "flatten": (1, 2), "chunk": (2,), "split": (2,),
          "topk": (2,), "tensor_split": (2,), "normalize": (2,), "norm": (2,), "repeat_interleave": (2,),
          "roll": (2,), "movedim": (1, 2), "diff": (2,), "kthvalue": (2,), "fft": (2,), "ifft": (2,),
          "rfft": (2,), "irfft": (2,)}  # fmt: skip
"""Where dims are among the arguments, when not right after the tensor."""


def explain(call: Call) -> str | None:
    """The first that is out of range; and dims given to `permute` that are not all."""
    x = subject(call)
    if x is None or x.shape is None:
        return None
    if call.target == "t":
        return f"{call.name} takes at most 2 dims, and {x.known()} has {len(x.shape)}" if len(x.shape) > _FLAT else None
    rank = len(x.shape) + (call.target in _NEW)
    places = range(1, len(call.operands)) if call.target == "permute" else FIRST.get(call.target, (1,))
    given = [call.plain(place) for place in places] + [call.plain(len(call.operands), name) for name in DIMS]
    given += [call.settings.get(name) for name in DIMS]
    dims = [dim for one in given for dim in numbers(one) or ()]
    for dim in dims:
        if not -max(rank, 1) <= dim < max(rank, 1):
            made = ", and one more is made" if call.target in _NEW else ""
            return f"{call.name} is asked for dim {dim}, and {x.known()} has {len(x.shape)}{made}: 0 to {rank - 1}"
    if call.target == "permute" and sorted(dim % rank for dim in dims if rank) != list(range(rank)):
        return f"{call.name} takes each dim once, and {dims} is not all {rank} of {x.known()}"
    return None


def subject(call: Call) -> Operand | None:
    """The tensor whose dims are meant: of several that are joined the first."""
    x = call.operand(0, "input", "tensors")
    if x is not None and isinstance(x.value, Group) and x.value.items:
        return Operand(f"{x.text[:-1]}[0]`" if x.text else "", x.value.items[0])
    return x


CAUSE = Cause("dim-range", "A dim that is not there", _TARGETS, explain)
