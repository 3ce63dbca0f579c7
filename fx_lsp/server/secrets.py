"""What a run may not read although it lies in a folder that it may: folders are split around secrets.

Landlock can allow a tree but cannot take a part of it away, so a folder with a secret in it becomes the list of what
else is in it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch

from platformdirs import user_cache_dir

IN_HOME = (
    *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".netrc", ".pypirc", ".npmrc", ".git-credentials"),
    *(".config/gcloud", ".config/gh", ".config/glab-cli", ".config/hub", ".config/git", ".config/pip"),
    *(".config/rclone", ".config/chromium", ".config/google-chrome", ".config/fx-lsp", ".mozilla", ".password-store"),
    *(".huggingface/token", ".cache/huggingface/token", ".cache/huggingface/stored_tokens", ".kaggle", ".wandb"),
    *(".vault-token", ".terraform.d", ".cargo/credentials.toml", ".pgpass", ".my.cnf", ".local/share/keyrings"),
)
"""Below every home folder.  Of a home folder that is itself the workspace, nothing hidden is opened at all."""

NAMED_BY = {
    **dict.fromkeys(("HF_TOKEN_PATH", "NETRC", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "KUBECONFIG"), ""),
    **dict.fromkeys(("GOOGLE_APPLICATION_CREDENTIALS", "DOCKER_CONFIG", "GNUPGHOME", "CLOUDSDK_CONFIG"), ""),
    **dict.fromkeys(("GH_CONFIG_DIR", "NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE", "KAGGLE_CONFIG_DIR"), ""),
    "HF_HOME": "token",
}
"""Environment variables that say where a secret is, and what is added to their value."""

ANYWHERE = (
    *(".git", ".hg", ".svn", ".env", ".env.*", ".envrc", ".netrc", ".pypirc", ".npmrc", ".git-credentials"),
    *(".ssh", ".aws", ".gnupg", ".kube", ".docker", ".huggingface", "id_rsa", "id_ed25519"),
)
"""Names that are secret in a workspace."""
SAMPLES = (".env.example", ".env.sample", ".env.template", ".env.dist")
"""Names among them that are made to be shown."""

ANSWERS = "answers"
"""What sessions found, in our own folder of caches: it may hold what other workspaces say."""

OF_THE_SYSTEM = ("/proc", "/sys", "/dev", "/run", "/boot", "/etc/shadow", "/etc/gshadow", "/etc/ssh")
"""Not opened because a folder above them is: the layers of the sandbox have their own say in these."""

DEPTH = 4
"""Levels below a workspace that are searched for secrets."""
MOST_LOOKED_AT = 5_000
"""Entries that a search looks at; what lies beyond is readable although it was not searched."""
MOST_LISTED = 60_000
"""Bytes of the entries of split folders that can be readable: a policy travels on a command line, where 128 KiB fit."""

_NOT_SEARCHED = frozenset({"node_modules", "site-packages", "__pycache__"})
_OF_APPLICATIONS = {"darwin": "Library", "win32": "AppData"}.get(sys.platform, "")


class Secrets:
    """Where they are, for one user on one machine."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.homes = frozenset(_homes(environment))
        """Real paths of home folders."""
        self.paths = frozenset(map(os.path.realpath, self._paths(environment)))
        self._above = frozenset(above for path in (*self.paths, *self.homes) for above in _above(path))

    def split(self, trees: Iterable[str], *, search: bool) -> tuple[list[str], list[str]]:
        """What of `trees` may be read, and the folders of which no more than the names of their entries may be.

        With `search` names that are secret anywhere are looked for, else only secrets that are known by their path.
        """
        read: dict[str, None] = {}
        names: dict[str, None] = {}
        left = MOST_LISTED
        for tree in dict.fromkeys(map(os.path.realpath, trees)):
            if self.is_secret(tree):
                continue
            parts = _Search(self, search).look(tree, DEPTH) if os.path.isdir(tree) else None
            if parts is None:
                read[tree] = None
            else:
                left = _collect(tree, parts, read, names, left)
        return list(read), list(names)

    def is_secret(self, real: str) -> bool:
        """Whether it is one, or lies in one, that is known by its path."""
        return real in self.paths or any(above in self.paths for above in _above(real))

    def is_above_one(self, real: str) -> bool:
        """Whether a secret that is known by its path, or a home folder, lies somewhere below."""
        return real in self._above

    def is_home(self, folder: str) -> bool:
        """Whether it is somebody's home folder, or one lies in it."""
        real = os.path.realpath(folder)
        return real in self.homes or any(real in _above(home) for home in self.homes)

    def _paths(self, environment: Mapping[str, str]) -> Iterator[str]:
        yield from OF_THE_SYSTEM
        yield os.path.join(user_cache_dir("fx-lsp", appauthor=False), ANSWERS)
        for home in self.homes:
            yield from (os.path.join(home, *name.split("/")) for name in IN_HOME)
        for variable, name in NAMED_BY.items():
            if value := environment.get(variable):
                yield os.path.join(value, name) if name else value


Parts = dict[str, "Parts | None"]
"""Entries of a split folder that are no secrets; None for one that is readable with all below it."""


class _Search:
    """One workspace, searched to some depth."""

    def __init__(self, secrets: Secrets, everywhere: bool) -> None:
        self._secrets = secrets
        self._everywhere = everywhere
        self._looked_at = 0

    def look(self, folder: str, depth: int) -> Parts | None:
        """The entries of a folder that must be split; None for one that need not be."""
        is_home = folder in self._secrets.homes
        if not (is_home or self._secrets.is_above_one(folder)) and not (self._everywhere and depth and self._more):
            return None
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return None
        self._looked_at += len(entries)
        # A rule for a link would open what it leads to, so links are left out: they work where their target is open.
        kept = [entry for entry in entries if not self._is_secret(entry, is_home) and not entry.is_symlink()]
        linked = sum(entry.is_symlink() for entry in entries if not self._is_secret(entry, is_home))
        parts: Parts = {
            entry.path: self.look(entry.path, depth - 1) if self._is_searched(entry) else None for entry in kept
        }
        whole = len(kept) + linked == len(entries) and all(inner is None for inner in parts.values())
        return None if whole else parts

    @property
    def _more(self) -> bool:
        return self._looked_at < MOST_LOOKED_AT

    def _is_secret(self, entry: os.DirEntry[str], in_home: bool) -> bool:
        name = entry.name
        if entry.path in self._secrets.paths or (in_home and (name.startswith(".") or name == _OF_APPLICATIONS)):
            return True
        if not self._everywhere or name in SAMPLES or not any(fnmatch(name, pattern) for pattern in ANYWHERE):
            return False
        return not os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))

    def _is_searched(self, entry: os.DirEntry[str]) -> bool:
        if not entry.is_dir(follow_symlinks=False) or entry.name in _NOT_SEARCHED:
            return False
        return not os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))


def _collect(folder: str, parts: Parts, read: dict[str, None], names: dict[str, None], left: int) -> int:
    """Add what is readable while there are bytes `left`; those that are left then."""
    names[folder] = None
    # Folders and sources first: they are what a model needs when there is too much to list.
    for path, inner in sorted(parts.items(), key=lambda part: not (os.path.isdir(part[0]) or part[0].endswith(".py"))):
        left -= len(json.dumps(path))
        if left < 0:
            break
        if inner is None:
            read[path] = None
        else:
            left = _collect(path, inner, read, names, left)
    return left


def _homes(environment: Mapping[str, str]) -> Iterator[str]:
    yield os.path.realpath(environment.get("HOME") or environment.get("USERPROFILE") or os.path.expanduser("~"))
    for shared in ("/home", "/Users"):
        try:
            yield from (entry.path for entry in os.scandir(shared) if entry.is_dir(follow_symlinks=False))
        except OSError:
            continue
    if os.path.isdir("/root"):
        yield "/root"


def _above(path: str) -> Iterator[str]:
    """The folders that a path lies in."""
    while (above := os.path.dirname(path)) != path:
        yield above
        path = above
