"""Queries, keys and values that do not fit each other, or the layer.

    y = F.scaled_dot_product_attention(q, k, v)  # q is f32[2, 8, 10, 64], k is f32[2, 8, 64, 10]

Instead: each is [batch, heads, length, features]; queries and keys have the same features, keys and values one length.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand


def explain(call: Call) -> str | None:
    """From the sizes of the three."""
    query, key, value = (call.operand(number, name) for number, name in enumerate(("query", "key", "value")))
    if query is None or key is None or value is None or not (query.shape and key.shape and value.shape):
        return None
    if call.target == "MultiheadAttention":
        return _layer(call, query, key, value)
    if query.shape[-1] != key.shape[-1]:
        return (
            f"the last dims of {query.known('the queries')} and {key.known('the keys')} are {query.shape[-1]} and"
            f" {key.shape[-1]}, and each query is compared with each key"
        )
    if len(key.shape) > 1 < len(value.shape) and key.shape[-2] != value.shape[-2]:
        return (
            f"{key.known('the keys')} has a length of {key.shape[-2]}, and {value.known('the values')} one of"
            f" {value.shape[-2]}: each key has one value"
        )
    return None


def _layer(call: Call, query: Operand, key: Operand, value: Operand) -> str | None:
    wanted = {
        "query": call.settings.get("embed_dim"),
        "key": call.settings.get("kdim"),
        "value": call.settings.get("vdim"),
    }
    for (name, size), one in zip(wanted.items(), (query, key, value), strict=True):
        if isinstance(size, int) and one.shape and one.shape[-1] != size:
            return f"{call.name} takes {size} features of a {name}, and {one.known(f'the {name}')} has {one.shape[-1]}"
    return None


_TARGETS = {"MultiheadAttention", "scaled_dot_product_attention"}
CAUSE = Cause("attention-sizes", "Attention over what does not fit together", _TARGETS, explain)
