"""Small constants stay real under the fake engine, so that code may read them.

`[p.item() for p in torch.linspace(0, 0.1, 12)]`, `if mask.all()` or `for i in torch.randint(9, (4,))` cannot be run on
sizes alone, though nothing in them depends on the model's input.  A tensor is *known* when it is small and computed
from known tensors and plain numbers only; functions of known tensors run on real data, all others on fake ones.
Parameters and the tensors of the example itself are never known.
"""

from __future__ import annotations

import os
import re
import sys
import weakref
from types import FrameType
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Set, Tuple

import torch
from torch._subclasses import fake_tensor

from fx_lsp.worker.capture import laps
from fx_lsp.worker.capture.describe import PLAIN
from fx_lsp.worker.engines import finite
from fx_lsp.worker.engines.dtypes import DtypeCheck
from fx_lsp.worker.engines.fills import FILLS, only_fills
from fx_lsp.worker.engines.masks import fit
from fx_lsp.worker.engines.rows import INDEXING, refuse
from fx_lsp.worker.engines.twins import Twins
from fx_lsp.worker.engines.unknown import Unknown, fills_in, lacks

LIMIT = 8192
"""Elements of a tensor that is kept real: two of them make at most 2**26 by broadcasting."""

Call = Callable[[Any, Tuple[Any, ...], Dict[str, Any]], Any]

TORCH = os.path.dirname(torch.__file__) + os.sep
"""Folder of its code."""
_LOADERS = os.path.join(TORCH, "utils", "data", "")
_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
_FROM_DATA = frozenset({torch.tensor, torch.as_tensor, torch.asarray})
_FACTORIES = _FROM_DATA | frozenset(
    {torch.arange, torch.linspace, torch.logspace, torch.zeros, torch.ones, torch.full, torch.eye, torch.empty,
     torch.tril_indices, torch.triu_indices, torch.rand, torch.randn, torch.randint, torch.randperm, torch.normal,
     torch.hann_window, torch.hamming_window, torch.blackman_window, torch.kaiser_window, torch.bartlett_window}
)  # fmt: skip
_DRAWS = re.compile("rand|normal|uniform|bernoulli|multinomial|dropout|exponential|cauchy|geometric|poisson|gumbel")
_ASK_FOR_GRADIENTS = (torch.Tensor.requires_grad_, torch.Tensor.requires_grad.__set__)
"""What a known tensor is not known after: what is computed of it, and its gradient, are fake."""
_READS = re.compile(
    "^(item|tolist|numpy|__(bool|int|float|index|array|contains|format)__|nonzero|argwhere|masked_select|unique.*|"
    "bincount|repeat_interleave|one_hot|where|__getitem__|index|equal|allclose|is_nonzero|split|tensor_split)$"
)
"""Functions whose result's type or shape may follow the values of a tensor."""
_NUMBERS = ("item", "__float__", "__format__")
"""What programs read to print it, add it up and compare it."""
_IN_PLACE = re.compile(
    "[^_]_$|^__(setitem|i(add|sub|mul|div|truediv|floordiv|mod|pow|and|or|xor|lshift|rshift))__$|"
    "batch_norm|instance_norm|moving_avg"
)
"""Functions that write to an argument; the last ones keep running statistics without a new version of the tensor."""


class Known:
    """Decides for each call whether it runs on real data; one per process."""

    def __init__(self, call: Call, doubt: Callable[[str], None], twins: Twins) -> None:
        self.call, self.doubt, self._twins = call, doubt, twins
        self.dtypes = DtypeCheck()
        self.refused = doubt
        """Told what real tensors of some dtypes would be refused with."""
        self.stands_in = self.stood_in = False
        """Whether a number that is read of a tensor may be none (`nan`: no size is made of it), and whether one decided
        something since."""
        self.read_draws = False
        """Values that were drawn at random have been read: shapes may differ in another run."""
        self._stale: Set[int] = set()
        self._drawn: Set[int] = set()
        self._lacking: Set[int] = set()
        """Holds numbers that stand for what is not known, or what was made of them."""
        self._marked: Dict[int, Any] = {}

    def _unknown(self, name: str) -> Any:
        if name == "item":
            return Unknown(self._decided)
        self.stood_in |= name == "__float__"  # Python takes nothing but a plain one
        return "nan" if name == "__format__" else float("nan")

    def _decided(self) -> None:
        self.stood_in = True

    def __call__(self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """`func(*args, **kwargs)`, on real data where everything it needs is known."""
        name = func.__name__ if hasattr(func, "__name__") else ""
        if self.stands_in and not fills_in(name, args) and lacks((*args, *kwargs.values())):
            self._decided()
        if name in FILLS and only_fills(func, name, args, kwargs):
            return args[0] if args else kwargs["tensor"]
        if torch._C._functorch.peek_interpreter_stack() is not None:
            return self.call(func, args, kwargs)
        if name == "__get__" and (type(args[0]) is not torch.Tensor or not self.holds(args[0])):
            return self.call(func, args, kwargs)
        if name == "__set__" and type(args[0]) is not torch.Tensor:  # `parameter.data = constant`
            return self.call(func, (args[0], *map(self._faked, args[1:])), kwargs)
        if func in _ASK_FOR_GRADIENTS and type(args[0]) is torch.Tensor and self.holds(args[0]):
            self._twins.replace(args[0])
        if func is torch.Tensor.__deepcopy__ and type(args[0]) is fake_tensor.FakeTensor and args[0].is_leaf:
            return self._twins.deepcopied(*args)
        if name in INDEXING:
            refuse(name, args, kwargs, self.holds)
        given: List[torch.Tensor] = []
        collect(args, given)
        if kwargs:
            collect(kwargs.values(), given)
        real = [tensor for tensor in given if type(tensor) is torch.Tensor]
        if real and len(real) == len(given) and all(map(self.holds, real)):
            return self._on_data(func, name, args, kwargs, real)
        if not given and func in _FACTORIES and self._is_constant(func, args, kwargs):
            return self._on_data(func, name, args, kwargs, [])
        if self.stands_in and args and type(args[0]) is fake_tensor.FakeTensor:
            said = finite.says(args[0]) if name in finite.READS and args[0].numel() == 1 else None
            if said is not None or name in _NUMBERS:
                return self._unknown(name) if said is None else said
        if name in ("__getitem__", "__setitem__") and len(args) > 1 and fit(args[0].shape, args[1]):
            args = (args[0], self._index(args[1]), *args[2:])
        versions = [tensor._version for tensor in real]
        changes = bool(real) and (name == "__set__" or writes(name, kwargs))
        if 0 < len(real) < len(given) and not changes and not name.startswith("as_strided"):
            result = self.call(func, self._twins.instead(args), self._twins.instead(kwargs))
        else:
            result = self.call(func, args, kwargs)
        if self.stands_in:
            finite.note(name, args, result)
        if given:
            refusal = self.dtypes.refusal(func, args, kwargs, given)
            if refusal:
                self.refused(refusal)
        if changes or versions != [tensor._version for tensor in real]:
            for tensor in real:  # its data is no longer what the code made of it
                self._mark(self._stale, tensor)
            if name == "__set__":
                self.doubt("a constant was given other data")
        return result

    def _on_data(
        self, func: Any, name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any], given: List[torch.Tensor]
    ) -> Any:
        drawn = _DRAWS.search(name) is not None or any(storage_of(tensor) in self._drawn for tensor in given)
        lacking = self.stands_in and (
            lacks((*args, *kwargs.values())) or any(storage_of(tensor) in self._lacking for tensor in given)
        )
        reads = _READS.match(name) is not None
        self.read_draws |= drawn and reads
        with fake_tensor.unset_fake_temporarily():
            result = self.call(func, args, kwargs)
        for marks in [marks for marks, holds in ((self._drawn, drawn), (self._lacking, lacking)) if holds]:
            made = list(given) if writes(name, kwargs) else []
            collect((result,), made)
            for tensor in made:
                self._mark(marks, tensor)
        if lacking and reads and name != "__format__":
            if name == "item" and isinstance(result, float):
                return Unknown(self._decided)
            if name != "__getitem__" or len(given) > 1:
                self._decided()
        return result

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether a real tensor is known: still what the code made of it."""
        if tensor.numel() > LIMIT or tensor.requires_grad or tensor.layout is not torch.strided or tensor.is_meta:
            return False
        return storage_of(tensor) not in self._stale

    def _is_constant(self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> bool:
        """A small tensor, neither made by an example as its input nor by a layer of torch as its parameter."""
        if kwargs.get("requires_grad") or _makes_input_or_layer(sys._getframe(4)):
            return False
        if func in _FROM_DATA:
            return True
        try:
            with fake_tensor.unset_fake_temporarily():
                return func(*args, **{**kwargs, "device": "meta"}).numel() <= LIMIT
        except Exception:  # it will fail again, or is one that has no such form: the fake engine shall say so
            return False

    def _index(self, index: Any) -> Any:
        """The index of a fake tensor, with known positions, ends and masks as what they say."""
        if isinstance(index, tuple):
            parts = [self._index(part) for part in index]
            return tuple(one for part in parts for one in (part if type(part) is tuple else (part,)))
        if type(index) is slice:
            return slice(*map(self._index, (index.start, index.stop, index.step)))
        if type(index) is not torch.Tensor or not self.holds(index):
            return index
        if index.dtype is torch.uint8:  # a mask as well, which the rule for fake tensors has forgotten
            index = self(torch.Tensor.bool, (index,), {})
        read = torch.Tensor.nonzero if index.dtype is torch.bool else torch.Tensor.item
        if (index.dim() == 0) == (index.dtype is torch.bool):
            return index
        return self(read, (index,), {"as_tuple": True} if index.dtype is torch.bool else {})

    def _faked(self, item: Any) -> Any:
        if type(item) is fake_tensor.FakeTensor and torch._C._dispatch_keys(item).has(torch._C.DispatchKey.Meta):
            # What `torch.load` made is of another kind than what is computed, and so is all that is made like it.
            return torch.empty_strided(item.shape, item.stride(), dtype=item.dtype, device=item.device)
        return torch.empty_like(item) if type(item) is torch.Tensor else item

    def _mark(self, marks: Set[int], tensor: torch.Tensor) -> None:
        number = storage_of(tensor)
        marks.add(number)
        if number not in self._marked:
            self._marked[number] = weakref.ref(tensor.untyped_storage(), lambda _: self._forget(number))

    def _forget(self, number: int) -> None:
        """Of a storage that is gone: the next one may get its number."""
        del self._marked[number]
        self._stale.discard(number)
        self._drawn.discard(number)
        self._lacking.discard(number)


def _makes_input_or_layer(frame: Optional[FrameType]) -> bool:
    while frame is not None and frame.f_code.co_filename.startswith((TORCH, laps.__file__)):
        if frame.f_code.co_name == "__init__" and not frame.f_code.co_filename.startswith(_LOADERS):
            return True
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_OURS)


def storage_of(tensor: torch.Tensor) -> int:
    """Number of its data, while that lives."""
    return tensor.untyped_storage()._cdata


def writes(name: str, kwargs: Mapping[str, Any]) -> bool:
    """Whether a torch function of this name changes an argument."""
    return _IN_PLACE.search(name) is not None or bool(kwargs.get("inplace")) or kwargs.get("out") is not None


def collect(items: Iterable[Any], found: List[torch.Tensor]) -> None:
    """Every tensor among the items and inside their tuples, lists and dicts."""
    for item in items:
        cls = type(item)
        if cls in PLAIN:
            continue
        if issubclass(cls, torch.Tensor):
            found.append(item)
        elif issubclass(cls, (tuple, list)):
            collect(item, found)
        elif issubclass(cls, dict):
            collect(item.values(), found)
