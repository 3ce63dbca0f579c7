"""A layer of torch as the expression that makes it."""

from __future__ import annotations

import ast
import inspect
from typing import Any, Dict, List, Optional

import torch
from torch import nn

_HOOKS = ("_forward_hooks", "_forward_pre_hooks")


def spelled(module: nn.Module) -> Optional[str]:
    """`torch.nn.Conv2d(3, 8, (3, 3), bias=False)`; None where no such call makes a layer like this one."""
    cls = type(module)
    if getattr(nn, cls.__name__, None) is not cls or any(getattr(module, name) for name in _HOOKS):
        return None
    text = _call(module)
    return text if text is not None and _same(text, module) else None


def _call(module: nn.Module) -> Optional[str]:
    """By the parameters of its constructor: a layer of torch keeps most of them under their names."""
    positional: List[str] = []
    named: List[str] = []
    for parameter in inspect.signature(type(module).__init__).parameters.values():
        if parameter.name in ("self", "device") or parameter.kind not in (
            inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        ):  # fmt: skip
            continue
        value = _value(module, parameter)
        text = repr(value)
        if text == repr(parameter.default) or (isinstance(value, tuple) and {*value} == {parameter.default}):
            continue
        if not _is_literal(value):
            return None
        if parameter.default is inspect.Parameter.empty and not named:
            positional.append(text)
        else:
            named.append(f"{parameter.name}={text}")
    return f"torch.nn.{type(module).__name__}({', '.join([*positional, *named])})"


def _value(module: nn.Module, parameter: inspect.Parameter) -> Any:
    if parameter.name == "dtype":
        found = next((one.dtype for one in module.parameters() if one.is_floating_point()), None)
        return found if found not in (None, torch.float32) else parameter.default
    value = getattr(module, parameter.name, parameter.default)
    if isinstance(parameter.default, bool) and not isinstance(value, bool):
        return value is not None  # `bias` is the tensor itself
    return value


def _is_literal(value: Any) -> bool:
    if isinstance(value, torch.dtype):
        return True
    try:
        return repr(ast.literal_eval(repr(value))) == repr(value)
    except (ValueError, SyntaxError):
        return False


def _same(text: str, module: nn.Module) -> bool:
    """Whether the call makes a layer with the same settings, and tensors of the same names, sizes and dtypes."""
    try:
        with torch.device("meta"):
            made = eval(text, {"torch": torch})
    except Exception:  # the constructor wants something else, and says so in its own way
        return False
    return _about(made) == _about(module)


def _about(module: nn.Module) -> Dict[str, Any]:
    found: Dict[str, Any] = {
        name: repr(value) for name, value in vars(module).items() if name[0] != "_" and name != "training"
    }
    tensors = (*module.named_parameters(), *module.named_buffers())
    found.update({f"{name}.": (one.shape, one.dtype, one.requires_grad) for name, one in tensors})
    found["."] = sorted(module.state_dict())
    return found
