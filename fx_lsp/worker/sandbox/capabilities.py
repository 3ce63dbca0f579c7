"""Privileges: a worker has none, and gains none, also where the server runs as root."""

from __future__ import annotations

import ctypes
import errno
import struct

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _prctl
from fx_lsp.worker.sandbox._layer import Layer

_VERSION_3 = 0x20080522
"""include/uapi/linux/capability.h"""


def _available() -> str:
    return "" if _prctl.HERE else "only Linux has capabilities"


def apply(policy: Policy) -> None:
    """For this process and all that it executes."""
    _prctl.no_new_privileges()
    try:
        _prctl.prctl(_prctl.CAP_AMBIENT, _prctl.CAP_AMBIENT_CLEAR_ALL)
    except OSError as error:
        if error.errno != errno.EINVAL:  # before Linux 4.3 there are none
            raise
    try:
        for capability in range(64):
            _prctl.prctl(_prctl.CAPBSET_DROP, capability)
    except OSError:  # past the last one; or not permitted, and then nothing is left that could be gained
        pass
    header, none = struct.pack("=Ii", _VERSION_3, 0), bytes(24)
    _prctl.checked(_prctl.libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(none)), "capset")


LAYER = Layer(
    name="capabilities",
    stage="launcher",
    protects="The worker has no privilege and can gain none, also where the server runs as root.",
    apply=apply,
    available=_available,
)
