"""What the hostile modules share; it lies in their workspace, as a stranger's helper would."""

import ctypes
import json
import os
import sys

from torch import nn

HOST = "@HOST@"
"""Folder with the canaries; filled in when it is written."""

FOUND = []
"""What an attack got."""


def attack(name, act):
    """Do it, and say how it went."""
    try:
        got = act()
    except BaseException as error:
        print(f"blocked {name}: {type(error).__name__}: {str(error)[:120]}", flush=True)
        return None
    FOUND.append(f"GOT[{name}] {str(got)[:200]!r}")
    print(FOUND[-1], flush=True)
    return got


def read(path):
    """The text of a file."""
    with open(path, errors="replace") as file:
        return file.read(4000)


def write(path, mode="w"):
    """Write to a file."""
    with open(path, mode) as file:
        return file.write("pwned")


def system_call(number, *arguments):
    """Without the C library's wrappers."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = libc.syscall(ctypes.c_long(number), *given)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def others():
    """Everybody else we may touch, the parent first; `stat` of /proc/N works even where /proc cannot be listed."""
    me, parent, found = os.getpid(), os.getppid(), []
    for pid in range(2, me + 50):
        try:
            if pid not in (me, parent) and os.stat(f"/proc/{pid}").st_uid in (os.getuid(), 0):
                found.append(pid)
        except OSError:
            continue
    return [parent, *found]


def answer(body):
    """Write a frame where the result is expected."""
    data = memoryview(len(body).to_bytes(4, "big") + body)
    while data:
        data = data[os.write(3, data) :]


def reply(**fields):
    """The JSON of a reply as the server expects it, with these fields."""
    return json.dumps({"kind": "trace_reply", "id": 1, **fields}).encode()


def asked():
    """What this run is for, as the worker that runs it knows: `naming`, `costs`, `rewrite`; the plain run is for none.

    An attack may be good in the first run, and begin in the second.
    """
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "TraceRequest":
                return [name for name in ("naming", "costs", "rewrite", "graph", "compilers") if getattr(value, name)]
        frame = frame.f_back
    return []


def span(path, line=1, column=0, end_line=1, end_column=1):
    """A place in a file."""
    return {"path": path, "line": line, "column": column, "end_line": end_line, "end_column": end_column}


def tensor(dtype="f32", shape=(2, 8), **fields):
    """A value."""
    return {"kind": "tensor", "dtype": dtype, "shape": list(shape), **fields}


def binding(where, name="x", value=None, **fields):
    """A name and its value at a place."""
    variant = {"kind": "variant", "value": value or tensor()}
    return {"kind": "binding", "span": where, "name": name, "role": "assign", "variants": [variant], **fields}


def operation(where, target="torch.relu", value=None, **fields):
    """A call at a place."""
    variant = {"kind": "operation_variant", "inputs": [value or tensor()], "output": value or tensor()}
    made = {"kind": "operation", "span": where, "target": target, "form": "function", "variants": [variant]}
    return {**made, **fields}


class Harmless(nn.Module):
    """A model that works, and tells in its error what the attacks got."""

    def __init__(self):
        super().__init__()
        if FOUND:
            raise RuntimeError(" | ".join(FOUND))
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        return self.linear(x)
