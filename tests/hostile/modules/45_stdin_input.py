"""Reads the standard input, writes to the terminal.  Harm: it takes the editor's messages or types for the user."""

import fcntl
import os
import sys

from kit import Harmless, attack, write

TIOCSTI, TIOCLINUX, TIOCSETD = 0x5412, 0x541C, 0x5423

attack("input", input)
attack("stdin", lambda: sys.stdin.read())
attack("terminal", lambda: write("/dev/tty"))
for request in (TIOCSTI, TIOCLINUX, TIOCSETD, TIOCSTI | 1 << 32):
    attack(f"ioctl {request:x}", lambda request=request: fcntl.ioctl(0, request & 0xFFFFFFFF, b"x"))
attack("new terminal", lambda: os.ttyname(os.openpty()[1]))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
