"""Forks while it is built and run, and its children answer too.  Harm: they run on, or their answers are taken."""

import os
import threading
import time

from kit import Harmless, answer, reply

BRIEF = True


def leave_one():
    try:
        if os.fork() == 0:
            os.setsid()
            answer(reply(files=["/forged"]))
            time.sleep(600)
    except OSError:
        return


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def __init__(self):
        super().__init__()
        leave_one()
        threading.Thread(target=leave_one).start()

    def forward(self, x):
        leave_one()
        return self.linear(x)
