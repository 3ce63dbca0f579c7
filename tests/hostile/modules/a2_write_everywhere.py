"""Creates, truncates, appends to, renames and removes files wherever it can name a folder.  Harm: one is changed."""

import os
import sys
import tempfile

from kit import HOST, Harmless, attack, write

HARM = ("files",)
BRIEF = True
FOLDERS = [
    f"{HOST}/home",
    f"{HOST}/home/.cache/fx-lsp",
    f"{HOST}/home/.config/fx-lsp",
    f"{HOST}/strange",
    f"{HOST}/strange/models",
    f"{HOST}/mine",
    f"{HOST}/tmp",
    os.environ.get("HOME", "/"),
    os.environ.get("TMPDIR", "/"),
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/dev",
    "/run",
    "/etc",
    os.path.dirname(os.__file__),
    sys.prefix,
    ".",
]
for folder in dict.fromkeys(FOLDERS):
    name = os.path.join(folder, "pwned")
    attack(f"create {folder}", lambda name=name: write(name))
    attack(f"folder {folder}", lambda name=name: os.mkdir(name + "-folder"))
    attack(f"pipe {folder}", lambda name=name: os.mkfifo(name + "-pipe"))
    attack(f"nameless {folder}", lambda folder=folder: os.open(folder, os.O_TMPFILE | os.O_RDWR))
for file in (
    "home/.bashrc",
    "strange/models/pkg.py",
    "mine/net.py",
    "tmp/of-another-program",
    "home/.config/fx-lsp/config.toml",
):
    path = f"{HOST}/{file}"
    attack(f"truncate {file}", lambda path=path: os.truncate(path, 0))
    attack(f"open and truncate {file}", lambda path=path: os.open(path, os.O_RDONLY | os.O_TRUNC))
    attack(f"append {file}", lambda path=path: write(path, "a"))
    attack(f"remove {file}", lambda path=path: os.unlink(path))
for path in (
    "/etc/shadow",
    "/etc/hosts",
    "/proc/sysrq-trigger",
    "/proc/sys/kernel/core_pattern",
    "/dev/vda",
    "/root/.profile",
):
    attack(f"write {path}", lambda path=path: write(path, "r+"))
attack("temporary", lambda: tempfile.NamedTemporaryFile(delete=False).name)  # noqa: SIM115
attack("bytecode", lambda: os.mkdir(f"{HOST}/strange/models/__pycache__"))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
