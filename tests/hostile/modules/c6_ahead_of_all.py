"""Studies run when nothing else is to be done, behind everything else: this one takes first place on every processor,
and stays awake.  Harm: the machine is slow."""

import os

from kit import Harmless, asked, attack, system_call

STUDIED = 8.0

if asked():
    for who in (0, os.getppid()):
        attack("priority", lambda who=who: os.setpriority(os.PRIO_PROCESS, who, -20))
        attack("realtime", lambda who=who: os.sched_setscheduler(who, os.SCHED_FIFO, os.sched_param(1)))
        attack("input and output", lambda who=who: system_call(251, 1, who, 1 << 13))
    attack("parent steps back", lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19))
    attack("group", lambda: os.setpriority(os.PRIO_PGRP, 0, 19))
    attack("user", lambda: os.setpriority(os.PRIO_USER, 0, 19))
    attack("parent elsewhere", lambda: os.sched_setaffinity(os.getppid(), {0}))


# fx: Model()(f32[B:2, 8])
class Model(Harmless):
    pass
