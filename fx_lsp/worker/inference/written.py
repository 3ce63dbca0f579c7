"""Objects as the workspace makes them somewhere, of nothing but literals: `Box(0, 1, shape=(4,))`, `Field("2x0e")`."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
from collections import Counter
from typing import Callable, Iterator, List

from torch import nn

from fx_lsp.worker.inference.attempts import Attempt, Built
from fx_lsp.worker.inference.corrections import extended
from fx_lsp.worker.inference.names import Names
from fx_lsp.worker.inference.options import Option
from fx_lsp.worker.inference.parts import parsed

Evaluate = Callable[[str, str], Attempt]
MAX_WAYS = 2
MAX_FILES = 300
"""Files of the workspace that are read."""


def written(cls: type, names: Names, evaluate: Evaluate) -> Iterator[Option]:
    """The most usual ways to make one, with what has to be known before; none of a module, which is looked for."""
    setup, name = names.of(cls)
    texts = _calls(cls.__name__, names) if name and not issubclass(cls, nn.Module) else []
    for text in (f"{name}({given})" for given in texts[:MAX_WAYS]):
        if isinstance(evaluate(setup, text).value, cls):
            yield setup, text


def of_picture(built: Built, evaluate: Evaluate) -> Iterator[Option]:
    """The same for something of the shape of a picture, where a shape may be said and none is."""
    try:
        parameters = inspect.signature(type(built.instance)).parameters
    except (TypeError, ValueError):
        return
    if "shape" in parameters and "shape" not in dict(built.arguments) and not isinstance(built.instance, nn.Module):
        text = extended(built.call, "shape", "(3, 64, 64)")
        if evaluate(built.setup, text).error is None:
            yield built.setup, text


def _calls(name: str, names: Names) -> List[str]:
    """What is given in calls of this name, of literals alone."""
    pattern = re.compile(rf"(?<!\w)(?<!class ){name}\(((?:[^()\n]|\([^()\n]*\)){{1,80}})\)")
    found: Counter[str] = Counter()
    for text in _texts(names):
        found.update(given for given in pattern.findall(text) if _is_literal(given))
    return [given for given, _ in found.most_common()]


def _texts(names: Names) -> List[str]:
    if names.texts is None:
        files = (getattr(home, "__dict__", {}).get("__file__") or "" for home in list(sys.modules.values()))
        ours = [file for file in dict.fromkeys(files) if file and names.is_ours(file)][:MAX_FILES]
        names.texts = ["".join(linecache.getlines(file)) for file in ours]
    return names.texts


def _is_literal(given: str) -> bool:
    """Whether all is written out, and it is not nothing."""
    call = parsed(f"f({given})")
    if not isinstance(call, ast.Call) or any(one.arg is None for one in call.keywords):
        return False
    try:
        return any([ast.literal_eval(one) for one in [*call.args, *(one.value for one in call.keywords)]])
    except (ValueError, TypeError):
        return False
