"""What torch functions make of what is known of their arguments, and which of them are told what they take."""

from __future__ import annotations

import math
import weakref
from itertools import count
from types import CodeType
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import torch
import torch.nn.functional as F

from fx_lsp.worker.capture.column import ALIKE, CHANGED, column

LOW = -1e4
"""A number that is filled in to hide."""
Key = Union[int, str]
"""Number or name of an argument."""
At = Tuple[str, CodeType, int, int]
"""File, code, instruction in it, line."""


class Atom(NamedTuple):
    """Where a mask is True."""

    made: str
    """`triangle` or `padding`."""
    positive: bool
    """Of a triangle: it is the lower one; of padding: True is where there is some."""
    number: int
    """The diagonal; what the ids are compared with."""
    ids: int = 0
    """Which ids."""

    @property
    def turned(self) -> Atom:
        """Where it is False."""
        if self.made == "padding":
            return self._replace(positive=not self.positive)
        return self._replace(positive=not self.positive, number=self.number + (1 if self.positive else -1))

    @property
    def hides_wrongly(self) -> bool:
        """Whether nobody wants to hide what it says: all that is no padding, or a whole row of a triangle."""
        if self.made == "padding":
            return not self.positive
        return self.number >= 0 if self.positive else self.number <= 0


class Mask(NamedTuple):
    """A mask of True and False made of several."""

    op: str
    """`or`, `and`; empty where there is but one."""
    atoms: Tuple[Atom, ...]

    @property
    def turned(self) -> Mask:
        """Where it is False."""
        return Mask({"or": "and", "and": "or"}.get(self.op, ""), tuple(one.turned for one in self.atoms))

    def hidden(self, where: bool) -> Tuple[Atom, ...]:
        """What is hidden in any case, where it is True or where it is False."""
        one = self if where else self.turned
        certain = one.op != "and" or all(atom.hides_wrongly for atom in one.atoms)
        return one.atoms if certain else ()


class Mark(NamedTuple):
    """What is known of a tensor."""

    made: str
    """`softmax`, `log_softmax`, `sigmoid`, `linear`, `conv`, `ones`; `numbers` for zeros and ones of what was True and
    False, `added` for what these were added to; empty for what is not of interest."""
    at: At
    """Where it was made so."""
    sizes: Tuple[int, ...] = ()
    """The dim that matters, from the last one or 0 where it is lost, and its size."""
    mask: Optional[Mask] = None
    hidden: Tuple[Atom, ...] = ()
    """What was hidden in it."""
    masked: Optional[At] = None
    """Where."""
    by: str = ""
    """With which function."""


class Takes(NamedTuple):
    """What a function took."""

    target: str
    argument: Key
    made: str
    """As in `Mark`; empty for what nothing is known of."""
    sizes: Tuple[int, ...] = ()
    pads: Optional[Tuple[int, int]] = None
    """It is so if these ids have an embedding with this row for padding."""


SOFTMAX = ("softmax", "log_softmax")
LOSSES = ("cross_entropy", "nll_loss", "kl_div", "ctc_loss", "binary_cross_entropy_with_logits",
           "multilabel_soft_margin_loss")  # fmt: skip
_LAYERS = {"linear": -1, "conv1d": -2, "conv2d": -3, "conv3d": -4}
SCORES = frozenset((*SOFTMAX, *_LAYERS, "sigmoid"))
"""Functions that mark what they give, whatever they are given."""
_SAME = frozenset({"contiguous", "clone", "detach", "to", "float", "half", "bfloat16", "double", "type_as", "type",
                   "dropout", "dropout1d", "dropout2d", "dropout3d", "bool", "expand", "int", "long"})  # fmt: skip
"""What passes each number on, and leaves the dims, counted from the last one, where they are."""
CASTS = frozenset({"to", "float", "half", "bfloat16", "double", "type_as", "type"})
_MOVED = frozenset({"view", "reshape", "squeeze", "unsqueeze", "flatten", "__getitem__", "repeat", "interpolate",
                    "permute", "transpose", "t"})  # fmt: skip
"""What passes each number on to another place."""
_SCALED = frozenset({"mul", "div", "add", "sub", "__rmul__", "__radd__"})
EACH = frozenset({"add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "pow"})
_OTHERS = (
    "sigmoid", "exp", "log", "masked_fill", "masked_fill_", "where", "tril", "triu", "ones", "ones_like", "new_ones",
    "logical_not", "logical_or", "logical_and", "bitwise_not", "bitwise_or", "bitwise_and", "__invert__", "__or__",
    "__and__", "embedding", "logsumexp", "gather", "scaled_dot_product_attention", "multi_head_attention_forward",
    "softmin", "layer_norm", "stack", "cat", "concat", "multinomial",
)  # fmt: skip
_INVERT = ("__invert__", "logical_not", "bitwise_not")
_BOTH = {"__or__": "or", "logical_or": "or", "bitwise_or": "or", "__and__": "and", "logical_and": "and",
         "bitwise_and": "and"}  # fmt: skip


def _functions(names: Sequence[str]) -> Dict[Any, str]:
    found: Dict[Any, str] = {}
    for name in names:
        for owner in (torch.Tensor, torch, F, torch.special):
            if (one := getattr(owner, name, None)) is not None:
                found[one] = name
    return found


JOINS = frozenset({"stack", "cat", "concat"})
_DROPOUTS = {name for name in _SAME if name.startswith("dropout")}
PASSING = (_SAME | _MOVED | _SCALED | EACH | JOINS | ALIKE) - {"eq", "ne", *_DROPOUTS}
"""Functions of which nothing is to be told where nothing is known of their arguments."""
LOOKED_AT = _functions([*SOFTMAX, *LOSSES, *_LAYERS, *_SAME, *_MOVED, *_SCALED, *EACH, *ALIKE, *CHANGED, *_OTHERS])
for _name in ("eq", "pow"):  # what `==` and `**` call, unlike other operators, is no method of another name
    LOOKED_AT[getattr(torch.Tensor, f"__{_name}__")] = _name


def argument(args: Sequence[Any], kwargs: Mapping[str, Any], place: int, name: str) -> Any:
    """What a function is given by its place or name."""
    return args[place] if len(args) > place else kwargs.get(name)


_NUMBERS: Dict[int, Tuple[Callable[[], Any], int]] = {}
_COUNT = count(1)


def number(ids: Any) -> int:
    """A number of a tensor that no other one gets, not even at the same place in memory; 0 for what is none."""
    if not isinstance(ids, torch.Tensor):
        return 0
    found = _NUMBERS.get(id(ids))
    if found is None or found[0]() is not ids:
        found = _NUMBERS[id(ids)] = (weakref.ref(ids), next(_COUNT))
    return found[1]


def mark_of(
    name: str, at: At, args: Sequence[Any], kwargs: Mapping[str, Any], marks: Mapping[Key, Mark], result: torch.Tensor
) -> Optional[Mark]:
    """What is known of the result."""
    x = marks.get(0) or marks.get("input")
    if name in SOFTMAX:
        return Mark(name, at, (from_last(argument(args, kwargs, 1, "dim"), result.dim()),))
    if name in _LAYERS:
        dim = _LAYERS[name]
        made = "linear" if name == "linear" else "conv"
        return Mark(made, at, (dim, result.shape[dim])) if result.dim() >= -dim else None
    if name == "sigmoid":
        return Mark("sigmoid", at, x.sizes if x is not None and x.made == "linear" else ())
    if (found := column(name, args, marks, result)) is not None:
        return found if found.made else None if name == "gather" else Mark("", at)
    if name in ("exp", "log") and x is not None:
        made = {"log_softmax": "softmax"} if name == "exp" else {"softmax": "log_softmax"}
        return x._replace(made=made[x.made]) if x.made in made else None
    if name in ("masked_fill", "masked_fill_"):
        return _filled(name, at, args, kwargs, marks)
    if name == "where" and len(args) == 3 and 0 in marks:
        for place, where in ((1, True), (2, False)):
            if _is_low(args[place]):
                return _hidden(marks.get(3 - place), marks[0], where, at, name)
        return None
    if (mask := _mask(name, at, args, kwargs, marks)) is not None:
        return mask
    if name in CASTS and x is None and was_bool(args) and result.is_floating_point():
        return Mark("numbers", at)
    if name in _SCALED:
        both = [marks.get(0), marks.get(1)]
        plain = name in ("add", "__radd__") and len(args) == 2 and not kwargs and all(map(_is_float, args))
        made = "added" if plain and [*map(_is_numbers, both)].count(True) == 1 else ""
        found = next((one for one in both if one is not None and one.hidden), Mark("", at))
        return Mark(made, at, (), None, found.hidden, found.masked, found.by) if made or found.hidden else None
    if x is None or (name not in _SAME and name not in _MOVED and name not in JOINS):
        return None
    return x if name in _SAME else _moved(name, x, args, kwargs, result)


def was_bool(args: Sequence[Any]) -> bool:
    """Whether what is cast holds True and False."""
    return bool(args) and isinstance(args[0], torch.Tensor) and args[0].dtype is torch.bool


def _is_numbers(mark: Optional[Mark]) -> bool:
    return mark is not None and (mark.made == "numbers" or (mark.mask is not None and not mark.hidden))


def _is_float(item: Any) -> bool:
    return isinstance(item, torch.Tensor) and item.is_floating_point()


def _filled(
    name: str, at: At, args: Sequence[Any], kwargs: Mapping[str, Any], marks: Mapping[Key, Mark]
) -> Optional[Mark]:
    x, mask = marks.get(0), marks.get(1) or marks.get("mask")
    if not _is_low(argument(args, kwargs, 2, "value")):
        return None
    return _hidden(x, mask, True, at, name.rstrip("_"))


def _hidden(x: Optional[Mark], mask: Optional[Mark], where: bool, at: At, name: str) -> Optional[Mark]:
    """Of scores some of which were hidden: those that a layer made are still what it made."""
    atoms = mask.mask.hidden(where) if mask is not None and mask.mask is not None else ()
    before = x if x is not None else Mark("", at)
    made = before if before.made == "linear" else before._replace(made="", sizes=())
    return made._replace(mask=None, hidden=(*before.hidden, *atoms), masked=at if atoms else before.masked, by=name)


def _is_low(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and (value <= LOW or value == -math.inf)


def _mask(
    name: str, at: At, args: Sequence[Any], kwargs: Mapping[str, Any], marks: Mapping[Key, Mark]
) -> Optional[Mark]:
    x = marks.get(0)
    if name in ("ones", "ones_like", "new_ones"):
        return Mark("ones", at)
    if name in ("tril", "triu") and x is not None and x.made == "ones":
        diagonal = argument(args, kwargs, 1, "diagonal") or 0
        square = args[0].dim() >= 2 and args[0].shape[-1] == args[0].shape[-2] > 1
        return Mark("", at, (), Mask("", (Atom("triangle", name == "tril", int(diagonal)),))) if square else None
    if name in ("eq", "ne") and len(args) == 2 and type(args[1]) is int and isinstance(args[0], torch.Tensor):
        if x is not None and x.mask is not None and args[1] in (0, 1):
            return x._replace(mask=x.mask.turned if (args[1] == 0) == (name == "eq") else x.mask)
        if args[0].dtype in (torch.int64, torch.int32):
            return Mark("", at, (), Mask("", (Atom("padding", name == "eq", args[1], number(args[0])),)))
    if name in _INVERT and x is not None and x.mask is not None:
        return x._replace(mask=x.mask.turned)
    if name in _BOTH:
        masks = [one.mask for one in (marks.get(0), marks.get(1)) if one is not None and one.mask is not None]
        if masks and all(one.op in ("", _BOTH[name]) for one in masks):
            return Mark("", at, (), Mask(_BOTH[name], tuple(atom for one in masks for atom in one.atoms)))
    return None


def from_last(dim: Any, rank: int) -> int:
    """A dim, counted from the last one; 0 for none."""
    if type(dim) is not int or not -rank <= dim < rank:
        return 0
    return dim - rank if dim >= 0 else dim


def _moved(name: str, x: Mark, args: Sequence[Any], kwargs: Mapping[str, Any], result: torch.Tensor) -> Optional[Mark]:
    """The dim is lost but where dims only change places or are added; a triangle where it is turned or cut."""
    given, dim = args[0][0] if name in JOINS else args[0], x.sizes[0] if x.sizes else 0
    swap = name in ("transpose", "t", "permute")
    if x.mask is not None and any(one.made == "triangle" for one in x.mask.atoms):
        if swap or result.shape[-2:] != given.shape[-2:]:
            index = args[1] if name == "__getitem__" and len(args) > 1 else None
            parts = index if isinstance(index, tuple) else (index,)
            whole = [one for one in parts if isinstance(one, slice)]
            if not whole or any(one.start not in (None, 0) or one.step is not None for one in whole):
                return None
            if any(not isinstance(one, slice) and one is not None for one in parts) or result.dim() < 2:
                return None
            return x if result.shape[-1] == result.shape[-2] else None
        return x
    if name == "transpose" and len(args) == 3 and dim:
        ends = [from_last(one, given.dim()) for one in args[1:]]
        dim = {ends[0]: ends[1], ends[1]: ends[0]}.get(dim, dim)
    elif name == "t" and given.dim() == 2 and dim:
        dim = -3 - dim
    elif name == "interpolate":
        pass
    elif name in ("unsqueeze", "stack") and dim:
        place = from_last(argument(args, kwargs, 1, "dim") or 0, result.dim()) if "axis" not in kwargs else 0
        dim = 0 if not place else dim if place < dim else dim - 1
    elif name in ("cat", "concat") and "axis" not in kwargs:
        dim = dim if from_last(argument(args, kwargs, 1, "dim") or 0, result.dim()) != dim else 0
    else:
        dim = 0
    return x._replace(sizes=(dim, *x.sizes[1:]))
