"""Lets the kernel send the signal: a pipe owned by somebody else.  Harm: the server, the worker or a bystander dies."""

import fcntl
import os
import signal
import struct
import time

from kit import Harmless, attack, others

HARM = ("bystander", "server")
F_SETOWN_EX, F_OWNER_PID, O_ASYNC = 15, 1, 0o20000


def send(pid, extended):
    read, write = os.pipe()
    if extended:
        fcntl.fcntl(read, F_SETOWN_EX, struct.pack("ii", F_OWNER_PID, pid))
    else:
        fcntl.fcntl(read, fcntl.F_SETOWN, pid)
    fcntl.fcntl(read, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(read, fcntl.F_SETFL, fcntl.fcntl(read, fcntl.F_GETFL) | O_ASYNC)
    os.write(write, b"x")
    time.sleep(0.05)
    return "sent"


for extended in (False, True):
    for pid in sorted(others()):
        attack(f"sigio {pid}", lambda pid=pid, extended=extended: send(pid, extended))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
