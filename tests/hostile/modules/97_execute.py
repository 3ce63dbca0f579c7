"""Starts programs: a shell, itself, the loader, from memory, by spawn and vfork.  Harm: one runs and leaves a file."""

import ctypes
import os
import subprocess
import sys

from kit import HOST, Harmless, attack, system_call

HARM = ("files",)
TOUCH = ["/bin/sh", "-c", f"echo x > {HOST}/home/pwned-execute"]


def execve(path, arguments):
    array = (ctypes.c_char_p * (len(arguments) + 1))(*[one.encode() for one in arguments], None)
    return system_call(59, ctypes.c_char_p(path.encode()), array, None)


attack("subprocess", lambda: subprocess.run(TOUCH, check=True))
attack("spawn", lambda: os.waitpid(os.posix_spawn("/bin/sh", TOUCH, {}), 0))
attack("system", lambda: [][0] if os.system(TOUCH[2]) else "ran")
attack("execveat", lambda: system_call(322, os.open("/bin/sh", os.O_RDONLY), ctypes.c_char_p(b""), None, None, 0x1000))
loaders = [path for path in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1") if os.path.exists(path)]
for loader in loaders:
    attack("loader", lambda loader=loader: execve(loader, [loader, *TOUCH]))
attack("itself", lambda: execve("/proc/self/exe", [sys.executable, "-c", "print(1)"]))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
