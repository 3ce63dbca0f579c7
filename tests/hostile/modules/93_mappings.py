"""Maps as much as the kernel lets it, populated, locked and shared.  Harm: memory that no limit counts."""

import mmap

from kit import Harmless, attack, system_call

HARM = ("memory",)
POPULATE, NO_RESERVE, LOCKED = 0x8000, 0x4000, 0x2000
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
kept = []


def take(flags, size):
    kept.append(mmap.mmap(-1, size, flags))
    return len(kept)


def fill():
    for _ in range(24):
        shared = mmap.mmap(-1, 1 << 27, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
        shared.write(b"x" * (1 << 27))
        kept.append(shared)
    return len(kept)


attack("reserve", lambda: take(PRIVATE | NO_RESERVE, 1 << 45))
attack("populate", lambda: take(PRIVATE | POPULATE, 1 << 30))
attack("locked", lambda: take(PRIVATE | LOCKED, 1 << 28))
attack("mlockall", lambda: system_call(151, 3))
attack("shared", fill)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
