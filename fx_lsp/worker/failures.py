"""How an exception is told."""

from __future__ import annotations

import ast
import re
import traceback
from traceback import walk_tb
from typing import Optional

from fx_lsp.model.failure import Attempt, Failure
from fx_lsp.model.span import Span
from fx_lsp.model.value import Opaque
from fx_lsp.worker.capture.attempts import named
from fx_lsp.worker.capture.beyond import beyond
from fx_lsp.worker.capture.devices import lacks_accelerator
from fx_lsp.worker.capture.frames import Frames, chain, message_of
from fx_lsp.worker.capture.making import made
from fx_lsp.worker.capture.record import Failed, Record
from fx_lsp.worker.lacking import is_of_package, of_another_version

MAX_DETAIL = 20_000
"""Characters of a traceback that are kept."""
_OUR_LIMITS = re.compile(
    r"can't allocate memory|File too large|can't start new thread|\bon (the )?CPU\b|for 'CPU'|from the 'CPU'"
    r"|name: EPERM"  # a socket of `torch.distributed`: there is no network
)
"""What is said at the limits that the worker runs under, and by what another device could do."""
_WEIGHTS = "torch.empty"
"""What layers make their weights with, of numbers that are written where the layer is made."""
_INDEX = "torch.Tensor.__index__"


class Deadline(BaseException):
    """The time for a trace is nearly over: what is known so far is worth more than nothing."""


def is_of_code(error: BaseException) -> bool:
    """Whether it says something about the code, as far as it is not about fake tensors."""
    if isinstance(error, (Deadline, MemoryError, OSError)):  # elsewhere there may be such files, and a network
        return False
    return not _OUR_LIMITS.search(message_of(error)) and not lacks_accelerator(error)


def _depends_on_packages(error: BaseException, operation: Optional[Attempt]) -> bool:
    """Whether a package is not installed, or has not this name nor one that is much like it: another version may."""
    if of_another_version(error):
        given = operation.arguments if operation is not None else ()
        return not any(one.name == "near" and one.value != Opaque("()") for one in given)
    return isinstance(error, ModuleNotFoundError) or (isinstance(error, ImportError) and is_of_package(error))


def sentence(error: BaseException, seconds: float) -> str:
    """The error in one line, as torch or Python words it."""
    if isinstance(error, Deadline):
        return f"did not finish within {seconds:g} s"
    if isinstance(error, SystemExit):
        return "the code calls sys.exit()"
    text = message_of(error).strip().split("\n")[0]
    if type(error) is RuntimeError and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def syntax_span(error: BaseException) -> Optional[Span]:
    """Where a text is no Python; None for every other error."""
    if not isinstance(error, SyntaxError) or not error.filename or not error.lineno:
        return None
    column = max((error.offset or 1) - 1, 0)
    text = (error.text or "")[:column]
    start = len(text.encode())
    return Span(error.filename, error.lineno, start, error.lineno, start + 1)


def failure_of(error: BaseException, stage: str, seconds: float, frames: Frames, record: Record) -> Failure:
    """What the error was, where, and what is known of the call of torch that raised it."""
    found = (frames.traceback(one.__traceback__) for one in chain(error))
    places = next(filter(None, found), ())
    span = syntax_span(error) or (places[-1] if places else None)
    absent = isinstance(error, ImportError)  # what stands for a package was given to torch
    failed = record.failed if record.failed.error is error and not absent else Failed()
    node = frames.expression(span) if failed.error is not None else None
    # What a function inside a layer is given is written nowhere in the workspace.
    operation = named(failed.operation, node if failed.layer is None else None)
    repeated = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    if operation is not None and operation.target == _INDEX and repeated:
        operation = None  # a list is asked to be repeated so often
    if operation is not None and operation.target == _WEIGHTS:
        operation = made(list(walk_tb(error.__traceback__)), frames, node) or operation
    if operation is None and failed.layer is None and not absent:
        operation = beyond(error, span, frames, record)
    return Failure(
        stage=stage,
        message=sentence(error, seconds),
        span=span,
        calls=places[:-1] if places and span == places[-1] else places,
        error=type(error).__name__,
        detail="".join([*traceback.format_tb(error.__traceback__), message_of(error)])[-MAX_DETAIL:],
        operation=operation,
        layer=failed.layer.named(node, frames) if failed.layer is not None else None,
        proven=is_of_code(error) and (stage == "import" or not _depends_on_packages(error, operation)),
    )
