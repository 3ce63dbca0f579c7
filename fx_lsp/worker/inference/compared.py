"""The texts that code compares a parameter with: it is one of them."""

from __future__ import annotations

import ast
import re
from typing import List

_TEXT = r"(?:'[^'\\\n]*'|\"[^\"\\\n]*\")"
MAX_TEXTS = 6


def compared_with(code: str, name: str) -> List[str]:
    """In order: `kind == "sum"`, `kind not in ("sum", "mean")`."""
    asked = rf"(?<![\w.'\"])(?:self\._?)?{re.escape(name)}(?:\.lower\(\))?\s*(?:==|!=|(?:not )?\bin\b)\s*[\[({{]?\s*"
    found = [
        text for listed in re.findall(rf"{asked}((?:{_TEXT}\s*,?\s*)+)", code) for text in re.findall(_TEXT, listed)
    ]
    return list(dict.fromkeys(repr(ast.literal_eval(one)) for one in found if len(one) > 2))[:MAX_TEXTS]
