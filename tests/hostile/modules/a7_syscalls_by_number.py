"""Makes every system call there is with arguments of nought, and again by the numbers of x32.  Harm: one of them does
something to others."""

import os

from kit import Harmless, system_call

SKIPPED = {
    0,
    1,
    15,
    19,
    20,
    23,
    34,
    35,
    60,
    61,
    128,
    130,
    202,
    219,
    230,
    231,
    232,
    247,
    270,
    271,
    281,
    295,
    296,
    322,
    327,
    328,
}
done = []
for offset in (0, 0x40000000):
    for number in range(560):
        if number not in SKIPPED and number not in (
            12,
            11,
            10,
            9,
            25,
            3,
            13,
            14,
            216,
            56,
            57,
            58,
            59,
            435,
            436,
            329,
            158,
            218,
            273,
        ):
            try:
                done.append((number, system_call(offset + number, 0, 0, 0, 0, 0, 0)))
            except OSError:
                continue
print(len(done), os.getpid())


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
