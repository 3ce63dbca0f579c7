"""Which torch functions are told of what they take."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Optional, Sequence, Tuple

import torch

from fx_lsp.worker.capture.marks import EACH, LOSSES, SOFTMAX, Key, Mark, Takes, argument, from_last

CHOICES = ("gather", "argmax", "max", "topk", "multinomial")
"""What chooses classes, or samples, over a dim."""


def taken_by(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any], marks: Mapping[Key, Mark], inside: bool
) -> Iterator[Tuple[Takes, Optional[Mark]]]:
    """What is to be told of a call; `inside` a library, its own calls are not."""
    key: Key = 0 if args else "log_probs" if name == "ctc_loss" else "input"
    x, tensor = marks.get(key), args[0] if args else kwargs.get(key if isinstance(key, str) else "input")
    rank = tensor.dim() if isinstance(tensor, torch.Tensor) else 0
    made = x.made if x is not None and x.mask is None else ""
    if name in LOSSES or (name == "logsumexp" and inside):
        yield Takes(name, 0, made, (*(x.sizes if x is not None else ()), rank)), x
    elif name in (*SOFTMAX, "softmin"):
        whole = argument(args, kwargs, 1, "dim") is None
        yield Takes(name, "dim", "dim" if whole else "", (rank,)), None
        dim = from_last(argument(args, kwargs, 1, "dim"), rank)
        size = tensor.shape[dim] if dim and isinstance(tensor, torch.Tensor) else 0
        first = x.sizes[0] if x is not None and x.sizes else 0
        yield Takes(name, 0, made, (first, dim, size, rank)), x._replace(masked=None) if x is not None else None
        if x is not None and made == "added":  # of the same softmax, other scores may have no mask
            yield Takes(name, "mask", made), x._replace(masked=x.at)
        yield from _wrong(x, "", 0)
    elif name.startswith("dropout"):
        train = argument(args, kwargs, 2, "training")
        drops = (True if train is None else train) and _is_some(argument(args, kwargs, 1, "p"))
        yield Takes(name, "p", "dropped" if drops and inside else ""), None
    elif name == "layer_norm":
        shape = argument(args, kwargs, 1, "normalized_shape")
        yield Takes(name, 0, "one" if tuple(shape) == (1,) else ""), None
    elif name in CHOICES:
        place = 2 if name == "topk" else 1
        dim = -1 if name in ("topk", "multinomial") and len(args) <= place and "dim" not in kwargs else 0
        dim = dim or from_last(argument(args, kwargs, place, "dim"), rank)
        yield Takes(name, 0, made, (x.sizes[0] if x is not None and x.sizes else 0, dim, rank)), x
    elif name == "scaled_dot_product_attention":
        drops = not inside and bool(argument(args, kwargs, 4, "dropout_p"))
        yield Takes(name, "dropout_p", "dropped" if drops else ""), None
        mask = marks.get(3) or marks.get("attn_mask")
        yield from _numbers(name, "attn_mask", argument(args, kwargs, 3, "attn_mask"), mask)
        if mask is not None and mask.mask is not None:
            shown = Mark("", mask.at, (), None, mask.mask.hidden(False))
            yield from _wrong(shown, name, "attn_mask")
        yield from _wrong(mask, name, "attn_mask")
    elif name == "multi_head_attention_forward":
        for part in ("key_padding_mask", "attn_mask"):
            yield from _numbers("MultiheadAttention", part, kwargs.get(part), marks.get(part))
            yield from _wrong(marks.get(part), "MultiheadAttention", part)
    elif name in EACH and len(args) == 2:
        yield from _columns(name, args, marks)


def _is_some(rate: Any) -> bool:
    """Whether a rate drops anything; one that is not given does."""
    return rate is None or (isinstance(rate, (int, float)) and rate > 0)


def _numbers(name: str, place: Key, mask: Any, x: Optional[Mark]) -> Iterator[Tuple[Takes, Optional[Mark]]]:
    """A mask of zeros and ones that is added to the scores."""
    if x is not None and x.mask is not None and isinstance(mask, torch.Tensor) and mask.is_floating_point():
        yield Takes(name, place, "numbers"), x


def _wrong(x: Optional[Mark], name: str, place: Key) -> Iterator[Tuple[Takes, Mark]]:
    for one in x.hidden if x is not None else ():
        if x is not None and one.hides_wrongly:
            end = () if one.made == "padding" else (int(one.positive),)
            pads = (one.ids, one.number) if one.made == "padding" else None
            # torch's own layers fill in what hides themselves, and are told of with what they are given.
            at = x._replace(masked=None) if name else x
            yield Takes(name or x.by, place, one.made, end, pads), at


def _columns(name: str, args: Sequence[Any], marks: Mapping[Key, Mark]) -> Iterator[Tuple[Takes, Optional[Mark]]]:
    for column, row in ((0, 1), (1, 0)):
        x, one, other = marks.get(column), args[column], args[row]
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor) and one.dim() == 2 and other.dim() == 1:
            alone = x is not None and x.made in ("linear", "sigmoid") and x.sizes[:2] == (-1, 1)
            own = marks.get(row)
            given = alone and (own is None or own.made == "numbers") and not other.requires_grad
            yield Takes(name, column, "linear" if alone else "", (int(given),)), x
