"""A number that is no whole one, where torch takes sizes or places: as the call of the function.

Torch's own arguments are parsed before it tells anybody of the call; it says which of them it is.  Values are those of
the frames that the exception went through; nothing is run again.
"""

from __future__ import annotations

import ast
import re
from traceback import walk_tb
from types import FrameType
from typing import Optional, Tuple

from fx_lsp.model.failure import FLOAT, Argument, Attempt
from fx_lsp.model.value import Opaque
from fx_lsp.worker.capture.attempts import MAX_ARGUMENTS, written
from fx_lsp.worker.capture.frames import message_of, variable

_ONE = re.compile(r"(\w+)\(\): argument '(\w+)' \(position (\d+)\) must be (?:tuple of )?ints?, not float")
_COUNTED = re.compile(r"(linspace|logspace)\(\) received an invalid combination of arguments - got \(([^)]*)\)")
_STEPS = 2
_COUNT = re.compile(
    r"'float' object cannot be interpreted as an integer|can't multiply sequence by non-int of type 'float'"
)
_PLACE = re.compile(r"slice indices must be integers|(list|tuple) indices must be integers or slices, not float")


def of_float(error: BaseException, node: ast.AST, frame: FrameType, method: bool) -> Optional[Attempt]:
    """`torch.zeros(dim / 2)`, `x.select(1, n / 2)`, `torch.linspace(0, 1, n / 2)`; `range(n / 2)`, `layers[n / 2]`."""
    if type(error) is not TypeError:
        return None
    if (plain := _of_python(error, node, frame)) is not None:
        return plain
    said = _said(message_of(error))
    if said is None or not isinstance(node, ast.Call) or any(isinstance(one, ast.Starred) for one in node.args):
        return None
    name, key, place = said
    if getattr(node.func, "attr", getattr(node.func, "id", "")) != name:
        return None  # inside of what is called
    given = [(str(number + method), one, number == place) for number, one in enumerate(node.args)]
    given += [(one.arg, one.value, one.arg == key) for one in node.keywords if one.arg is not None]
    arguments = [Argument(called, _number(one, frame, it), written(one)) for called, one, it in given]
    if not method or not isinstance(node.func, ast.Attribute):
        return Attempt(name, tuple(arguments[:MAX_ARGUMENTS]), written(node.func))
    owner = Argument("0", Opaque("object"), written(node.func.value))
    return Attempt(f"torch.Tensor.{name}", (owner, *arguments[:MAX_ARGUMENTS]), node.func.attr)


def _of_python(error: BaseException, node: ast.AST, frame: FrameType) -> Optional[Attempt]:
    """What Python takes whole itself: a count of rounds, of entries, a place in a list, an end of a part."""
    message = message_of(error)
    if [one for one, _ in walk_tb(error.__traceback__)][-1] is not frame:
        return None  # inside of what is called
    if isinstance(node, ast.Subscript) and _PLACE.match(message):
        parts = [part for one in ast.walk(node.slice) if isinstance(one, ast.Slice) for part in (one.lower, one.upper)]
        if not parts or any(part is not None and _is_float(part, frame) for part in parts):
            given = Argument("1", Opaque(FLOAT), written(node.slice))
            return Attempt("getitem", (Argument("0", Opaque("object"), written(node.value)), given), "[]")
        return None
    if not _COUNT.match(message):
        return None
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range":
        target, parts = "counted", node.args
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        target, parts = "repeated", [node.left, node.right]
        if not any(_is_list(one, frame) for one in parts):
            return None
    else:
        return None
    floats = [_is_float(one, frame) for one in parts]
    given = [Argument(str(place), _number(one, frame, is_float), written(one))
             for place, (one, is_float) in enumerate(zip(parts, floats))]  # fmt: skip
    return Attempt(target, tuple(given), "range" if target == "counted" else "*") if any(floats) else None


def _is_float(node: ast.expr, frame: FrameType) -> bool:
    """Whether it is a variable that holds a float without a fraction, or divides: of other floats no size is meant."""
    if isinstance(node, ast.Name):
        value = variable(node, frame)
        return type(value) is float and value.is_integer()
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) for one in ast.walk(node))


def _is_list(node: ast.expr, frame: FrameType) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) or type(variable(node, frame)) in (list, tuple)


def _said(message: str) -> Optional[Tuple[str, str, int]]:
    """The function, and the name and the place of what is no whole number."""
    one, counted = _ONE.match(message), _COUNTED.match(message)
    if one is not None:
        return one[1], one[2], int(one[3]) - 1
    types = counted[2].split(", ") if counted is not None else []
    steps = types[_STEPS : _STEPS + 1] == ["float"] or "steps=float" in types
    return (counted[1], "steps", _STEPS) if counted is not None and steps else None


def _number(node: ast.expr, frame: FrameType, is_float: bool) -> Opaque:
    value = frame.f_locals.get(node.id) if isinstance(node, ast.Name) else getattr(node, "value", None)
    if type(value) in (int, float):
        return Opaque(repr(value))
    return Opaque(FLOAT if is_float else "object")
