"""Text to syntax trees, one at a time.

Before Python 3.13 the interpreter counts the depth of all trees that are being made together, and when a collection of
garbage lets another thread make one meanwhile, both end with a `SystemError` (CPython issue 106905).
"""

from __future__ import annotations

import ast
import threading
import warnings

_ONE = threading.RLock()
"""What is deleted during a collection may parse, too."""


def module(text: str) -> ast.Module:
    """The tree of a file.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
    """
    with _ONE, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in the user's file is not ours to print
        return ast.parse(text)


def expression(text: str) -> ast.Expression:
    """The tree of one expression.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
    """
    with _ONE, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nor is `1if x else 2`
        return ast.parse(text, mode="eval")
