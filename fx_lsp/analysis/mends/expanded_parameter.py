"""Sizes that do not fit, where a parameter has no batch, or one of 1: expanded to that of what the model is given.

x = self.latents  # [n, features]; meant is `self.latents.expand(images.size(0), -1, -1)`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._bound import assigned, attribute
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._origin import PARAMETER
from fx_lsp.analysis.mends._parameters import called, passed_to
from fx_lsp.analysis.mends._path import Step, path
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import walk

_DIMS = (2, 3)
"""Of a parameter that is a sequence, with or without a batch of 1."""


def propose(broken: Broken) -> Iterator[Edit]:
    """Of each on the way, the nearest first."""
    for step in path(broken):
        function = innermost(step.source, step.node)
        given = passed_to(function) if function is not None else []
        if given and _is_sequence(step):
            yield _text.suffixed(step.source, step.node, f".expand({given[0]}.size(0), -1, -1)")


def _is_sequence(step: Step) -> bool:
    name = attribute(step.node) if isinstance(step.node, ast.Attribute) else None
    values = assigned(step.source, step.node, name) if name is not None else []
    made = [one for one in values if isinstance(one, ast.Call) and called(one) == PARAMETER]
    inside = [one for call in made for one in walk(call) if isinstance(one, ast.Call) and one is not call]
    return any(len(one.args) in _DIMS for one in inside)


MEND = Mend(frozenset({"attention-sizes", "cat-sizes", "axes-pattern", "einsum-sizes"}), propose)
