"""Whether code that looks through names of weights does no more than give them other names.

Where the weights are not here there are no names, and what is counted, gathered or decided by them would be made up.
What a package does with its own weights is trusted but for what it counts: it has built the model by then.
"""

from __future__ import annotations

import dis
import linecache
import re
from types import CodeType
from typing import List

from fx_lsp.worker.imported import installed
from fx_lsp.worker.indentation import depth

_ARGUMENTS = dis.opmap["DICT_MERGE"]
"""What makes keyword arguments of a dict."""
_COUNTS = re.compile(r"\b(len|max|min|sum|range|enumerate|Counter|next)\(")
_GATHERS = re.compile(r"\b(list|sorted|tuple|set|frozenset|iter|zip|map|filter)\(")
_TAKES = re.compile(r"\b(dict|OrderedDict|update|print|debug|info|warning|any|all)\(")
"""What may be given all of them."""
_SIGNS, _CLOSING = re.compile(r"\w*\(|[)\[\]{}]"), (")", "]", "}")
_LOOP, _CONDITION = re.compile(r"\s*(async )?for\b.*:\s*(#.*)?$"), re.compile(r"\s*(if|elif)\b.*:\s*(#.*)?$")
_MORE = re.compile(
    r"[-+*/|&]=|(?<!\[)\blen\(|\b(max|min|int|append|extend|add|insert|setattr|range)\(|"
    r"\.(shape|size|ndim|numel)\b|\bnn\.|\bself\.\w+ ="
)
"""What is more than another name, in the body of a loop or of a condition."""
_ABOVE = 3
"""Lines above, at which a call may start that reaches to where names are asked for."""
_BODY = 40


def only_renames(code: CodeType, line: int, instruction: int) -> bool:
    """For the instruction at a line."""
    if code.co_code[instruction] == _ARGUMENTS:
        return False
    lines = linecache.getlines(code.co_filename)
    above, last = lines[max(0, line - 1 - _ABOVE) : line - 1], "".join(lines[line - 1 : line])
    if not last.strip() or _COUNTS.search(last):
        return False
    opened = _opened("".join(above), last)
    if any(_COUNTS.match(one) for one in opened):
        return False
    if installed(code.co_filename):
        return True
    if _LOOP.match(last) or _CONDITION.match(last):
        return not any(map(_MORE.search, _body(lines, line)))
    if opened:
        return opened[-1] == "{" or _TAKES.match(opened[-1]) is not None
    return _TAKES.search(last) is not None and not _GATHERS.search(last) and " in " not in last


def _opened(above: str, last: str) -> List[str]:
    """What is open where the last line says what is looked through, outermost first, with the names of calls."""
    ahead = above + (last[: last.rfind(" in ")] if " in " in last else "")
    opened: List[str] = []
    for sign in _SIGNS.finditer(ahead):
        if sign[0] in _CLOSING:
            del opened[-1:]
        else:
            opened.append(sign[0])
    return opened


def _body(lines: List[str], line: int) -> List[str]:
    """Of the statement that ends with a line."""
    margin = depth(lines[line - 1])
    found: List[str] = []
    for one in lines[line : line + _BODY]:
        if one.strip() and depth(one) <= margin:
            break
        found.append(one)
    return found
