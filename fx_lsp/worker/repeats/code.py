"""What the lines of a function may read and change, by their bytecode."""

from __future__ import annotations

import dis
from dataclasses import dataclass, field
from types import CodeType
from typing import Dict, List, Optional, Set, Tuple

Chain = Tuple[str, ...]
"""A global name and the attributes that are read of it one after the other: `F.softmax`."""

_LOCAL = ("STORE_FAST", "DELETE_FAST", "STORE_NAME", "STORE_LOCALS")
_CHANGES = ("STORE_", "DELETE_", "IMPORT_", "INPLACE_")
_PROBE = "__fx_"
"""What names of probes start with."""


@dataclass
class Line:
    """One line of a function."""

    names: Set[str] = field(default_factory=set)
    """Every name of an attribute or a global in it."""
    globals: List[Chain] = field(default_factory=list)
    effect: str = ""
    """The instruction that changes more than local names and what was just made; empty when none does."""
    makes: bool = False
    """A function is made."""
    augmented: Set[str] = field(default_factory=set)
    """Local names in `name += …`: whether that changes an object depends on what it is."""


_known: Dict[CodeType, Dict[int, Line]] = {}


def lines_of(code: CodeType) -> Dict[int, Line]:
    """What each line does, by number."""
    if code not in _known:
        _known[code] = _lines(code)
    return _known[code]


def _lines(code: CodeType) -> Dict[int, Line]:
    found: Dict[int, Line] = {}
    starts = dict(dis.findlinestarts(code)) if not hasattr(code, "co_positions") else {}
    number: Optional[int] = code.co_firstlineno
    instructions = list(dis.get_instructions(code))
    places = list(code.co_positions()) if hasattr(code, "co_positions") else []
    for at, one in enumerate(instructions):
        number = (places[one.offset // 2][0] if places else starts.get(one.offset)) or number
        line = found.setdefault(number or 0, Line())
        if one.opcode in dis.hasname and isinstance(one.argval, str):
            line.names.add(one.argval)
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and not str(one.argval).startswith(_PROBE):
            line.globals.append(_chain(instructions, at))
        _judge(code, line, instructions, at)
    for line in found.values():
        # Functions of C that are given to these run unseen.
        if not line.makes and any(chain[0] in ("map", "filter") for chain in line.globals):
            line.effect = line.effect or "map is called"
    return found


def _chain(instructions: List[dis.Instruction], at: int) -> Chain:
    chain = [str(instructions[at].argval)]
    for one in instructions[at + 1 :]:
        if one.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
            break
        chain.append(str(one.argval))
    return tuple(chain)


def _judge(code: CodeType, line: Line, instructions: List[dis.Instruction], at: int) -> None:
    one = instructions[at]
    if one.argval == "__dict__" and one.opcode in dis.hasname:
        line.effect = "__dict__ is read"
    if one.opname == "MAKE_FUNCTION":
        line.makes = True
    in_place = one.opname.startswith("INPLACE_") or (one.opname == "BINARY_OP" and one.argrepr.endswith("="))
    if in_place:
        into = instructions[at + 1]
        if into.opname == "STORE_FAST":
            line.augmented.add(str(into.argval))
        else:
            line.effect = one.opname
    elif one.opname == "STORE_DEREF":
        if one.argval in code.co_freevars:
            line.effect = one.opname
    elif one.opname.startswith(_CHANGES) and not one.opname.startswith(_LOCAL):
        line.effect = one.opname
