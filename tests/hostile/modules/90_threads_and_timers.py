"""Threads, timers and handlers that keep it alive against all signals that can be caught.  Harm: it outlives its
deadline."""

import atexit
import signal
import threading
import time

from kit import Harmless


def loop(*arguments):
    while True:
        time.sleep(0.01)


for number in range(1, 65):
    try:
        signal.signal(number, loop)
    except (OSError, ValueError):
        continue
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
atexit.register(loop)
for _ in range(50):
    try:
        threading.Thread(target=loop).start()
    except RuntimeError:
        break


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        loop()
