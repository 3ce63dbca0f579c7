"""What is no tensor where one is taken, None most of all: the function, operator or attribute as a call.

Torch's own arguments are parsed before it tells anybody of the call, and operators and attributes are Python's: both
say in their messages which of them it is.
"""

from __future__ import annotations

import ast
import re
from types import FrameType
from typing import Optional

import torch
from torch import nn

from fx_lsp.model.failure import MODULE, NO_TENSOR, NO_TENSORS, Argument, Attempt
from fx_lsp.model.value import Opaque
from fx_lsp.worker.capture.attempts import operator, written
from fx_lsp.worker.capture.frames import message_of, variable

_KINDS = ("NoneType", *NO_TENSORS)
_ARGUMENT = re.compile(r"(\w+)\(\): argument '(\w+)' \(position (\d+)\) must be Tensor, not ([\w.]+)")
_SIDES = re.compile(r"unsupported operand type\(s\) for \S+: '([\w.]+)' and '([\w.]+)'")
_ATTRIBUTE = re.compile(r"'([\w.]+)' object has no attribute '(\w+)'")
_ENTRIES = re.compile(r"'(NoneType)' object is not subscriptable")
_REPEATED = re.compile(r"only integer tensors of a single element")
"""What a list says that is to be repeated by a tensor."""
_TENSORS = ("Tensor", "FakeTensor", "Parameter")


def no_tensor(error: BaseException, node: ast.AST, frame: FrameType) -> Optional[Attempt]:
    """`h + x`, `torch.relu(h)`, `h.mean()`, `h[0]` of what a function without `return` gave; a list of numbers."""
    said = message_of(error)
    if type(error) not in (TypeError, AttributeError):
        return None
    part = node.func if isinstance(node, ast.Call) else node
    found = _ATTRIBUTE.match(said)
    if found is not None and isinstance(part, ast.Attribute) and part.attr == found[2]:
        kind = _named(found[1], part.value, frame)
        wanted = kind == "NoneType" or (kind in _KINDS and hasattr(torch.Tensor, part.attr))
        name = Argument("1", Opaque(repr(part.attr)))
        return _attempt(kind, part.value, part.attr, name) if wanted else None
    if isinstance(node, ast.Call):
        return _of_argument(said, node, frame)
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        found = _SIDES.match(said)
        kinds = tuple(_named(*one, frame) for one in zip(found.groups(), sides)) if found is not None else ()
        if isinstance(node.op, ast.Mult) and _REPEATED.match(said):
            kinds = tuple(_kind(side, frame) for side in sides)
        # What is neither's is no mistake about tensors.
        both = zip(kinds, sides) if any(kind in _TENSORS for kind in kinds) else ()
        return next((_attempt(kind, side, operator(node)) for kind, side in both if kind in _KINDS), None)
    found = _ENTRIES.match(said) if isinstance(node, ast.Subscript) else None
    return _attempt(found[1], node.value, "[]") if found is not None and isinstance(node, ast.Subscript) else None


def _kind(node: ast.expr, frame: FrameType) -> str:
    """The type of a list that is written there or that a name is; of anything else that of a tensor."""
    listed = isinstance(node, (ast.List, ast.ListComp)) or type(variable(node, frame)) is list
    return "list" if listed else _TENSORS[0]


def _named(kind: str, node: ast.expr, frame: FrameType) -> str:
    """The type that a message names; modules have one for all their classes."""
    return MODULE if isinstance(_held(node, frame), nn.Module) else kind


def _held(node: ast.expr, frame: FrameType) -> object:
    """What a name is, or a module within it; None for anything else."""
    if not isinstance(node, ast.Attribute):
        return variable(node, frame)
    owner = _held(node.value, frame)
    return vars(owner).get("_modules", {}).get(node.attr) if isinstance(owner, nn.Module) else None


def _of_argument(said: str, call: ast.Call, frame: FrameType) -> Optional[Attempt]:
    """The one of the function that is called, by its name or its place."""
    found = _ARGUMENT.match(said)
    own = found is not None and getattr(call.func, "attr", getattr(call.func, "id", "")) == found[1]
    if found is None or not own or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    named = next((one.value for one in call.keywords if one.arg == found[2]), None)
    given = [named] if named is not None else call.args[int(found[3]) - 1 :][:1]
    kind = _named(found[4], given[0], frame) if given else ""
    return _attempt(kind, given[0], written(call.func)) if kind in _KINDS else None


def _attempt(kind: str, node: ast.expr, called: str, *others: Argument) -> Attempt:
    what = Opaque("None" if kind == "NoneType" else kind)
    return Attempt(NO_TENSOR, (Argument("0", what, written(node)), *others), called)
