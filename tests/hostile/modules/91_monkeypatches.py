"""Replaces what writes the answer, and hides code in collectors and destructors.  Harm: it forges more than facts about
itself, or the child never ends."""

import atexit
import gc
import json
import os
import sys

from kit import Harmless

BRIEF = True

real_write = os.write


class Undead:
    def __del__(self):
        Undead.kept = Undead()


def write(descriptor, data):
    real_write(descriptor, data)
    return 0


Undead()
gc.callbacks.append(lambda phase, information: gc.collect())
gc.set_threshold(1, 1, 1)
atexit.register(lambda: real_write(3, b"x" * 100))
sys.addaudithook(lambda event, arguments: [][0] if event == "open" else None)
json.dumps = json.JSONEncoder.encode = lambda *arguments, **options: '{"kind": "hello"}'
os._exit = lambda status: None
sys.exit = lambda status=0: None


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        os.write = write
        return self.linear(x)
