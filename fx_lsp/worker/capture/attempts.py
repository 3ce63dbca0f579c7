"""The call that failed, as far as it is needed to say why: what it was given, and how that is written."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from types import FunctionType
from typing import Any, Dict, List, Optional, Tuple

from torch import nn
from torch.nn.utils import parametrize

from fx_lsp.model.failure import PLACED, Argument, Attempt
from fx_lsp.model.span import Span
from fx_lsp.model.value import Opaque, TensorType
from fx_lsp.worker.capture.describe import PLAIN, describe
from fx_lsp.worker.capture.frames import Frames, place
from fx_lsp.worker.capture.ids import extremes, is_falling

MAX_ARGUMENTS = 32
MAX_TEXT = 200
"""Characters of a plain argument."""
MAX_WRITTEN = 60
"""Characters of an expression that is named in a sentence."""
_OPERATORS = {"MatMult": "@", "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%",
              "Pow": "**", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
              "Eq": "==", "NotEq": "!=", "Invert": "~", "USub": "-", "UAdd": "+"}  # fmt: skip


class Layer:
    """The module of a library in which something failed."""

    def __init__(self, module: nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        plain = [(name, value) for name, value in vars(module).items() if name[0] != "_" and _is_plain(value)]
        weight = next((one for one in map(describe, module._parameters.values()) if isinstance(one, TensorType)), None)
        plain[:0] = [("dtype", weight.dtype)] if weight is not None else []
        settings = tuple(Argument(name, Opaque(_text(value))) for name, value in plain[:MAX_ARGUMENTS])
        name = parametrize.type_before_parametrizations(module).__name__
        self.attempt = Attempt(name, _arguments(args, kwargs), settings=settings)
        self.owner: Optional[type] = None
        """The class of the workspace that holds it."""
        self.attribute = ""
        """Where it is in there: `fc`, `net.2`."""

    def named(self, node: Optional[ast.AST], frames: Frames) -> Attempt:
        """With what is written, given the expression that failed."""
        call = node if isinstance(node, ast.Call) else None
        if self.owner is None:
            return replace(self.attempt, called=written(call.func) if call is not None else "")
        head, *rest = self.attribute.split(".")
        called = f"self.{head}" + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in rest)
        # What a layer inside another one is given is not written anywhere.
        own = call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == head and not rest
        arguments = _with_texts(self.attempt.arguments, _texts(call)) if call is not None and own else None
        built = _assigned(self.owner, head, rest, frames)
        return replace(self.attempt, called=called, built=built, arguments=arguments or self.attempt.arguments)


def attempt(name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Attempt:
    """The call of a function of torch; that of an embedding, an index or places with what is asked for."""
    given = _arguments(args, kwargs)
    if name.endswith(("__getitem__", "__setitem__")) and len(args) > 1:
        asked = tuple(map(extremes, args[1] if type(args[1]) is tuple else args[1:2]))
        return Attempt(name, (*given, Argument("asked", Opaque(repr(asked)))) if any(asked) else given)
    if name.endswith("pack_padded_sequence"):
        falls = is_falling(args[1] if len(args) > 1 else kwargs.get("lengths"))
        return Attempt(name, given if falls is None else (*given, Argument("falls", Opaque(repr(falls)))))
    at, called = (2, "index") if name.endswith(PLACED) else (0, "input")
    asks = name.endswith(("embedding", *PLACED))
    ids = extremes(args[at] if len(args) > at else kwargs.get(called)) if asks else None
    if ids is not None:
        given += tuple(Argument(key, Opaque(repr(one))) for key, one in zip(("smallest", "largest"), ids))
    return Attempt(name, given)


def named(found: Optional[Attempt], node: Optional[ast.AST]) -> Optional[Attempt]:
    """The call of a function with what is written, given the expression that failed."""
    if found is None or node is None:
        return found
    called, texts = "", {}
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        called = operator(node)
        left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        sides = (right, left) if found.target.rpartition(".")[2].startswith("__r") else (left, right)
        texts = {str(number): written(side) for number, side in enumerate(sides)}
    elif isinstance(node, ast.UnaryOp):
        called, texts = operator(node), {"0": written(node.operand)}
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        called = _OPERATORS.get(type(node.ops[0]).__name__, "")
        texts = {str(number): written(side) for number, side in enumerate((node.left, *node.comparators))}
    elif isinstance(node, ast.Subscript):
        called, texts = "[]", {"0": written(node.value), "1": written(node.slice)}
    elif isinstance(node, ast.Call):
        called, texts = written(node.func), _texts(node)
        if found.target.startswith("torch.Tensor.") and isinstance(node.func, ast.Attribute):
            called = node.func.attr
            shifted = {str(int(key) + 1) if key.isdigit() else key: text for key, text in texts.items()}
            texts = {"0": written(node.func.value), **shifted}
    return replace(found, called=called, arguments=_with_texts(found.arguments, texts))


def operator(node: ast.AST) -> str:
    """`+` of a sum."""
    return _OPERATORS.get(type(getattr(node, "op", None)).__name__, "")


def source_of(cls: type) -> str:
    """Path of the file that defines the class, or empty text."""
    home = sys.modules.get(cls.__module__)
    if home is not None:
        return getattr(home, "__file__", None) or ""
    # A module is gone when its import fails, and its functions still know where they are written.
    codes = (getattr(one, "__code__", None) for one in vars(cls).values() if isinstance(one, FunctionType))
    return next((code.co_filename for code in codes if code is not None), "")


def _arguments(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[Argument, ...]:
    given: List[Tuple[str, Any]] = [*((str(number), one) for number, one in enumerate(args)), *kwargs.items()]
    return tuple(Argument(name, describe(one) or Opaque(_text(one))) for name, one in given[:MAX_ARGUMENTS])


def _text(item: Any) -> str:
    """Never runs the user's code."""
    return repr(item)[:MAX_TEXT] if _is_plain(item) else type(item).__name__


def _is_plain(item: Any) -> bool:
    if type(item) in (tuple, list):
        return len(item) <= MAX_ARGUMENTS and all(map(_is_plain, item))
    if type(item) is slice:
        return all(map(_is_plain, (item.start, item.stop, item.step)))
    if type(item) is dict:  # the sizes that a layer is told by name
        return len(item) <= MAX_ARGUMENTS and all(type(key) is str and type(one) is int for key, one in item.items())
    return item is Ellipsis or (type(item) in PLAIN and not callable(item))


def _with_texts(arguments: Tuple[Argument, ...], texts: Dict[str, str]) -> Tuple[Argument, ...]:
    return tuple(replace(one, text=texts.get(one.name, "")) for one in arguments)


def _texts(call: ast.Call) -> Dict[str, str]:
    """What is written for each argument, if it can be told which is which."""
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return {}
    texts = {str(number): written(one) for number, one in enumerate(call.args)}
    texts.update({one.arg: written(one.value) for one in call.keywords if one.arg is not None})
    return texts


def written(node: ast.AST) -> str:
    """An expression as it is written; empty where it is long."""
    text = ast.unparse(node)
    return text if len(text) <= MAX_WRITTEN and "\n" not in text and "`" not in text else ""


def _assigned(owner: type, head: str, rest: List[str], frames: Frames) -> Optional[Span]:
    """What the class assigns to `self.net`, and of that the part that `net.2` names, where it is written out."""
    for cls in owner.__mro__:
        path = source_of(cls)
        for node in frames.assigned(path, cls.__qualname__, head) if path in frames.sources else ():
            for part in rest:
                inner = node.args if isinstance(node, ast.Call) else []
                if len(inner) == 1 and isinstance(inner[0], (ast.List, ast.Tuple)):
                    inner = inner[0].elts
                if not part.isdigit() or int(part) >= len(inner) or any(isinstance(one, ast.Starred) for one in inner):
                    break
                if not isinstance(inner[int(part)], (ast.Call, ast.IfExp)):
                    break  # a size: what is called is no sequence
                node = inner[int(part)]
            return place(path, node)
    return None
