"""A layer that cannot be made, since groups or heads do not divide its features: a number that does."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import replace

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.layer_numbers import TRANSFORMERS, numbers
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._parameters import PARAMETERS

_PARTS = {"GroupNorm": "num_groups", "MultiheadAttention": "num_heads", **dict.fromkeys(TRANSFORMERS, "nhead")}
_WHOLES = {"GroupNorm": "num_channels", "MultiheadAttention": "embed_dim", **dict.fromkeys(TRANSFORMERS, "d_model")}
MAX_NUMBERS = 2


def propose(broken: Broken) -> Iterator[Edit]:
    """The nearest number of parts that divides them, then the next one, where it is written."""
    source, node, callers = broken.source, broken.node, broken.callers
    if isinstance(node, ast.Call) and any(isinstance(one, ast.Starred) for one in node.args) and callers:
        (source, node), callers = callers[0], callers[1:]  # a helper that hands all on
    parts, wholes = numbers(broken.call)
    sizes = [one.plain for one in wholes if type(one.plain) is int and one.plain > 0]
    old = parts.plain if parts is not None else None
    if type(old) is not int or old < 1 or not sizes or not isinstance(node, ast.Call):
        return
    name, common = _PARTS.get(broken.call.target, "groups"), math.gcd(*sizes)
    fitting = sorted((one for one in range(1, common + 1) if common % one == 0), key=lambda one: abs(one - old))
    parameters, known = PARAMETERS[broken.call.target], {name: old}
    made = Made(source, node, parameters, known, callers, files=broken.files)
    channels = made.argument("in_channels") if name == "groups" else None
    if channels is not None:  # each channel by itself
        yield from made.changed("groups", {"groups": _text.written(source, channels)})
    for size in fitting[:MAX_NUMBERS]:
        yield from made.numbered(name, size)
    whole = _WHOLES.get(broken.call.target)
    if whole is not None:
        made = replace(made, settings={whole: sizes[0]})
        for size in dict.fromkeys((round(sizes[0] / old) * old, -(-sizes[0] // old) * old)):
            yield from made.numbered(whole, size) if size else ()


MEND = Mend(frozenset({"layer-numbers"}), propose)
