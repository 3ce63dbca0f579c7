"""What variables held where something failed.

Since Python 3.12 a comprehension has no frame of its own (PEP 709), and what its variables held is gone when the
traceback is looked at: it is noted as the exception passes.
"""

from __future__ import annotations

import opcode
import sys
from collections import OrderedDict
from types import CodeType, FrameType
from typing import Any, Dict, Mapping

_MONITORING: Any = getattr(sys, "monitoring", None)
_TOOL = 4
"""One of the two identifiers that `sys.monitoring` keeps for nobody."""
_CLEARS = opcode.opmap.get("LOAD_FAST_AND_CLEAR")
"""How a comprehension begins that is a part of its function."""
KEPT = 64
"""Frames of which is known what they held."""
_passed: OrderedDict[FrameType, Mapping[str, Any]] = OrderedDict()
_inlining: Dict[CodeType, bool] = {}


def variables(frame: FrameType) -> Mapping[str, Any]:
    """Those of a frame in a traceback, with those of the comprehension that failed in it."""
    return _passed.get(frame, frame.f_locals)


def note() -> None:
    """Note from now on what they hold; once is enough in a process."""
    if _MONITORING is not None and _MONITORING.get_tool(_TOOL) is None:
        _MONITORING.use_tool_id(_TOOL, __name__)
        _MONITORING.register_callback(_TOOL, _MONITORING.events.RAISE, _raised)
        _MONITORING.set_events(_TOOL, _MONITORING.events.RAISE)


def _raised(code: CodeType, _offset: int, _error: BaseException) -> None:
    if code not in _inlining:
        _inlining[code] = _CLEARS in code.co_code[::2]
    frame = sys._getframe(1)
    if _inlining[code] and frame.f_code is code:
        _passed[frame] = dict(frame.f_locals)
        while len(_passed) > KEPT:
            _passed.popitem(last=False)
