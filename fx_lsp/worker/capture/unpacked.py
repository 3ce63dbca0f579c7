"""Sizes and results that are unpacked into another number of names, as the call of an operation.

Python does not keep what it could not unpack: it is a variable, or what the call at this place gave last.
"""

from __future__ import annotations

import ast
import inspect
from traceback import walk_tb
from types import FrameType
from typing import List, Optional, Tuple

from fx_lsp.model.failure import NO_TENSOR, Argument, Attempt
from fx_lsp.model.value import Group, Opaque, TensorType, Value
from fx_lsp.worker.capture.attempts import written
from fx_lsp.worker.capture.describe import describe
from fx_lsp.worker.capture.frames import Frames, message_of, place
from fx_lsp.worker.capture.record import Record

_WHOLE = (ast.Call, ast.Name, ast.Attribute, ast.Subscript)
"""What is unpacked itself, and nothing inside of it."""


def unpacked(error: BaseException, frame: FrameType, line: int, frames: Frames, record: Record) -> Optional[Attempt]:
    """`b, c, h, w = x.shape` of other dims, `a, b = x.chunk(3)`; given the last place in the workspace."""
    nothing = message_of(error) == "cannot unpack non-iterable NoneType object" and _last(error) is frame
    if not nothing and (type(error) is not ValueError or "to unpack" not in message_of(error)):
        return None
    for node in frames.statements(frame.f_code.co_filename, line):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(target, (ast.Tuple, ast.List)):
            continue
        if any(isinstance(one, ast.Starred) for one in target.elts):
            return None
        # Of names in names it may be a part.
        nested = any(isinstance(one, (ast.Tuple, ast.List)) for one in target.elts)
        if nothing:
            found = Attempt(NO_TENSOR, (Argument("0", Opaque("None"), written(node.value)),), "=")
            return found if isinstance(node.value, _WHOLE) and not nested else None
        sizes, whole = _spread(node.value, target.elts)
        name = _sized(whole)
        value = describe(frame.f_locals.get(name)) if name else None
        if value is not None:
            named = ", ".join(written(one) for one in sizes)
            return Attempt("unpack", (Argument("0", value, name), Argument("1", Opaque(str(len(sizes))), named)))
        names = Argument("1", Opaque(str(len(target.elts))), written(target).strip("()[]"))
        whole = _each(node.value)
        value = _value(whole, frame, frames, record)
        counted = _last(error) is frame and f"expected {len(target.elts)}" in message_of(error)
        if value is None and counted and not nested and _own(whole):
            value = Opaque("object")  # what it gives is gone
        elif value is None or count(value) in (None, len(target.elts)):
            return None
        return Attempt("parts", (Argument("0", value, written(whole)), names))
    return None


def _own(node: ast.expr) -> bool:
    """Whether a function or a method of the class is called there, with nothing inside that unpacks, too."""
    if any(isinstance(one, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)) for one in ast.walk(node)):
        return False
    function = node.func if isinstance(node, ast.Call) else None
    owner = function.value if isinstance(function, ast.Attribute) else None
    return isinstance(function, ast.Name) or (isinstance(owner, ast.Name) and owner.id == "self")


def _last(error: BaseException) -> Optional[FrameType]:
    """The frame that raised it."""
    steps = [frame for frame, _ in walk_tb(error.__traceback__)]
    return steps[-1] if steps else None


def count(value: Value) -> Optional[int]:
    """How many parts there are; None for what has none."""
    if isinstance(value, Group):
        return len(value.items) + value.omitted
    return value.shape[0] if isinstance(value, TensorType) and value.shape else None


def _each(node: ast.expr) -> ast.expr:
    """What `map(f, parts)` or `[f(one) for one in parts]` makes as many of; anything else as it is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "map" and len(node.args) == 2:
        return node.args[1]
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)) and len(node.generators) == 1:
        return node.generators[0].iter if not node.generators[0].ifs else node
    return node


def _value(node: ast.expr, frame: FrameType, frames: Frames, record: Record) -> Optional[Value]:
    if isinstance(node, (ast.Name, ast.Attribute)):
        return describe(held(node, frame))
    span = place(frame.f_code.co_filename, node)
    found: Optional[Value] = None
    for (_, code, lasti, _), called in record.called.items():
        if code is frame.f_code and frames.span(code, lasti, called.line) == span:
            found = [output for _, output, _, _ in called.signatures][-1]
    return found


def held(node: ast.expr, frame: FrameType, otherwise: object = None) -> object:
    """A variable, or an attribute that is kept: nothing of the user's runs once more."""
    if isinstance(node, ast.Attribute):
        return inspect.getattr_static(held(node.value, frame), node.attr, otherwise)
    return frame.f_locals.get(node.id, otherwise) if isinstance(node, ast.Name) else otherwise


def _spread(node: ast.expr, names: List[ast.expr]) -> Tuple[List[ast.expr], ast.expr]:
    """`b, n` and `x.shape` of `b, n, h = *x.shape, self.heads`; else all names and the whole right side."""
    given = node.elts if isinstance(node, ast.Tuple) else []
    starred = [place for place, one in enumerate(given) if isinstance(one, ast.Starred)]
    if len(starred) != 1 or len(given) > len(names):
        return names, node
    place, spread = starred[0], given[starred[0]]
    last = len(names) - (len(given) - place - 1)
    return names[place:last], spread.value if isinstance(spread, ast.Starred) else spread


def _sized(node: ast.expr) -> str:
    """`x` of `x.shape` and `x.size()`."""
    bare = isinstance(node, ast.Call) and not node.args and not node.keywords
    value = node.func if isinstance(node, ast.Call) and bare else node
    if isinstance(value, ast.Attribute) and value.attr == ("size" if bare else "shape"):
        return value.value.id if isinstance(value.value, ast.Name) else ""
    return ""
