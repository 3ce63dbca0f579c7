"""Goes around by links, /proc and folders held open.  Harm: a secret is read, a file comes, goes or changes."""

import os

from kit import HOST, Harmless, attack, read

HARM = ("secret", "files")
STRANGE = f"{HOST}/strange"


def through_a_folder():
    folder = os.open(f"{HOST}/home/.ssh", os.O_PATH)
    with open(os.open("id_rsa", os.O_RDONLY, dir_fd=folder)) as file:
        return file.read()


attack("planted link", lambda: read(f"{STRANGE}/models/planted/id_rsa"))
attack("link", lambda: os.symlink(f"{HOST}/home/.ssh", f"{STRANGE}/link"))
attack("through the link", lambda: read(f"{STRANGE}/link/id_rsa"))
attack("hard link", lambda: os.link(f"{HOST}/home/.ssh/id_rsa", f"{STRANGE}/hard"))
attack("rename", lambda: os.rename(f"{STRANGE}/models/pkg.py", f"{STRANGE}/models/pkg2.py"))
for root in (
    "/proc/self/root",
    "/proc/self/cwd/",
    f"/proc/{os.getppid()}/root",
    "/proc/1/root",
    "/proc/thread-self/root",
):
    attack(root, lambda root=root: read(f"{root}{HOST}/home/.ssh/id_rsa"))
attack("dots", lambda: read(f"{STRANGE}/../home/.ssh/id_rsa"))
attack("folder", through_a_folder)
attack("chroot", lambda: os.chroot(f"{HOST}/home"))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
