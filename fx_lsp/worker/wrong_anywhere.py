"""Whether Python itself could not go on in a program for a reason that is in its text, wherever it runs.

Not where it may be for want of something: data, arguments, a device, a variable of the environment.  So a name counts
if nothing binds it under a condition, a key if it is nearly one that is there, and sizes if they do not fit each other.
"""

from __future__ import annotations

import ast
import difflib
import re
from dis import opname
from types import FrameType, TracebackType
from typing import Any, Callable, Iterator, Optional

from fx_lsp.model.span import Span
from fx_lsp.worker.capture.frames import Frames, message_of, variable
from fx_lsp.worker.capture.making import ALIKE

_SIZES = re.compile(
    r"values to unpack .*(?<!got 0)\)$|too many indices|out of bounds for axis .* size [1-9]"
    r"|could not be broadcast|not aligned|core dimension|cannot reshape array of size [1-9]"
)
"""What is said of things that do not fit each other, by Python and numpy."""
_RAISES = ("RAISE_VARARGS", "RERAISE")
"""How a statement ends that raises by itself."""
_ASKED = ("__getattr__", "__getattribute__")
_UNKNOWN = re.compile("NoneType|Unknown")
"""Types of what is not there, and of a number that fake tensors do not have."""
_NAME = re.compile(r"'(\w+)'")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp,
           ast.GeneratorExp)  # fmt: skip
_ALWAYS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Import, ast.ImportFrom, ast.Return)
"""Statements that do what they do in any case."""


def is_wrong_anywhere(
    error: BaseException, span: Optional[Span], frames: Frames, is_ours: Callable[[str], bool]
) -> bool:
    """Whether it failed in a statement of the workspace, at `span`, over nothing that may be another one elsewhere."""
    steps = [one for one in _steps(error) if one.tb_frame.f_code.co_name not in _ASKED]
    text = message_of(error)
    if not steps or not is_ours(steps[-1].tb_frame.f_code.co_filename) or _UNKNOWN.search(text):
        return False
    frame, instruction = steps[-1].tb_frame, steps[-1].tb_lasti
    if opname[frame.f_code.co_code[instruction]] in _RAISES:
        return False
    if isinstance(error, NameError):
        return _is_bound_nowhere_else(error, frame, frames)
    if isinstance(error, KeyError):
        return _is_nearly_another(error, frames.expression(span), frame)
    if isinstance(error, (ValueError, IndexError)):
        return _SIZES.search(text) is not None
    return isinstance(error, (TypeError, AttributeError))


def _steps(error: BaseException) -> Iterator[TracebackType]:
    """What it went through, the innermost last."""
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


def _is_bound_nowhere_else(error: NameError, frame: FrameType, frames: Frames) -> bool:
    """Whether no statement under a condition, in a loop or in a `try` binds the name, nor an import of everything."""
    name, tree = _NAME.search(message_of(error)), frames.module(frame.f_code.co_filename)
    if name is None or tree is None:
        return False
    scope = tree
    if isinstance(error, UnboundLocalError):
        functions = [one for one in ast.walk(tree) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
        first = frame.f_code.co_firstlineno  # that of the first decorator
        begin = {min(part.lineno for part in (one, *one.decorator_list)): one for one in functions}
        scope = begin.get(first, tree)
    return not any(bound in (name[1], "*") for bound in _at_times(scope, True))


def _at_times(node: ast.AST, always: bool) -> Iterator[str]:
    """Names that may or may not be bound, within a scope; `*` for those of an import of everything."""
    for child in ast.iter_child_nodes(node):
        stays = always and (isinstance(child, _ALWAYS) or not isinstance(child, ast.stmt))
        if isinstance(child, ast.Global):
            yield from child.names
        if isinstance(child, ast.ImportFrom) and child.names[0].name == "*":
            yield "*"
        if not always:
            yield from _bound(child)
        if isinstance(child, _SCOPES):
            yield from (name for one in ast.walk(child) if isinstance(one, ast.Global) for name in one.names)
        else:
            yield from _at_times(child, stays)


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)) and node.name:
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]


def _is_nearly_another(error: KeyError, node: Optional[ast.AST], frame: FrameType) -> bool:
    """Whether the table that was asked has only names for keys, and one that is much like it."""
    key, table = error.args[0] if error.args else None, None
    if isinstance(node, ast.Subscript):
        table = _value(node.value, frame)
    names = [*table] if type(table) is dict else []
    if type(key) is not str or not all(type(one) is str for one in names):
        return False
    return bool(difflib.get_close_matches(key, names, 1, ALIKE))


def _value(node: ast.AST, frame: FrameType) -> Any:
    """What a name, or an attribute that an object holds, stands for; never runs the user's code."""
    if isinstance(node, ast.Attribute):
        owner = _value(node.value, frame)
        held = object.__getattribute__(owner, "__dict__") if type(owner).__dictoffset__ else {}
        return held.get(node.attr) if isinstance(held, dict) else None
    if isinstance(node, ast.Dict):
        return {one.value: None for one in node.keys if isinstance(one, ast.Constant)}
    return variable(node, frame)
