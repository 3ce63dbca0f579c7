"""What is told where something raised by itself: the kinds that it takes, the names that it knows, what it refuses."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.live import source_text

ONE_OF = (
    r"\bin [\[({]|must be|has to be|one of|should be|support|choose|unknown|invalid|expected|unrecognized"
    r"|not recognized|\bmodes\b"
)
"""Of messages: one of several is wanted."""

_LAYER = re.compile(r"\bnn\.(\w+)")
_NO_PARAMETER = re.compile(r"cannot assign .* as parameter .*Parameter or None expected")
_LACKING = re.compile(r"\b(?:missing|required?s?|lacks?|needs?)\b[^:]*:\s*([\w'\"`,\[\]{}() ]+)", re.IGNORECASE)
"""Of messages: all that is missing."""


def is_refused(text: str, message: str) -> bool:
    """Whether a message has a text that is given in quotes, and says that something else is wanted."""
    quoted = re.search(rf"['\"`]{re.escape(text[1:-1])}['\"`]", message) is not None
    return len(text) > 2 and quoted and re.search(ONE_OF, message, re.IGNORECASE) is not None


def of_kinds(attempt: Attempt, text: str) -> Iterator[str]:
    """Values of the kinds that something was to be of before it raised by itself: `isinstance(x, (tuple, list))`; in
    the place of a module that does nothing the layers that the message names."""
    base = text if text.isdigit() else "64"
    made = {
        "tuple": f"({base}, {base})", "list": f"[{base}, {base}]", "dict": "dict()", "str": "'default'", "int": base,
        "float": "0.5", "Module": "nn.Identity()", "Embedding": "nn.Embedding(100, 64)", "Linear": "nn.Linear(64, 64)",
        "Conv1d": "nn.Conv1d(64, 64, 3, padding=1)", "Conv2d": "nn.Conv2d(64, 64, 3, padding=1)",
        "Tensor": "torch.ones(64, 64)", "bool": "False", "Sequential": "nn.Sequential(nn.Linear(64, 64))",
        "ModuleList": "nn.ModuleList([nn.Linear(64, 64)])", "ModuleDict": "nn.ModuleDict({'a': nn.Linear(64, 64)})",
    }  # fmt: skip
    for asked in re.findall(r"\bisinstance\(\s*[\w.]+\s*,\s*\(?([\w., ]+)\)?\s*\)", attempt.guard()):
        kinds = (one.strip().rpartition(".")[2] for one in asked.split(","))
        yield from (made[kind] for kind in kinds if kind in made and made[kind] != text)
    named = _LAYER.findall(attempt.message) if text == "nn.Identity()" and attempt.guard() else []
    yield from (made[kind] for kind in named if kind in made)
    if _NO_PARAMETER.search(attempt.message):
        yield "nn.Parameter(torch.ones(64, 64))"


def listed_keys(attempt: Attempt) -> List[str]:
    """The keys of which a message says that they are missing, where the function that raised it itself writes them."""
    match = _LACKING.search(attempt.message) if attempt.guard() else None
    written = source_text(attempt.frames()[-1].f_code) if match is not None else ""
    named = re.findall(r"\w+", match[1]) if match is not None else []
    return [name for name in named if re.search(rf"['\"]{name}['\"]", written)]


def keys(names: Dict[str, Any], text: str) -> Iterator[str]:
    """Keys of tables with names: one of them was looked into."""
    for value in names.values():
        table = value if isinstance(value, dict) and 0 < len(value) <= 200 else {}
        if text.strip("'") not in table and all(isinstance(key, str) for key in table):
            yield from (repr(key) for key in list(table)[:2])
