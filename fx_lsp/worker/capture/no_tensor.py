"""What is no tensor where one is taken, None most of all: the function, operator or attribute as a call.

Torch's own arguments are parsed before it tells anybody of the call, and operators and attributes are Python's: both
say in their messages what they were given.  Values are those of the frame; nothing is run again.
"""

from __future__ import annotations

import ast
import re
from types import FrameType
from typing import Any, Callable, Optional

import torch

from fx_lsp.model.failure import NO_TENSOR, Argument, Attempt
from fx_lsp.model.value import Opaque
from fx_lsp.worker.capture.attempts import operator, written
from fx_lsp.worker.capture.frames import message_of

_KINDS = ("NoneType", "list", "tuple", "int", "float", "bool", "str", "numpy.ndarray")
_ARGUMENT = re.compile(r"(\w+)\(\): argument '(\w+)' \(position (\d+)\) must be Tensor, not ([\w.]+)")
_SIDES = re.compile(r"unsupported operand type\(s\) for \S+: '([\w.]+)' and '([\w.]+)'")
_ATTRIBUTE = re.compile(r"'([\w.]+)' object has no attribute '(\w+)'")
_ENTRIES = re.compile(r"'([\w.]+)' object is not subscriptable")
_TENSORS = ("Tensor", "FakeTensor", "Parameter")
_FIRST = 3
"""Arguments that may be tensors."""
Held = Callable[[ast.expr, FrameType], Any]


def no_tensor(error: BaseException, node: ast.AST, frame: FrameType, held: Held) -> Optional[Attempt]:
    """`h + x`, `F.relu(h)`, `h.mean()`, `h[0]` of what a function without `return` gave; a list of numbers.

    `held` gives what is bound to a name or an attribute, and the node itself for anything else.
    """
    said = message_of(error)
    if type(error) not in (TypeError, AttributeError):
        return None
    part = node.func if isinstance(node, ast.Call) else node
    found = _ATTRIBUTE.match(said)
    if found is not None and isinstance(part, ast.Attribute) and part.attr == found[2]:
        wanted = found[1] == "NoneType" or (found[1] in _KINDS and hasattr(torch.Tensor, part.attr))
        name = Argument("1", Opaque(repr(part.attr)))
        return _attempt(found[1], part.value, part.attr, name) if wanted else None
    if isinstance(node, ast.Call):
        return _of_argument(said, node, frame, held)
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        found = _SIDES.match(said)
        kinds = found.groups() if found is not None else ()
        # What is neither's is no mistake about tensors.
        both = zip(kinds, sides) if any(kind in _TENSORS for kind in kinds) else ()
        return next((_attempt(kind, side, operator(node)) for kind, side in both if kind in _KINDS), None)
    found = _ENTRIES.match(said) if isinstance(node, ast.Subscript) else None
    return _attempt(found[1], node.value, "[]") if found is not None and found[1] == "NoneType" else None


def _of_argument(said: str, call: ast.Call, frame: FrameType, held: Held) -> Optional[Attempt]:
    """The one of a function, by its place; else the only one of the first that may be it."""
    found = _ARGUMENT.match(said)
    kind = found[4] if found is not None else "NoneType" if "NoneType" in said else ""
    if kind not in _KINDS or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if found is not None and getattr(call.func, "attr", getattr(call.func, "id", "")) == found[1]:
        named = next((one.value for one in call.keywords if one.arg == found[2]), None)
        given = [named] if named is not None else call.args[int(found[3]) - 1 :][:1]
    else:
        given = [one for one in call.args[:_FIRST] if _may_be(held(one, frame), one, kind)]
    return _attempt(kind, given[0], written(call.func)) if len(given) == 1 else None


def _may_be(value: Any, node: ast.expr, kind: str) -> bool:
    """Whether it is of that type, or what a call made, which is not kept."""
    if value is node:
        return not isinstance(node, ast.Constant) or (node.value is None and kind == "NoneType")
    return type(value).__name__ == kind.rpartition(".")[2]


def _attempt(kind: str, node: ast.expr, called: str, *others: Argument) -> Attempt:
    what = Opaque("None" if kind == "NoneType" else kind)
    return Attempt(NO_TENSOR, (Argument("0", what, written(node)), *others), called)
