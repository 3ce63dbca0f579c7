"""The two versions of what is compared: models, a function that a program calls, or statements outside of functions."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import List

from fx_lsp.model.comparison import MODULE
from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker.comparison.functions import function_called, other_version
from fx_lsp.worker.comparison.statements import Statements, other_statements, statements_reached
from fx_lsp.worker.comparison.version import Called, Ran, models, owner
from fx_lsp.worker.example import Values
from fx_lsp.worker.overlay import Workspace

NONE = {"": "the example calls no module of the class", MODULE: "the program does not run through what is edited"}
"""Why there is nothing to compare."""


def first(request: TraceRequest, old: Workspace) -> Ran:
    """The version that is there.

    Raises:
        BaseException: what the example raises.
    """
    function = request.comparison.function if request.comparison is not None else ""
    if not function:
        return models(request, old)
    ran = function_called(request, old) if function != MODULE else Ran([], None)
    return ran if ran.called else statements_reached(request, old)


def edited_one(request: TraceRequest, new: Workspace, before: List[Called], values: Values) -> Ran:
    """The other version.  What the edit cannot reach stays as it was imported, if that can be told by the class that is
    compared, and works.

    Raises:
        BaseException: what the example raises.
    """
    wanted = request.comparison
    if wanted is not None and wanted.function:
        other = other_statements if isinstance(before[0].model, Statements) else other_version
        return other(request, new, before)
    if wanted is not None and wanted.name:
        with suppress(Exception):  # a registry may take a name but once: then all of it is imported anew
            ran = models(request, new, {os.path.realpath(one.path) for one in wanted.edited}, values)
            classes = [
                [owner(one.model, wanted.path, wanted.name) for one in called] for called in (before, ran.called)
            ]
            if ran.called and not set(classes[0]) & set(classes[1]):
                return ran
    return models(request, new, values=values)
