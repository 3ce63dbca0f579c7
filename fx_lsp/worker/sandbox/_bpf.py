"""A small assembler for the filters that seccomp runs before each system call.

A filter sees `struct seccomp_data`: the number of the call, the architecture, and six arguments of 64 bits.  Only the
lower half of an argument is looked at: the kernel takes all those that are asked about here as 32-bit integers, or
has no meaning for the upper half.  Sources: include/uapi/linux/seccomp.h, include/uapi/linux/bpf_common.h.
"""

from __future__ import annotations

import struct
import sys
from typing import Iterable, List, Tuple

Instruction = Tuple[int, int, int, int]
"""Code, jump if true, jump if false, constant."""

LOAD, MASK, EQUALS, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
LONGEST = 4096
"""Instructions that the kernel takes at most."""

_NUMBER, _ARCHITECTURE = 0, 4


def argument(index: int) -> Instruction:
    """Load the lower half of an argument."""
    return (LOAD, 0, 0, 16 + 8 * index + (0 if sys.byteorder == "little" else 4))


def error(code: int) -> Instruction:
    """The call is not made, and fails with that `errno`."""
    return (RETURN, 0, 0, ERRNO | code)


ALLOWED: Instruction = (RETURN, 0, 0, ALLOW)


class Filter:
    """Rules in order; what none of them decides is allowed."""

    def __init__(self, architecture: int, unknown: int, code: int) -> None:
        """Other architectures end the process; calls from number `unknown` on, x32 among them, fail with `code`."""
        self.instructions: List[Instruction] = [
            (LOAD, 0, 0, _ARCHITECTURE),
            (EQUALS, 1, 0, architecture),
            (RETURN, 0, 0, KILL),
            (LOAD, 0, 0, _NUMBER),
            (AT_LEAST, 0, 1, unknown),
            error(code),
        ]

    def when(self, number: int, *body: Instruction) -> None:
        """For that call the body decides; where it comes to its end, the next rules do."""
        self.instructions += [(EQUALS, 0, len(body) + 1, number), *body, (LOAD, 0, 0, _NUMBER)]

    def refuse(self, number: int, code: int) -> None:
        """That call fails."""
        self.instructions += [(EQUALS, 0, 1, number), error(code)]

    def only(self, number: int, index: int, values: Iterable[int], code: int) -> None:
        """That call fails unless the argument has one of these values."""
        self.when(number, *_choice(index, values, error(code), ALLOWED))

    def never(self, number: int, index: int, values: Iterable[int], code: int) -> None:
        """That call fails if the argument has one of these values."""
        self.when(number, *_choice(index, values, ALLOWED, error(code)))

    def without(self, number: int, index: int, bits: int, code: int) -> None:
        """That call fails if the argument has one of these bits."""
        self.when(number, argument(index), (ANY_BIT, 0, 1, bits), error(code), ALLOWED)

    def assemble(self) -> bytes:
        """An array of `struct sock_filter`; raises ValueError if it is too long for the kernel."""
        program = [*self.instructions, ALLOWED]
        if len(program) > LONGEST:
            raise ValueError(f"a filter of {len(program)} instructions")
        return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _choice(index: int, values: Iterable[int], other: Instruction, one: Instruction) -> List[Instruction]:
    """`one` if the argument has one of the values, else `other`."""
    wanted = list(values)
    tests = [(EQUALS, len(wanted) - place, 0, value & 0xFFFFFFFF) for place, value in enumerate(wanted)]
    return [argument(index), *tests, other, one]
