"""What there is to harm: a home with secrets, two workspaces, files of the system; and whether somebody touched it."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.namespaces import BASE, mount

HOST = BASE / "host"
HOME, TEMPORARY, MINE, STRANGE = HOST / "home", HOST / "tmp", HOST / "mine", HOST / "strange"
MODELS = STRANGE / "models"
"""The folder of the stranger's repository that the hostile modules lie in."""

CANARY = "CANARY-"
"""All secrets begin with it; whatever the server sends is searched for it."""

MODEL = """import torch
from torch import nn


# fx: {name}()(f32[{size}, 8])
class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        h = self.linear(x)
        return h
"""

SECRETS = {
    "home/.ssh/id_rsa": "ssh-key",
    "home/.aws/credentials": "aws",
    "home/.netrc": "netrc",
    "home/.git-credentials": "git",
    "home/.cache/huggingface/token": "hub",
    "home/.config/gh/hosts.yml": "gh",
    f"home/Documents/{CANARY}name-of-a-file": "document",
    "other/notes.txt": "notes",
    "strange/.env": "dotenv",
    "strange/.git/config": "git-config",
}
FILES = {
    "home/.bashrc": "# mine\n",
    "mine/pyproject.toml": "",
    "mine/net.py": MODEL.format(name="Mine", size=2),
    "strange/pyproject.toml": '[tool.fx-lsp]\ntimeout = 2\nmemory = "128MiB"\n',
    "strange/models/pkg.py": "X = 1\n",
    "strange/models/good.py": MODEL.format(name="Good", size=2),
    "tmp/of-another-program": "mine\n",
}
TOKENS = {name: CANARY + "environment" for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_PASS")}
"""In the environment of the server."""

SYSTEM = {
    "/etc/shadow": "root:" + CANARY + "shadow:1::::::\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
    "/root/.profile": CANARY + "root\n",
    "/dev/vda": CANARY + "disk\n",
    "/proc/sysrq-trigger": "",
    "/proc/sys/kernel/core_pattern": "core\n",
}
"""Files of the system that only root may read or write, here plain files in their places."""

WATCHED = (HOST, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"))

KEPT = 1 << 16
"""Bytes of a file that are kept to put it back."""


@dataclass(frozen=True)
class Entry:
    """A file as it is."""

    mode: int
    owner: tuple[int, int]
    changed: int
    size: int
    digest: str
    attributes: tuple[str, ...]
    content: bytes | None = None
    """None when it is too large, or no regular file."""


Snapshot = dict[str, Entry]


def build(user: int) -> None:
    """Make everything; the files are `user`'s, those of the system root's."""
    for name, secret in SECRETS.items():
        write(HOST / name, f"{CANARY}{secret}\n")
    for name, text in FILES.items():
        write(HOST / name, text)
    for folder in (HOST / "sockets", HOME / ".cache" / "fx-lsp", HOME / ".config" / "fx-lsp", STRANGE / "shadows"):
        folder.mkdir(parents=True)
    write(HOME / ".cache" / "fx-lsp" / "answers", "")  # no folder: every attack is to run, whatever ran before
    for name in ("json", "torch", "types", "fx_lsp"):
        write(STRANGE / "shadows" / f"{name}.py", "PWNED = 1\n")
    os.symlink(HOME / ".ssh", MODELS / "planted")
    for path in walk(HOST):
        os.chown(path, user, user, follow_symlinks=False)
    os.chmod(HOME / ".ssh" / "id_rsa", 0o600)
    for target, text in SYSTEM.items():
        source = HOST / "system" / target.strip("/").replace("/", "-")
        write(source, text)
        source.chmod(0o600 if "CANARY" in text else 0o644)
        if not os.path.exists(target):
            if target.startswith("/proc"):  # not every kernel has it
                continue
            write(Path(target), "")
        mount("--bind", source, target)
    (HOST / "system").chmod(0o700)


def write(path: Path, text: str | bytes) -> None:
    """Write a file, its folders too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def walk(top: Path) -> Iterator[str]:
    """Everything in a folder, itself included; what is mounted below it is not its own."""
    for folder, names, files in os.walk(top):
        names[:] = [name for name in names if not os.path.ismount(os.path.join(folder, name))]
        yield folder
        yield from (os.path.join(folder, name) for name in files)
        yield from (path for name in names if os.path.islink(path := os.path.join(folder, name)))


def look() -> Snapshot:
    """Everything that is watched."""
    return {path: entry(path) for top in WATCHED if top.is_dir() for path in walk(top)}


def entry(path: str) -> Entry:
    """One file, without following it."""
    status = os.lstat(path)
    content: bytes | None = None
    digest = ""
    if stat.S_ISREG(status.st_mode) and status.st_size <= 1 << 24:
        data = Path(path).read_bytes()
        digest = hashlib.sha1(data).hexdigest()[:8]
        content = data if len(data) <= KEPT else None
    elif stat.S_ISLNK(status.st_mode):
        digest = os.readlink(path)
    attributes = () if stat.S_ISLNK(status.st_mode) else tuple(os.listxattr(path))
    owner = status.st_uid, status.st_gid
    return Entry(status.st_mode, owner, status.st_mtime_ns, status.st_size, digest, attributes, content)


def differences(before: Snapshot, after: Snapshot) -> list[str]:
    """What came, went or changed."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def restore(before: Snapshot) -> None:
    """Put everything back, in place: rules of a sandbox may hang on the folders themselves."""
    for path in sorted(differences(before, look()), key=len, reverse=True):
        if path not in before and os.path.lexists(path):
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    for path, wanted in sorted(before.items()):
        if not os.path.lexists(path):
            if stat.S_ISDIR(wanted.mode):
                os.mkdir(path)
            elif stat.S_ISLNK(wanted.mode):
                os.symlink(wanted.digest, path)
        if wanted.content is not None and (not os.path.exists(path) or entry(path).digest != wanted.digest):
            Path(path).write_bytes(wanted.content)
    for path in sorted(differences(before, look()), key=len, reverse=True):
        wanted = before[path]
        os.chown(path, *wanted.owner, follow_symlinks=False)
        if stat.S_ISLNK(wanted.mode):
            continue
        os.chmod(path, stat.S_IMODE(wanted.mode))
        for name in set(os.listxattr(path)) - set(wanted.attributes):
            os.removexattr(path, name)
        os.utime(path, ns=(wanted.changed, wanted.changed))
