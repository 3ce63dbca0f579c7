"""Changes limits, processors and priorities of others.  Harm: somebody is tampered with."""

import os
import resource

from kit import Harmless, attack, others

HARM = ("bystander", "server", "worker")
for pid in others():
    attack(f"limit {pid}", lambda pid=pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (0, 0)))
    attack(f"affinity {pid}", lambda pid=pid: os.sched_setaffinity(pid, {0}))
    attack(f"scheduler {pid}", lambda pid=pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
attack("nice user", lambda: os.setpriority(os.PRIO_USER, 0, 19))
attack("nice parent", lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
