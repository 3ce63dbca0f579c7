"""What stands for a package that is not installed: it can be named, as annotations do, and told things, as loggers are.

What it would give is not made up.  A call whose result is dropped does nothing; one that takes neither tensors nor
modules nor functions gives something else that is good for nothing more (`writer = SummaryWriter(folder)`).
"""

from __future__ import annotations

import ast
import sys
from traceback import walk_tb
from types import CodeType
from typing import Any, Callable, Dict, Iterator, NoReturn, Tuple, Union

import torch

from fx_lsp.worker.engines.known import TORCH
from fx_lsp.worker.failures import sentence
from fx_lsp.worker.lacking import is_of_code
from fx_lsp.worker.refusing import STANDING, StandIn, drops, refuse, stands

Import = Union[ast.Import, ast.ImportFrom]


class Absent(StandIn):
    """A name whose import failed, or a part of what it would have been; whoever uses it is told so."""

    def __init__(self, name: str, error: BaseException) -> None:
        self.__name__ = self.__qualname__ = self.__module__ = name
        self._error = error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}", self._error)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Nothing is done; refused where something would come of it."""
        if not drops(sys._getframe(1)) and any(map(_may_come_back, (*args, *kwargs.values()))):
            self.refused()
        return Absent(f"{self.__name__}()", self._error)

    def __enter__(self) -> Any:
        """The body is run as it is."""
        return self

    def __exit__(self, *raised: Any) -> None:
        """What it raises is not caught."""

    def __getitem__(self, key: Any) -> Any:
        """In an annotation: `NDArray[float]`."""
        return self

    def __or__(self, other: Any) -> Any:
        """In an annotation: `Space | None`."""
        return self

    __ror__ = __or__

    def __instancecheck__(self, instance: Any) -> bool:
        """Nothing can be of a class that is not there."""
        return False

    def __repr__(self) -> str:
        return f"<{self.__name__}, which could not be imported>"

    def refused(self) -> NoReturn:
        """Tell whoever wants more than its name.

        Raises:
            ImportError: what the import failed with.
        """
        error = self._error
        if isinstance(error, ImportError):
            raise type(error)(*error.args, name=error.name, path=error.path)
        raise ImportError(f"{self.__name__} could not be imported: {sentence(error, 0)}", name=self.__name__)


refuse(Absent, "__mro_entries__", "__bool__", "__iter__", "__contains__", "__setitem__")


def _may_come_back(item: Any) -> bool:
    """Whether the result of a call that takes it may be something that computes."""
    if isinstance(item, (list, tuple, dict)):
        return any(map(_may_come_back, item.values() if isinstance(item, dict) else item))
    return isinstance(item, torch.Tensor) or callable(item)  # modules and classes are called too


def lacked(error: BaseException) -> BaseException:
    """What the use of something absent is refused with, if torch itself refused that in its own words."""
    if not isinstance(error, (TypeError, RuntimeError)) or not STANDING:
        return error
    named = (one for name, one in STANDING.items() if name in str(error))
    for given in (*_given(error), *named):
        try:
            given.refused()
        except Exception as refusal:
            return refusal.with_traceback(error.__traceback__)
    return error


def _given(error: BaseException) -> Iterator[StandIn]:
    """What functions of torch that the error came through were given of it."""
    for frame, _ in walk_tb(error.__traceback__):
        if frame.f_code.co_filename.startswith(TORCH):
            yield from (one for one in frame.f_locals.values() if isinstance(one, StandIn))


def bound(statement: Import, error: BaseException, run: Callable[[CodeType], None], path: str) -> Dict[str, Any]:
    """Do as much of an import as can be done; the rest of its names, with what stands for them."""
    found: Dict[str, Any] = {}
    for name, full, alone in _each(statement):
        try:
            tree = ast.fix_missing_locations(ast.Module([ast.copy_location(alone, statement)], []))
            run(compile(tree, path, "exec", dont_inherit=True))
        except BaseException as again:  # that of the whole statement is known and told
            if not is_of_code(again):
                raise
            stands(Absent(full, error))
            if name != "*":  # a package may be there without the part that is wanted
                found[name] = sys.modules.get(full) or Absent(full, error)
    return found


def _each(statement: Import) -> Iterator[Tuple[str, str, ast.stmt]]:
    """The name that each part binds, what it means, and the part alone."""
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            full = f"{statement.module}.{alias.name}" if statement.module else alias.name
            yield alias.asname or alias.name, full, ast.ImportFrom(statement.module, [alias], statement.level)
        else:
            top = alias.name.partition(".")[0]
            yield alias.asname or top, alias.name if alias.asname else top, ast.Import([alias])
