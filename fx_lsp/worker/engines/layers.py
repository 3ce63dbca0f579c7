"""Layers of torch are built once for the same arguments; the next one gets tensors like those of the first.

Building `nn.Linear(768, 768)` on fake tensors dispatches seven operations, most of them to fill weights that are never
there.  What torch builds from plain arguments depends on nothing but those and torch's own settings, so a copy of the
first one, with tensors of its own, is what building would give.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn
from torch._subclasses import fake_tensor
from torch.nn.modules.module import _global_parameter_registration_hooks

_PLAIN = (type(None), bool, int, float, str, torch.dtype, torch.device)
LAYERS = tuple(
    cls for cls in vars(nn).values()
    if isinstance(cls, type) and issubclass(cls, nn.Module) and cls is not nn.Module
)  # fmt: skip
_TENSORS = ("_parameters", "_buffers")


class _Looks(NamedTuple):
    """How a tensor of a layer looks when it was just built."""

    sizes: Tuple[Any, ...]
    requires_grad: bool
    parameter: bool
    constant: Optional[torch.Tensor]


class Layers:
    """What is known of the layers of one process."""

    def __init__(self, mode: fake_tensor.FakeTensorMode) -> None:
        self._mode = mode
        self._built: Dict[str, Optional[Dict[str, Any]]] = {}

    def install(self) -> None:
        """Put itself in front of the constructors of torch's layers."""
        for cls in LAYERS:
            cls.__init__ = self._in_front_of(cls, cls.__init__)

    def _in_front_of(self, cls: type, build: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(build)
        def __init__(module: nn.Module, *args: Any, **kwargs: Any) -> None:
            if type(module) is not cls or not _is_plain(args) or not all(map(_is_plain, kwargs.values())):
                return build(module, *args, **kwargs)
            if torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not self._mode:
                return build(module, *args, **kwargs)
            if _methods(cls) != _METHODS[cls] or _global_parameter_registration_hooks:
                return build(module, *args, **kwargs)
            key = f"{cls.__qualname__} {args} {sorted(kwargs.items())} {settings()}"
            known = self._built.get(key)
            if known is not None:
                self._copy(known, module)
                return None
            build(module, *args, **kwargs)
            if key not in self._built:
                self._built[key] = _snapshot(module) if _is_simple(module) else None
            return None

        return __init__

    def _copy(self, known: Dict[str, Any], module: nn.Module) -> None:
        state = module.__dict__
        with torch._C.DisableTorchFunction(), fake_tensor.unset_fake_temporarily():
            for name, value in known.items():
                if name in _TENSORS:
                    state[name] = type(value)((key, self._like(one)) for key, one in value.items())
                else:
                    state[name] = value.copy() if isinstance(value, (dict, list, set)) else value

    def _like(self, looks: Optional[_Looks]) -> Any:
        if looks is None:
            return None
        return fresh(
            self._mode, *looks.sizes, looks.requires_grad, parameter=looks.parameter, constant=looks.constant
        )  # fmt: skip


def _snapshot(module: nn.Module) -> Dict[str, Any]:
    """What is in it now: later the layer changes, and the next one must not."""
    found: Dict[str, Any] = {}
    with torch._C.DisableTorchFunction(), fake_tensor.unset_fake_temporarily():
        for name, value in vars(module).items():
            if name in _TENSORS:
                found[name] = type(value)((key, _looks(one)) for key, one in value.items())
            else:
                found[name] = value.copy() if isinstance(value, (dict, list, set)) else value
    return found


def _looks(tensor: Any) -> Optional[_Looks]:
    if tensor is None:
        return None
    sizes = tensor.shape, tensor.stride(), tensor.dtype, tensor.fake_device
    constant = tensor.constant.clone() if tensor.constant is not None else None
    return _Looks(sizes, tensor.requires_grad, getattr(tensor, "_is_param", False), constant)


def fresh(
    mode: fake_tensor.FakeTensorMode, shape: Any, stride: Any, dtype: torch.dtype, device: torch.device,
    requires_grad: bool, *, parameter: bool, constant: Optional[torch.Tensor] = None,
) -> Any:  # fmt: skip
    """A fake tensor, made from its sizes, that holds what `constant` does; with torch functions and modes out of the
    way."""
    elem = torch.empty_strided(shape, stride, dtype=dtype, device="meta", requires_grad=requires_grad)
    made: Any = fake_tensor.FakeTensor(mode, elem, device)
    if parameter:
        made._is_param = True
    if constant is not None:
        made.constant = constant.clone()
        mode.fake_tensor_converter.add_constant_storage_mapping(made)
    return made


def _methods(cls: type) -> Tuple[Any, ...]:
    names = ("reset_parameters", "_reset_parameters", "__setattr__", "register_parameter", "register_buffer")
    return tuple(getattr(cls, name, None) for name in names)


def settings() -> Tuple[Any, ...]:
    """What of torch's own decides how a tensor is made."""
    modes = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
    return torch.get_default_dtype(), torch.get_default_device(), *modes


def _is_plain(item: Any) -> bool:
    return all(map(_is_plain, item)) if type(item) is tuple else type(item) in _PLAIN


def _is_simple(module: nn.Module) -> bool:
    """Whether it consists of tensors of its own and of plain values."""
    state = vars(module)
    tensors: List[Any] = [one for name in _TENSORS for one in state.get(name, {}).values() if one is not None]
    return all(map(_is_fresh, tensors)) and all(
        _holds_plain(value) for name, value in state.items() if name not in _TENSORS
    )


def _is_fresh(tensor: Any) -> bool:
    with torch._C.DisableTorchFunction():
        return (
            type(tensor) is fake_tensor.FakeTensor
            and tensor.layout is torch.strided
            and tensor.is_leaf
            and tensor.is_contiguous()
            and tensor.storage_offset() == 0
            and not tensor.is_inference()
            and tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes()
        )


def _holds_plain(value: Any) -> bool:
    if type(value) in (dict, OrderedDict, set):
        return all(type(one) is str for one in value) if type(value) is set else not value
    if type(value) is list:
        return all(map(_is_plain, value))
    return _is_plain(value) or isinstance(value, (type, type(torch.relu), type(_is_plain)))


_METHODS = {cls: _methods(cls) for cls in LAYERS}
"""What builds them, unless the code puts something else in its place."""
