"""Promises an answer of four GiB and sends ten bytes, slowly.  Harm: somebody reserves that much, or waits."""

import os
import time

from kit import Harmless

os.write(3, b"\xff\xff\xff\xff")
for _ in range(10):
    time.sleep(0.1)
    os.write(3, b"{")


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
