"""Queries, keys and values that do not fit each other, or the layer.

    y = F.scaled_dot_product_attention(q, k, v)  # q is f32[2, 8, 10, 64], k is f32[2, 8, 64, 10]

Instead: each is [batch, heads, length, features]; queries and keys have the same features, keys and values one length.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand


def explain(call: Call) -> str | None:
    """From the sizes of the three."""
    if call.target == "Transformer":
        return _batches(call)
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
    return _heads(call, query, key) or _mask(call, query, key)


def _heads(call: Call, query: Operand, key: Operand) -> str | None:
    """Of the dims before the last two."""
    for back, (one, two) in enumerate(zip((query.shape or ())[-3::-1], (key.shape or ())[-3::-1], strict=False), 3):
        if one == two or 1 in (one, two) or (back == 3 and bool(call.plain(8, "enable_gqa")) and one % two == 0):
            continue
        hint = "; with `enable_gqa=True` several queries share a key" if shares_keys(query, key) else ""
        return (
            f"{call.name}: dim -{back} of {query.known('the queries')} has {one}, and that of {key.known('the keys')}"
            f" has {two}{hint}"
        )
    return None


def shares_keys(query: Operand, key: Operand) -> bool:
    """Whether only the heads differ, and there are some times as many for queries."""
    one, two = query.shape or (), key.shape or ()
    if len(one) != len(two) or len(one) < 3 or one[:-3] != two[:-3]:
        return False
    ((many, few),) = zip(one[-3:-2], two[-3:-2], strict=True)
    return many > few > 0 and many % few == 0


def _mask(call: Call, query: Operand, key: Operand) -> str | None:
    """It is broadcast to a number for each query and key."""
    mask = call.operand(3, "attn_mask")
    if mask is None or mask.shape is None or not query.shape or not key.shape:
        return None
    wanted = (*query.shape[:-1], key.shape[-2])
    fits = len(mask.shape) <= len(wanted) and all(
        one in (1, size) for one, size in zip(mask.shape[::-1], wanted[::-1], strict=False)
    )
    if fits:
        return None
    return f"{call.name} takes a mask that can be broadcast to {list(wanted)}, and {mask.known('the mask')} cannot"


def _layer(call: Call, query: Operand, key: Operand, value: Operand) -> str | None:
    wanted = {
        "query": call.settings.get("embed_dim"),
        "key": call.settings.get("kdim"),
        "value": call.settings.get("vdim"),
    }
    for (name, size), one in zip(wanted.items(), (query, key, value), strict=True):
        if isinstance(size, int) and one.shape and one.shape[-1] != size:
            return f"{call.name} takes {size} features of a {name}, and {one.known(f'the {name}')} has {one.shape[-1]}"
    for name, one in (("query", query), ("key", key), ("value", value)):
        if len(one.shape or ()) not in (2, 3):
            return f"{call.name} takes 2 or 3 dims, and {one.known(f'the {name}')} has {len(one.shape or ())}"
    for name, one in (("key", key), ("value", value)):
        if len(one.shape or ()) != len(query.shape or ()):
            return (
                f"{call.name} takes all with a batch or all without one, and {query.known('the query')} has"
                f" {len(query.shape or ())} dims, {one.known(f'the {name}')} {len(one.shape or ())}"
            )
    return _sequences(call, query, key, value)


def _sequences(call: Call, query: Operand, key: Operand, value: Operand) -> str | None:
    """One batch, a value for each key, and masks of them; a layer of whole sequences alone."""
    heads, first = call.settings.get("num_heads"), bool(call.settings.get("batch_first"))
    if not query.shape or not key.shape or {len(query.shape), len(key.shape)} != {3} or not isinstance(heads, int):
        return None
    batch, queries, keys = query.shape[not first], query.shape[first], key.shape[first]
    if batch != key.shape[not first]:
        order = "[batch, time, features]" if first else "[time, batch, features]"
        return (
            f"{call.name} takes {order}, and {query.known('the queries')} has a batch of {batch},"
            f" {key.known('the keys')} one of {key.shape[not first]}"
        )
    if value.shape and len(value.shape) == 3 and value.shape[:2] != key.shape[:2]:
        return (
            f"{call.name}: {key.known('the keys')} has {list(key.shape[:2])} before its features, and"
            f" {value.known('the values')} {list(value.shape[:2])}: each key has one value"
        )
    mask, padding = call.operand(5, "attn_mask"), call.operand(3, "key_padding_mask")
    if mask is not None and mask.shape and mask.shape not in ((queries, keys), (batch * heads, queries, keys)):
        return (
            f"{call.name} takes a mask of {[queries, keys]}, queries and keys, and {mask.known('the mask')} is another"
        )
    if padding is not None and padding.shape and padding.shape != (batch, keys):
        return (
            f"{call.name} takes a padding mask of {[batch, keys]}, batch and keys, and"
            f" {padding.known('the mask')} is another"
        )
    return None


def _batches(call: Call) -> str | None:
    """Of a whole transformer: one batch, and its features."""
    source, target = call.operand(0, "src"), call.operand(1, "tgt")
    if source is None or target is None or not source.shape or not target.shape:
        return None
    first, features = bool(call.settings.get("batch_first")), call.settings.get("d_model")
    order = "[batch, time, features]" if first else "[time, batch, features]"
    one, two = (given.shape[not first] if given.shape and len(given.shape) == 3 else 0 for given in (source, target))
    if one != two and one and two:
        return (
            f"{call.name} takes {order}, and {source.known('the source')} has a batch of {one},"
            f" {target.known('the target')} one of {two}"
        )
    for given, name in ((source, "the source"), (target, "the target")):
        if isinstance(features, int) and given.shape and given.shape[-1] != features:
            return (
                f"{call.name} takes {features} features in the last dim, and {given.known(name)} has {given.shape[-1]}"
            )
    return None


_TARGETS = {"Transformer", "MultiheadAttention", "scaled_dot_product_attention"}
CAUSE = Cause("attention-sizes", "Attention over what does not fit together", _TARGETS, explain)
