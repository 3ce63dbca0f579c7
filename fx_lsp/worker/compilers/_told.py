"""What torch says at length, in a sentence and a hint, and where it says so."""

from __future__ import annotations

import re
from typing import Any, Callable, Iterator, NamedTuple, Optional

from fx_lsp.model.span import Span
from fx_lsp.worker.capture.frames import Frames, chain, message_of
from fx_lsp.worker.failures import Deadline, sentence

_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?]\s+|\n")
_ADVICE = re.compile(r"\b(avoid|consider|please|set|try|use|wrap)\b", re.IGNORECASE)
ELSEWHERE = re.compile(r"https?:|TORCH_|\bissues?\b|\bfor more\b|\bsee\b", re.IGNORECASE)
"""Advice to read or to ask somewhere else."""
_ASIDE = re.compile(r" \(unhinted: .*\)$")


class Told(NamedTuple):
    """Why a compiler stops."""

    span: Optional[Span]
    message: str
    hint: str = ""


def raised(call: Callable[[], Any]) -> Optional[BaseException]:
    """What the call raises, which may be anything; None when it comes to its end.

    Raises:
        Deadline: there is no more time.
    """
    try:
        call()
    except Deadline:
        raise
    except BaseException as error:  # user code may call sys.exit()
        return error
    return None


def told(error: BaseException, frames: Frames) -> Told:
    """An exception, at the innermost expression of the workspace."""
    text = message_of(error)
    plain = isinstance(error, RuntimeError) or type(error).__module__.split(".")[0] == "torch"
    first = next(sentences(text), "") if plain else ""
    return Told(_span(error, frames), first or sentence(error, 0), advice(text))


def sentences(text: str) -> Iterator[str]:
    """Those of a text, without their full stops."""
    for part in _END.split(text):
        if one := _ASIDE.sub("", part.strip().rstrip(".!:")):
            yield one


def advice(text: str) -> str:
    """The first sentence after the first that says what to do; empty when none does."""
    rest = list(sentences(text))[1:]
    return next((one for one in rest if _ADVICE.search(one) and not ELSEWHERE.search(one)), "")


def _span(error: BaseException, frames: Frames) -> Optional[Span]:
    for one in chain(error):
        places = frames.traceback(one.__traceback__)
        if places:
            return frames.head(places[-1])
    return None
