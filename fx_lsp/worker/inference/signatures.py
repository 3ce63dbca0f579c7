"""What the text of a definition says about its parameters."""

from __future__ import annotations

import inspect
import typing
from typing import Any, Dict, Tuple

from torch import nn


def parameters_of(cls: type) -> Tuple[Dict[str, inspect.Parameter], Dict[str, Any]]:
    """What the constructor takes, through `**kwargs` also of the classes above, and the annotations."""
    found: Dict[str, inspect.Parameter] = {}
    hints: Dict[str, Any] = {}
    for owner in cls.__mro__:
        init = vars(owner).get("__init__")
        if init is None or owner in (nn.Module, object):
            continue
        try:
            parameters = list(inspect.signature(init).parameters.values())[1:]
        except (TypeError, ValueError):
            break
        for parameter in parameters:
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                found.setdefault(parameter.name, parameter)
        hints = {**hints_of(init), **hints}
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            break
    return found, hints


def hints_of(function: Any) -> Dict[str, Any]:
    """The annotations of a function, as far as they mean something."""
    try:
        return typing.get_type_hints(function)
    except Exception:  # an annotation is any expression, and may name what is not there
        return dict(getattr(function, "__annotations__", {}))
