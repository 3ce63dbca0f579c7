"""What the kernel does with a filter: the classic BPF of seccomp, as far as ours use it.

Source: Documentation/networking/filter.rst, include/uapi/linux/seccomp.h.
"""

from __future__ import annotations

import errno
import struct

ALLOWED, KILLED = "allowed", "killed"

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "i386": 0x40000003, "arm": 0x40000028}
"""include/uapi/linux/audit.h"""


def verdict(program: bytes, machine: str, number: int, *arguments: int) -> str:
    """`allowed`, `killed` or the name of an error number, for a call with these arguments."""
    words = [argument & 0xFFFFFFFFFFFFFFFF for argument in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    data = struct.pack("<iIQ6Q", number, AUDIT[machine], 0, *words)
    instructions = list(struct.iter_unpack("=HBBI", program))
    accumulator, place = 0, 0
    while True:
        code, if_true, if_false, constant = instructions[place]
        place += 1
        if code == 0x20:  # BPF_LD | BPF_W | BPF_ABS
            assert constant % 4 == 0, "the kernel takes only whole words"
            (accumulator,) = struct.unpack_from("<I", data, constant)
        elif code == 0x54:  # BPF_ALU | BPF_AND | BPF_K
            accumulator &= constant
        elif code in (0x15, 0x35, 0x45):  # BPF_JMP | BPF_JEQ, BPF_JGE, BPF_JSET | BPF_K
            tests = {0x15: accumulator == constant, 0x35: accumulator >= constant, 0x45: bool(accumulator & constant)}
            place += if_true if tests[code] else if_false
        else:
            assert code == 0x06, f"unknown code {code:#x}"  # BPF_RET | BPF_K
            return _meaning(constant)


def _meaning(action: int) -> str:
    if action == 0x7FFF0000:
        return ALLOWED
    if action == 0x80000000:
        return KILLED
    assert action >> 16 == 5, f"unknown action {action:#x}"
    return errno.errorcode[action & 0xFFFF]
