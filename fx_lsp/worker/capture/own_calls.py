"""Module classes with a `__call__` of their own that never comes to that of `nn.Module`: module calls all the same."""

from __future__ import annotations

import functools
from types import CodeType, FunctionType
from typing import Any, Callable, Dict, Tuple

from torch import nn

Run = Callable[[Callable[..., Any], nn.Module, Tuple[Any, ...], Dict[str, Any]], Any]
"""(what the class does, module, arguments, those given by name)"""

_FURTHER = {"__call__", "_call_impl", "_wrapped_call_impl"}
"""What code names that goes on to `nn.Module`, or to the `__call__` of a class above."""


def install(run: Run, is_ours: Callable[[str], bool]) -> None:
    """Calls of the workspace's classes that are made from now on go through `run`."""

    def __init_subclass__(cls: type, **kwargs: Any) -> None:
        super(nn.Module, cls).__init_subclass__(**kwargs)
        own = vars(cls).get("__call__")
        if isinstance(own, FunctionType) and _is_last(own.__code__) and is_ours(own.__code__.co_filename):
            cls.__call__ = _through(run, own)  # type: ignore[operator]

    nn.Module.__init_subclass__ = classmethod(__init_subclass__)  # type: ignore[assignment]


def _is_last(code: CodeType) -> bool:
    return not _FURTHER.intersection(code.co_names)


def _through(run: Run, own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def __call__(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        return run(own, self, args, kwargs)

    return __call__
