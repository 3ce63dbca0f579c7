"""A layer that cannot be made, a module that was not initialised, an attribute that is not there: as calls.

Values are those of the frames that the exception went through; nothing is run again.
"""

from __future__ import annotations

import ast
import difflib
import os
from types import FrameType, ModuleType
from typing import Any, List, Optional, Tuple

import torch
from torch import nn

from fx_lsp.model.failure import Argument, Attempt
from fx_lsp.model.value import Opaque
from fx_lsp.worker.capture.attempts import MAX_ARGUMENTS, written
from fx_lsp.worker.capture.frames import Frames, variable

Steps = List[Tuple[FrameType, int]]
NEAR = 3
"""Names that may have been meant."""
ALIKE = 0.7
"""How much they are like what is written: see `difflib`."""
MAX_DIMS = 4
MAX_NAMES = 4096
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LAYERS = os.path.join(os.path.dirname(torch.__file__), "nn", "modules") + os.sep


def _is_number(value: Any) -> bool:
    """Whether it is one, or one for each dim."""
    several = type(value) in (list, tuple) and len(value) <= MAX_DIMS
    return all(type(one) in (int, bool, float) for one in (value if several else (value,)))


def made(steps: Steps, frames: Frames, node: Optional[ast.AST]) -> Optional[Attempt]:
    """The constructor of a layer of torch that the workspace calls, with the numbers that it was given; of a class
    below one that somebody else wrote its arguments may stand in another order."""
    own = [place for place, (frame, _) in enumerate(steps) if frame.f_code.co_filename in frames.sources]
    if not own or not isinstance(node, ast.Call):
        return None
    passed: Tuple[object, ...] = ()
    foreign = False
    for frame, _ in steps[own[-1] + 1 :]:
        code = frame.f_code
        layer = frame.f_locals.get("self")
        foreign |= not code.co_filename.startswith((_LAYERS, _OURS))
        if code.co_name != "__init__" or not code.co_filename.startswith(_LAYERS) or not isinstance(layer, nn.Module):
            continue
        names = code.co_varnames[1 : code.co_argcount]
        if not names:  # a recurrent layer gives all on to the constructor of its base
            passed = frame.f_locals.get("args", ())
            continue
        given = [(name, frame.f_locals.get(name)) for name in names]
        values = [value for _, value in given]
        first = next((place for place in range(len(names)) if same(passed, values[place:])), 0)
        kind = next(one for one in type(layer).__mro__ if one.__module__.startswith("torch.nn."))
        texts = dict(zip(names[first:], map(written, node.args if not foreign else ())))
        texts.update({one.arg: written(one.value) for one in node.keywords if one.arg is not None})
        if any(isinstance(one, ast.Starred) for one in node.args):
            texts = {}
        numbers = [(name, value) for name, value in given if _is_number(value)]
        plain = tuple(Argument(name, Opaque(repr(value)), texts.get(name, "")) for name, value in numbers)
        return Attempt(kind.__name__, plain[:MAX_ARGUMENTS], written(node.func))
    return None


def same(passed: Tuple[object, ...], values: List[object]) -> bool:
    """Whether the values begin with what was passed, one and the same."""
    return all(one is other for one, other in zip(passed, values)) and len(passed) <= len(values)


def uninitialised(error: BaseException, steps: Steps) -> Optional[Attempt]:
    """`self.fc = nn.Linear(3, 4)` before `super().__init__()`."""
    if not isinstance(error, AttributeError) or not steps:
        return None
    frame = steps[-1][0]
    module = frame.f_locals.get("self")
    if frame.f_code.co_filename != nn.Module.__setattr__.__code__.co_filename or not isinstance(module, nn.Module):
        return None
    if "_modules" in vars(module):
        return None
    return Attempt("initialisation", (Argument("0", Opaque(type(module).__name__)),))


def missing(error: BaseException, node: ast.AST, frame: FrameType) -> Optional[Attempt]:
    """`self.drpout`, `nn.Conv2D`, `x.premute`: with the names that are much like it, the most alike first."""
    if not isinstance(error, AttributeError):
        return None
    part = node.func if isinstance(node, ast.Call) else node
    if not isinstance(part, ast.Attribute):
        return None
    owner = _value(part.value, frame)
    names = _names(owner) if owner is not None else []
    # It may be there, and what it does have failed for want of another one.
    if not names or part.attr in names or getattr(error, "name", None) not in (None, part.attr):
        return None
    longer = [one for one in names if f"{one}_".startswith(f"{part.attr}_") or f"{part.attr}_".startswith(f"{one}_")]
    near = [*dict.fromkeys([*difflib.get_close_matches(part.attr, names, NEAR, ALIKE), *longer])][:NEAR]
    what = owner.__name__ if isinstance(owner, ModuleType) else type(owner).__name__
    given = (Argument("0", Opaque(what), written(part.value)), Argument("1", Opaque(repr(part.attr))))
    return Attempt("attribute", (*given, Argument("near", Opaque(repr(tuple(near))))), part.attr)


def _value(node: ast.expr, frame: FrameType) -> Any:
    """What a name, or an attribute of a module of Python, stands for."""
    if isinstance(node, ast.Name):
        return variable(node, frame)
    if isinstance(node, ast.Attribute):
        owner = _value(node.value, frame)
        return vars(owner).get(node.attr) if isinstance(owner, ModuleType) else None
    return None


def _names(owner: Any) -> List[str]:
    """Never runs the user's code."""
    found = list(vars(owner)) if isinstance(owner, ModuleType) else []
    if not isinstance(owner, ModuleType):
        found = [name for cls in type(owner).__mro__ for name in vars(cls)]
        own = object.__getattribute__(owner, "__dict__") if type(owner).__dictoffset__ else {}
        stores = [own, *(own.get(name) for name in ("_modules", "_parameters", "_buffers"))]
        found += [name for store in stores if type(store) is dict for name in store]
    return [name for name in found[:MAX_NAMES] if isinstance(name, str) and not name.startswith("__")]
