"""A layer cannot be made with these numbers: groups or heads that do not divide the features.

    self.norm = nn.GroupNorm(32, 48)
    self.att = nn.MultiheadAttention(64, 6)

Instead: a number that divides them.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand

TRANSFORMERS = ("Transformer", "TransformerEncoderLayer", "TransformerDecoderLayer")
_CONVOLUTIONS = {f"{name}{dims}d" for name in ("Conv", "ConvTranspose") for dims in (1, 2, 3)}


def explain(call: Call) -> str | None:
    """From what its constructor is given."""
    parts, wholes = numbers(call)
    for whole in wholes:
        if parts is None or type(parts.plain) is not int or parts.plain < 1 or type(whole.plain) is not int:
            continue
        if whole.plain % parts.plain:
            what = "heads" if call.target in ("MultiheadAttention", *TRANSFORMERS) else "groups"
            return f"{call.name}: {_shown(parts)} {what} do not divide {_shown(whole)} features"
    return None


def numbers(call: Call) -> tuple[Operand | None, list[Operand]]:
    """How many parts there are, and what has to be a multiple of that."""
    part, whole = {
        "GroupNorm": ("num_groups", ("num_channels",)),
        "MultiheadAttention": ("num_heads", ("embed_dim",)),
        **dict.fromkeys(TRANSFORMERS, ("nhead", ("d_model",))),
    }.get(call.target, ("groups", ("in_channels", "out_channels")))
    return call.named.get(part), [call.named[name] for name in whole if name in call.named]


def _shown(given: Operand) -> str:
    return f"{given.text} = {given.plain}" if given.text and given.text != f"`{given.plain}`" else f"{given.plain}"


CAUSE = Cause(
    "layer-numbers",
    "A layer made of numbers that do not divide",
    {"GroupNorm", "MultiheadAttention", *TRANSFORMERS, *_CONVOLUTIONS},
    explain,
)
