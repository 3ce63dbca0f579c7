"""Weights that are not on this disk: a model that is given them stays as it is, since they have no say in its sizes.

What stands for them is a `dict` of which nothing is known.  Parts of it can be taken out, put elsewhere and given to
`load_state_dict`, which then does nothing; whoever wants to know more of it (a size, a number of entries, an epoch)
gets the error that reading the file ended with.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from functools import partial, wraps
from types import FrameType, FunctionType, ModuleType
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Tuple

import torch
import torch.hub
from torch import nn, optim
from torch.nn.modules.module import _IncompatibleKeys

from fx_lsp.worker.refusing import StandIn, calls, drops, refuse, stands
from fx_lsp.worker.renames import only_renames

NOT_HERE: List[str] = []
"""What was not there, in this process: what fails afterwards may fail for want of it."""
NOT_IN_HUB: List[str] = []
"""Files of a hub that hold no weights, perhaps a configuration: no model may be built for want of it."""
_SUFFIXES = (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".tar")
_HUB = "huggingface_hub"
_LOADS = "load_state_dict"
_STATES = re.compile(
    "^(?!.*(arg|conf|cfg|param|option|setting|meta|name|type|kind|size|dim|num|vocab)).*(state|model|net|ema|weight|"
    "module|optim|sched|scaler|teacher|student|encoder|decoder|backbone|generator|discriminator|critic|actor|policy)",
    re.IGNORECASE,
)
"""What parts of a checkpoint are called that hold weights; others are numbers and settings, perhaps."""
_STAYS = frozenset(("state_dict", "cpu", "cuda", "to", "float", "half", "bfloat16", "double", "detach", "clone", "t",
                    "contiguous", "squeeze", "unsqueeze", "transpose", "permute", "reshape", "view"))  # fmt: skip
"""Methods of a saved module or of a tensor that give weights too, where they are called: settings may have such names.
Of their sizes nobody knows either way.
"""


class UnreadWeights(StandIn, Dict[Any, Any]):
    """What a file of weights would hold, or a part of that."""

    def __init__(self, name: str, error: BaseException, looked_through: bool = True) -> None:
        """Whether it may be looked through: it holds weights by its name."""
        super().__init__()
        self._name, self._error, self._open = name, error, looked_through
        stands(self)

    def refused(self) -> NoReturn:
        """Tell whoever cannot do without it.

        Raises:
            OSError: that of reading the file.
        """
        raise self._error.with_traceback(None)

    def __missing__(self, key: Any) -> Any:
        """Any part: nothing is known of it either."""
        return UnreadWeights(f"{self._name}[{key!r}]", self._error, _names_weights(key))

    def get(self, key: Any, default: Any = None) -> Any:
        """As if it were there."""
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        """As if it were there."""
        return super().pop(key) if dict.__contains__(self, key) else self[key]

    def __delitem__(self, key: Any) -> None:
        self.pop(key)

    setdefault = get

    def keys(self) -> Any:
        """Those that were put there: what renames the others has nothing to do."""
        self._looked_through(sys._getframe(1))
        return super().keys()

    def items(self) -> Any:
        """Alike."""
        self._looked_through(sys._getframe(1))
        return super().items()

    def __iter__(self) -> Any:
        self._looked_through(sys._getframe(1))
        return super().__iter__()

    def __contains__(self, key: Any) -> bool:
        there = super().__contains__(key)
        if not there and not _names_weights(key):
            self._looked_through(sys._getframe(1))
        return there

    def __bool__(self) -> bool:
        if not self._open:
            self.refused()
        return True

    def _looked_through(self, frame: FrameType) -> None:
        """Refused where something else may come of it than names of weights."""
        if not self._open or not only_renames(frame.f_code, frame.f_lineno, frame.f_lasti):
            self.refused()

    def copy(self) -> Any:
        """Nothing is known of that either."""
        return self

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __repr__(self) -> str:
        return f"<{self._name}, which is not here>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if name not in _STAYS or not calls(sys._getframe(1)):
            self.refused()
        return lambda *args, **kwargs: self


refuse(UnreadWeights, "values", "__reversed__", "__call__", "__eq__", "__ne__", "__or__", "__ror__")


def _names_weights(key: Any) -> bool:
    """Whether it is what a part of a checkpoint is called; the names of weights themselves have dots."""
    return isinstance(key, str) and "." not in key and _STATES.match(key) is not None


def install() -> None:
    """From now on, in this process."""
    if _is_around(inspect.unwrap(torch.load, stop=_is_around)):
        return
    _around(torch.load, _unless_there)
    _around(torch.hub.load_state_dict_from_url, _unless_there)
    setattr(nn.Module, _LOADS, _loaded(nn.Module.load_state_dict, lambda: _IncompatibleKeys([], [])))
    for cls in (optim.Optimizer, torch.amp.GradScaler, *vars(optim.lr_scheduler).values()):
        if isinstance(cls, type) and _LOADS in vars(cls):
            setattr(cls, _LOADS, _loaded(vars(cls)[_LOADS], lambda: None))


def stand_in(module: ModuleType) -> None:
    """Let the functions of the module do without their files, in this process."""
    function, around = MODULES[module.__name__]
    if hasattr(module, function):
        innermost = inspect.unwrap(getattr(module, function), stop=_is_around)
        if not _is_around(innermost):
            _around(innermost, around)


def are_no_data(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
    """Before a model runs on what these are.

    Raises:
        OSError: one of them stands for a file, of data it seems.
    """
    for one in (*args, *kwargs.values()):
        if isinstance(one, UnreadWeights):
            one.refused()


def _around(function: FunctionType, around: Callable[..., Any]) -> None:
    """Call `around` with the function as it was, under every name that it was imported by."""
    original = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__

    def call(*args: Any, _around: Any, **kwargs: Any) -> Any:
        return _around(*args, **kwargs)

    function.__code__, function.__defaults__ = call.__code__, None
    function.__kwdefaults__ = {"_around": partial(around, original)}
    function.__wrapped__ = original  # type: ignore[attr-defined]


def _is_around(function: Callable[..., Any]) -> bool:
    return "_around" in (getattr(function, "__kwdefaults__", None) or ())


def _unless_there(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What stands for a file that cannot be read."""
    try:
        return original(*args, **kwargs)
    except OSError as error:
        named = args[0] if args else next(iter(kwargs.values()), None)
        if not isinstance(named, (str, os.PathLike)):
            raise
        NOT_HERE.append(os.fspath(named))
        return UnreadWeights(NOT_HERE[-1], error)


def _named(original: Callable[..., Any], repo_id: str, filename: str, *args: Any, **kwargs: Any) -> Any:
    """The path of a file of weights, which need not be there, nor any other that is only counted as downloaded."""
    try:
        return original(repo_id, filename, *args, **kwargs)
    except OSError:
        asking = sys._getframe(1)
        while asking.f_back is not None and str(asking.f_globals.get("__name__")).startswith((_HUB, __package__)):
            asking = asking.f_back
        path = f"{repo_id}/{filename}"
        if not filename.endswith(_SUFFIXES):
            NOT_IN_HUB.append(path)
            if not drops(asking):
                raise
        return path


def _loaded(original: Callable[..., Any], answer: Callable[[], Any]) -> Any:
    @wraps(original)
    def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        return answer() if _is_unknown(state_dict) else original(self, state_dict, *args, **kwargs)

    return load_state_dict


def _is_unknown(state: Any) -> bool:
    """Whether it is what stands for weights, or was made of that."""
    if isinstance(state, UnreadWeights):
        return True
    made = bool(NOT_HERE) and isinstance(state, Mapping)
    return made and (not state or any(isinstance(one, UnreadWeights) for one in state.values()))


MODULES = {
    "safetensors.torch": ("load_file", _unless_there),
    "huggingface_hub.file_download": ("hf_hub_download", _named),
}
"""The function of each that reads weights, or says where they are."""
