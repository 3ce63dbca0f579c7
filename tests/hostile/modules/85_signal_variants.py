"""Sends signals by every call that can.  Harm: the server or the worker dies."""

import ctypes
import os
import signal

from kit import Harmless, attack, others, system_call

HARM = ("server",)


def information(code=-1):
    return ctypes.create_string_buffer(
        bytes([9, 0, 0, 0, 0, 0, 0, 0, *code.to_bytes(4, "little", signed=True)]) + bytes(120)
    )


def by_descriptor(pid, flags=0):
    return system_call(424, system_call(434, pid, flags), 9, None, 0)


for pid in reversed(others()):  # who dies with the parent must have done the rest
    attack(f"tkill {pid}", lambda pid=pid: system_call(200, pid, 0))
    attack(f"tgkill {pid}", lambda pid=pid: system_call(234, pid, pid, 0))
    attack(f"queue {pid}", lambda pid=pid: system_call(129, pid, 9, information()))
    attack(f"tgqueue {pid}", lambda pid=pid: system_call(297, pid, pid, 9, information()))
    attack(f"pidfd {pid}", lambda pid=pid: by_descriptor(pid))
    attack(f"getfd {pid}", lambda pid=pid: system_call(438, system_call(434, pid, 0), 1, 0))
    attack(f"group {pid}", lambda pid=pid: os.killpg(os.getpgid(pid), signal.SIGKILL))
attack(
    "proc descriptor",
    lambda: system_call(424, os.open(f"/proc/{os.getppid()}", os.O_RDONLY | os.O_DIRECTORY), 9, None, 0),
)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
