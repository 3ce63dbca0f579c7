"""What a field of a configuration that nobody wrote may be, by what the code does with it."""

from __future__ import annotations

import re
from typing import FrozenSet, List, Sequence

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.meaning import argument, is_flag

MAKERS = NAMESPACE, TABLE, BOTH = "types.SimpleNamespace", "dict", "AttrDict"
MAX_VALUES = 4
"""Values of one field that are tried."""
_PATHS = ("target", "class_path")
"""Fields that say by a text of which class something is to be made."""
OF_TABLES = frozenset({"keys", "values", "items"})
OF_TENSORS = frozenset({"shape", "size", "dim", "ndim", "device", "dtype", "numel", "to", "clone", "T"})
_TEXTS = frozenset({"lower", "upper", "strip", "startswith", "endswith", "replace", "format"})
_COMPARED = r"(?:\.{0}|\[['\"]{0}['\"]\])\s*(?:==|!=|in|not in)\s*[\[({{]?\s*('[^']*'|\"[^\"]*\"|\d+)"


def of_none(kind: str) -> FrozenSet[str]:
    """Attributes that no group is made for, where something of this kind was asked for them: a tensor has them, and a
    dict in the place of nothing."""
    return OF_TENSORS | OF_TABLES if kind == "NoneType" else OF_TENSORS


def values(name: str, code: str) -> Sequence[str]:
    """What a field may be, best first: a group where the code reads something of it, what it is compared with, what
    its name means."""
    read = re.search(rf"(?:\.{name}|\[['\"]{name}['\"]\])(?:\.(\w+)|\[['\"]|\.get\()", code)
    groups: List[str] = []
    if name.strip("_") in _PATHS:
        return ["'torch.nn.Identity'"]
    if re.search(rf"\*\*[\w.\[\]'\"]*\b{name}\b['\"\]]*\s*[,)]", code):  # arguments of something
        return [f"{TABLE}()"]
    if read is not None and read[1] == "split":
        cut = re.search(rf"{name}(?:['\"]\])?\.split\(\s*['\"]([^'\"]+)['\"]", code)
        groups = [repr(f"64{cut[1] if cut is not None else ' '}64")]
    elif read is not None and read[1] in _TEXTS:
        groups = [*(value for value in argument(name) if value.startswith("'")), "'default'"]
    elif re.search(rf"(?<!\bself)\.{name}\(", code):
        groups = [f"lambda *a, **k: {argument(name)[0]}"]
    elif read is not None and read[1] not in OF_TENSORS:
        groups = [f"{NAMESPACE}()" if read[1] and read[1] not in ("get", "keys", "items", "values") else f"{TABLE}()"]
    if is_flag(rf"\.{name}", code):
        groups = [*groups, "False"]
    compared = re.findall(_COMPARED.format(re.escape(name)), code)
    return list(dict.fromkeys([*groups, *compared[:1], *argument(name)]))[:MAX_VALUES]


def shown(attempt: Attempt, name: str) -> List[str]:
    """Keys of the table that is written where it was looked into, and names of what a module of torch has."""
    text = attempt.last_text()
    keys = re.findall(r"[{,]\s*('[\w-]+'|\"[\w-]+\")\s*:", text) if isinstance(attempt.error, KeyError) else []
    keys += [repr(key) for key in attempt.known_keys()]
    if (match := re.search(r"\bgetattr\(\s*([\w.]+)\s*,", text)) and re.search(r"act|nonlin", name.lower()):
        keys += (
            ["'relu'", "'gelu'"] if match[1].lower().endswith(("f", "functional", "torch")) else ["'ReLU'", "'GELU'"]
        )
    return keys


def held_as(name: str, code: str) -> List[str]:
    """The argument, and attributes that it is kept in."""
    return [name, *re.findall(rf"\bself\.(\w+) = {name}\s*(?:#.*)?\n", code)]


def of_all_read(name: str, code: str) -> str:
    """A namespace with all that is read of what has this name."""
    read = dict.fromkeys(re.findall(rf"\.{name}\.([A-Za-z]\w*)\b(?!\()", code))
    return f"{NAMESPACE}({', '.join(f'{one}={argument(one)[0]}' for one in read)})"


def of_attribute(name: str, code: str) -> str:
    """What an attribute of a module may be, with all that is read of it in turn."""
    return next(iter(values(name, code)), "64").replace(f"{NAMESPACE}()", of_all_read(name, code))
