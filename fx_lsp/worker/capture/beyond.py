"""What failed although it is no call of torch, as one: sizes and results that are unpacked, a pattern of axes, a tuple
of tensors, a layer that cannot be made, an attribute that is not there, a number that is no whole one, what a
distribution is asked for.

Values are those of the frames that the exception went through; nothing is run again.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from traceback import walk_tb
from types import FrameType, ModuleType
from typing import Any, List, Optional, Tuple

import torch

from fx_lsp.model.failure import JOINED, JOINS, Argument, Attempt
from fx_lsp.model.span import Span
from fx_lsp.model.value import Group, Opaque, TensorType, Value
from fx_lsp.worker.capture.attempts import MAX_ARGUMENTS, named, written
from fx_lsp.worker.capture.describe import describe
from fx_lsp.worker.capture.floats import of_float
from fx_lsp.worker.capture.frames import Frames, place
from fx_lsp.worker.capture.making import made, missing, uninitialised
from fx_lsp.worker.capture.no_tensor import no_tensor
from fx_lsp.worker.capture.record import Record
from fx_lsp.worker.capture.unpacked import held, unpacked

_PAD = "pad_packed_sequence"
_PACKING = {_PAD: "sequence", "pack_padded_sequence": "input"}
"""Functions of torch, and the argument that has to be of a type."""
_PATTERNS = ("rearrange", "reduce", "repeat")
_TEXTS = (ast.Constant, ast.JoinedStr)


def beyond(error: BaseException, span: Optional[Span], frames: Frames, record: Record) -> Optional[Attempt]:
    """The failing expression as the call of an operation; None where it is not known what it was given."""
    steps = list(walk_tb(error.__traceback__))
    own = [(frame, line) for frame, line in steps if frame.f_code.co_filename in frames.sources]
    if not own or isinstance(error, SyntaxError):  # of which there is no tree
        return None
    parts = unpacked(error, *own[-1], frames, record)
    if parts is not None:
        return parts
    pattern = _pattern(steps) or _packing(error, steps)
    if pattern is not None:
        return named(pattern, frames.expression(span))
    node = frames.expression(span)
    asked = _asked_of(steps, node)
    if asked is not None:
        return asked
    found = uninitialised(error, steps) or made(steps, frames, node)
    if found is not None:
        return found
    # Torch's own arguments are parsed before it tells anybody of the call.
    if node is None or not isinstance(error, (TypeError, AttributeError)):
        return None
    frame = own[-1][0]
    method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not _of_torch(node.func, frame)
    found = of_float(error, node, frame, method) or _of_several(node, frame, frames, record)
    return found or no_tensor(error, node, frame) or missing(error, node, frame)


def _packing(error: BaseException, steps: List[Tuple[FrameType, int]]) -> Optional[Attempt]:
    """Something else where a packed sequence, or what is to be packed, is taken."""
    for frame, _ in steps if isinstance(error, (AttributeError, TypeError)) else ():
        name = frame.f_code.co_name
        value = describe(frame.f_locals.get(_PACKING[name])) if name in _PACKING else None
        if isinstance(value, Group) or (value is not None and name == _PAD):
            return Attempt(name, (Argument("0", value),))
    return None


def _pattern(steps: List[Tuple[FrameType, int]]) -> Optional[Attempt]:
    """`rearrange(x, "b c -> c b")`: a function that is given a tensor and a pattern of axes."""
    for frame, _ in steps:
        given = frame.f_locals
        text = given.get("pattern")
        value = describe(given.get("tensor")) if frame.f_code.co_name in _PATTERNS and type(text) is str else None
        if value is None or "->" not in str(text):
            continue
        lengths = given.get("axes_lengths")
        plain = lengths if type(lengths) is dict else {}
        sizes = [Argument(str(key), Opaque(str(one))) for key, one in plain.items() if type(one) is int]
        both = (Argument("0", value), Argument("1", Opaque(repr(text))))
        return Attempt(frame.f_code.co_name, (*both, *sizes[:MAX_ARGUMENTS]))
    return None


def _asked_of(steps: List[Tuple[FrameType, int]], node: Optional[ast.AST]) -> Optional[Attempt]:
    """`Categorical(logits=x).log_prob(y)`: a tensor, and the sizes of the distribution that looks at it."""
    for frame, _ in steps:
        asked = frame.f_locals.get("self")
        if frame.f_code.co_name != "_validate_sample" or not isinstance(asked, torch.distributions.Distribution):
            continue
        value = describe(frame.f_locals.get("value"))
        shape = tuple(asked.batch_shape + asked.event_shape)
        if isinstance(value, TensorType) and all(type(size) is int for size in shape):
            whole = Argument("1", TensorType(value.dtype, shape), "the distribution")
            found = named(Attempt("log_prob", (Argument("0", value),)), node)
            return replace(found, arguments=(*found.arguments, whole)) if found is not None else None
    return None


def _of_several(node: ast.AST, frame: FrameType, frames: Frames, record: Record) -> Optional[Attempt]:
    """An operator, an attribute or a call, where a plain name or the result of a module is several tensors."""
    if isinstance(node, ast.BinOp) and not any(isinstance(side, _TEXTS) for side in (node.left, node.right)):
        target, parts = "operator", [node.left, node.right]
    elif isinstance(node, ast.Attribute):
        target, parts = "attribute", [node.value]
    elif isinstance(node, ast.Call) and _of_torch(node.func, frame) and isinstance(_first(node), (ast.List, ast.Tuple)):
        target, parts = JOINED, _first(node).elts[:MAX_ARGUMENTS]
    elif isinstance(node, ast.Call) and _of_torch(node.func, frame):
        target, parts = getattr(node.func, "attr", ""), node.args[:2]
    else:
        return None
    values = [_value(part, frame) or _result(part, frame, frames, record) for part in parts]
    if target == JOINED and getattr(node.func, "attr", "") in JOINS:
        values = [Opaque("None") if _is_nothing(part, frame) else one for part, one in zip(parts, values)]
    if not any(isinstance(one, (Group, Opaque)) for one in values):
        return None
    given = [Argument(str(place), one or Opaque("object"), written(part)) for place, (part, one)
             in enumerate(zip(parts, values))]  # fmt: skip
    if isinstance(node, ast.Attribute):
        return Attempt(target, (*given, Argument("1", Opaque(repr(node.attr)))), node.attr)
    found = Attempt(target, tuple(given), written(node.func) if isinstance(node, ast.Call) else "")
    return found if target == JOINED else named(found, node)


def _first(call: ast.Call) -> Any:
    """What is given first, if anything is."""
    return call.args[0] if call.args else None


def _of_torch(node: ast.expr, frame: FrameType) -> bool:
    """`torch.matmul`: a function of a module of torch, by the name that the file has for it."""
    root = node.value if isinstance(node, ast.Attribute) else None
    module = frame.f_globals.get(root.id) if isinstance(root, ast.Name) else None
    return isinstance(module, ModuleType) and module.__name__.partition(".")[0] == "torch"


def _result(node: ast.expr, frame: FrameType, frames: Frames, record: Record) -> Optional[Value]:
    """What the module returned last that is called there."""
    path = frame.f_code.co_filename
    span = place(path, node) if isinstance(node, ast.Call) else None
    for (file, code, lasti, _), called in record.called.items():
        if span is not None and file == path and frames.span(code, lasti, called.line) == span:
            return [output for _, output, _, _ in called.signatures][-1]
    return None


def _is_nothing(node: ast.expr, frame: FrameType) -> bool:
    """Whether it is a variable or an attribute that is None."""
    return held(node, frame, otherwise=node) is None


def _value(node: ast.expr, frame: FrameType) -> Optional[Value]:
    return describe(held(node, frame))
