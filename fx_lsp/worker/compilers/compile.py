"""`torch.compile`: it goes on after each break, so all of them are found."""

from __future__ import annotations

import json
import os
import re
from traceback import FrameSummary
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set

import torch
from torch import nn

from fx_lsp.model.span import Span
from fx_lsp.worker.capture.frames import Frames, message_of
from fx_lsp.worker.comparison.inputs import Inputs
from fx_lsp.worker.compilers import Compiler
from fx_lsp.worker.compilers._told import ELSEWHERE, Told, raised, sentences, told

_KINDS = {"generic_jump": "Data-dependent branching"}
"""Breaks that torch gives no more than a word for."""
_SAID = re.compile(
    r"^ *(Explanation|Hint): *(.*?)(?=^ *(?:Hint|Developer debug context):|\Z)", re.MULTILINE | re.DOTALL
)
_WRITTEN = re.compile(r"[A-Z][^{}]* [^{}]*")
"""A text in the registry, and no template or piece of code."""


def find(model: nn.Module, inputs: Inputs, frames: Frames) -> Iterator[Told]:
    """Every expression at which the graph breaks."""
    import torch._dynamo as dynamo  # takes seconds

    explained: List[Any] = []
    args, kwargs = inputs.again()
    error = raised(lambda: explained.append(dynamo.explain(model)(*args, **kwargs)))
    breaks = [one for output in explained for one in output.break_reasons if one.graph_break]
    if error is None and not breaks and explained[0].graph_count != 1:
        # A frame that was given up as a whole is no break, and is not counted as one either.
        args, kwargs = inputs.again()
        whole = torch.compile(model, backend="eager", fullgraph=True)
        error = raised(lambda: whole(*args, **kwargs))
    for one in breaks:
        yield _told(one.reason, one.user_stack, frames)
    if error is not None:
        stack: Sequence[FrameSummary] = getattr(error, "real_stack", None) or ()
        yield _told(message_of(error), stack, frames) if stack else told(error, frames)


def _told(reason: str, stack: Sequence[FrameSummary], frames: Frames) -> Told:
    """The sentence and the shortest hint: the longer ones are about special cases."""
    first = next(sentences(reason), "")
    kind = next((title for word, title in _KINDS.items() if first.startswith(word)), first)
    said = [(word, next(sentences(text), "")) for word, text in _SAID.findall(reason)]
    said = [one for one in said if one[1]] or list(_registered(kind))
    message = next((text for word, text in said if word == "Explanation"), kind)
    general = _general()
    hints = [text for word, text in said if word == "Hint" and text not in general and not ELSEWHERE.search(text)]
    return Told(_span(stack, frames), message, min(hints, key=len, default=""))


def _span(stack: Sequence[FrameSummary], frames: Frames) -> Optional[Span]:
    for one in reversed(stack):
        if one.filename in frames.sources and one.lineno is not None:
            columns = getattr(one, "colno", None), getattr(one, "end_colno", None)
            return frames.head(frames.written(one.filename, one.lineno, *columns))
    return None


def _registered(kind: str) -> Iterator[Any]:
    """What torch's registry of graph breaks says of one kind."""
    path = os.path.join(os.path.dirname(torch.__file__), "_dynamo", "graph_break_registry.json")
    entries: Dict[str, Any] = {}
    if os.path.exists(path):  # since torch 2.8
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)
    for entry in (one for versions in entries.values() for one in versions if one["Gb_type"] == kind):
        texts = [("Explanation", entry["Explanation"]), *(("Hint", hint) for hint in entry["Hints"])]
        yield from ((word, next(sentences(text), "")) for word, text in texts if _WRITTEN.fullmatch(text))


def _general() -> Set[str]:
    """Hints that torch gives with breaks of any kind."""
    try:
        from torch._dynamo import graph_break_hints
    except ImportError:  # before torch 2.7
        return set()
    lists = [value for value in vars(graph_break_hints).values() if isinstance(value, list)]
    return {next(sentences(text)) for one in lists for text in one}


COMPILER = Compiler("compile", find)
