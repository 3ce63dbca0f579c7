"""Learns of others what it can: command lines, maps, folders, the clipboard of /proc.  Harm: a canary is seen."""

import os

from kit import HOST, Harmless, attack, others, read

HARM = ("secret",)
for pid in others():
    for name in ("environ", "cmdline", "maps", "stack", "cwd", "root", "fd", "mountinfo", "task"):
        path = f"/proc/{pid}/{name}"
        if name in ("cwd", "root", "fd", "task"):
            attack(path, lambda path=path: os.listdir(path))
        else:
            attack(path, lambda path=path: read(path))
for pid in others():
    attack(f"home of {pid}", lambda pid=pid: read(f"/proc/{pid}/root{HOST}/home/.ssh/id_rsa"))
attack("documents", lambda: os.listdir(f"{HOST}/home/Documents"))
attack("walk", lambda: [path for path, _, _ in os.walk(f"{HOST}/home")] or [][0])


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
