"""Whether what ends an import is about what is around the code rather than about the code."""

from __future__ import annotations

import ast
import os
import sys
from traceback import walk_tb
from types import ModuleType
from typing import Any, Callable, Iterator, Mapping, Optional

from fx_lsp.worker.arguments import not_given
from fx_lsp.worker.engines.known import TORCH
from fx_lsp.worker.imported import installed

OF_NOTHING = (ValueError, IndexError, ZeroDivisionError, StopIteration, RuntimeError, AssertionError)
"""What code ends with that goes over data, and has none."""
_IMPORTS, _BODY = "importlib._bootstrap", "<module>"
_CIRCLE = "partially initialized module"
"""Whose names come later: what Python says of files that import each other."""
_RELATIVE = "relative import"
"""What Python says of one that leads nowhere, wherever it runs."""


def is_of_code(error: BaseException) -> bool:
    """Whether code ended with it, and no limit or user did; extension modules that panic end with what is no
    `Exception`."""
    stopped = isinstance(error, (KeyboardInterrupt, GeneratorExit)) or type(error).__module__.startswith("fx_lsp.")
    return isinstance(error, (Exception, SystemExit)) or not stopped


def lacks_something(error: BaseException, is_ours: Callable[[str], bool]) -> bool:
    """A package, a name to import, a file, a network, an argument, a variable of the environment, or what a package
    other than torch makes of the lack of one.  `is_ours` tells whether a file is the workspace's own."""
    if isinstance(error, (OSError, KeyError, SystemExit)) or not_given:
        return True
    ran = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    files = [code.co_filename for code in ran]
    foreign = installed(files[-1]) and not files[-1].startswith(TORCH)
    if isinstance(error, ImportError) and (error.name or error.path or is_told(error)):
        return _CIRCLE not in str(error)
    own = max((number for number, file in enumerate(files) if is_ours(file)), default=0)
    # Python leaves its own frames out of what an import fails with.
    imports = any(_IMPORTS in code.co_filename or code.co_name == _BODY for code in ran[own + 1 :])
    return foreign and (imports or isinstance(error, (RuntimeError, ImportError)))


def is_told(error: ImportError) -> bool:
    """Whether code raised it itself, to tell what has to be installed."""
    return not error.name and not error.path and _RELATIVE not in str(error)


def is_of_lazy(error: BaseException) -> bool:
    """Whether a module has not the name that makes its names when they are asked for: what went wrong there is said to
    nobody.  Not of torch, which says what it has."""
    module = sys.modules.get(error.name or "") if isinstance(error, ImportError) else None
    makes = module is not None and "__getattr__" in vars(module)
    return makes and not (getattr(error, "path", None) or "").startswith(TORCH)


def is_of_package(error: ImportError) -> bool:
    """Whether what is around the code decides: it is told what to install, or one installed package has not the name
    that another one wants of it."""
    if is_told(error):
        return True
    ran = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)]
    wants = next((file for file in reversed(ran) if _IMPORTS not in file), "")
    return all(installed(file) and not file.startswith(TORCH) for file in (wants, error.path or wants))


def of_left_out(error: BaseException, lossy: Mapping[str, Mapping[str, BaseException]]) -> Optional[BaseException]:
    """Why a module has not the attribute that was wanted of it, where it is a name that was left out of its file;
    `lossy` has these by file."""
    return lossy.get(_file_of(_asked(error)), {}).get(getattr(error, "name", None) or "")


def of_another_version(error: BaseException) -> bool:
    """Whether an installed package other than torch, or a class of it, has not what was asked of it."""
    owner = _asked(error)
    file = _file_of(sys.modules.get(owner.__module__) if isinstance(owner, type) else owner)
    return installed(file) and not file.startswith(TORCH)


def _asked(error: BaseException) -> Any:
    """What had not the attribute that was wanted of it."""
    return getattr(error, "obj", None) if isinstance(error, AttributeError) else None


def _file_of(module: Any) -> str:
    """Of a module of Python; else empty text."""
    return getattr(module, "__file__", None) or "" if isinstance(module, ModuleType) else ""


def names_bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module binds, as far as it says them."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name


def of_file_beside(error: BaseException, path: str) -> bool:
    """Whether a file beside the one at `path`, or of a package beside or around it, has not what that wants to import:
    Python finds no other one, from wherever it runs."""
    if not isinstance(error, ImportError) or not error.name:
        return False
    top = sys.modules.get(error.name.partition(".")[0])
    if top is None or (error.path is None and "." not in error.name):
        return False
    place = next(iter(getattr(top, "__path__", ())), None) or getattr(top, "__file__", None)
    return place is not None and path.startswith(os.path.join(os.path.dirname(os.path.realpath(place)), ""))
