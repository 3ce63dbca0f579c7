"""Modules that another takes its layers from: `self.conv1 = whole.conv1`."""

from __future__ import annotations

import re
from typing import List

from fx_lsp.worker.inference.modules import made_with
from fx_lsp.worker.inference.names import Names, text_of
from fx_lsp.worker.inference.signatures import parameters_of

MIN_TAKEN = 3
"""Attributes, so that a class that has all of them is no chance."""
MAX_DONORS = 2


def donors(cls: type, name: str, names: Names) -> List[type]:
    """Classes of the workspace that have all that is taken from an argument, and take no such argument themselves."""
    taken = set(re.findall(rf"\bself\.\w+ = {name}\.(\w+)\b(?!\()", text_of(cls)))
    if len(taken) < MIN_TAKEN:
        return []
    others = (other for other in dict.fromkeys(names.classes()) if not issubclass(other, cls))
    others = (other for other in others if name not in parameters_of(other)[0])
    return [other for other in others if all(made_with(other, one) for one in taken)][:MAX_DONORS]
