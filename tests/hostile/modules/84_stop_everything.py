"""Stops all processes it may signal.  Harm: the server or a bystander stands still."""

import os
import signal

from kit import Harmless, attack, others

HARM = ("bystander", "server")
for pid in others():
    attack(f"stop {pid}", lambda pid=pid: os.kill(pid, signal.SIGSTOP))
attack("stop all", lambda: os.kill(-1, signal.SIGSTOP))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
