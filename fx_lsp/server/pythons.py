"""What belongs to an interpreter, found by looking at files: it is never run to be asked."""

from __future__ import annotations

import ast
import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

SYSTEM_PROGRAMS = ("/bin", "/usr/bin", "/usr/local/bin", "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/libexec")
"""What an interpreter that is a script may call."""

_PATH_IN_SCRIPT = re.compile(r"(?<![\w./-])/[^\s\"'`$;&|<>(){}*?]+")
_SITES = (
    "lib*/python3*/site-packages",
    "lib*/python3*/dist-packages",
    "lib*/python3/dist-packages",
    "Lib/site-packages",
)


@dataclass(frozen=True)
class Python:
    """Files and folders, as far as they exist."""

    own: tuple[str, ...] = ()
    """What was installed with it or into it."""
    paths: tuple[str, ...] = ()
    """Folders that were put on its module search path from elsewhere: sources of somebody."""
    execute: tuple[str, ...] = ()
    """What has to be executed to start it, besides the loader of the system."""
    sites: tuple[str, ...] = ()
    """Folders that packages are installed in."""

    def version_of(self, package: str) -> str | None:
        """Version of an installed package, as its metadata say."""
        for site in self.sites:
            for file in sorted(glob.glob(os.path.join(glob.escape(site), f"{package}-*.dist-info", "METADATA"))):
                if match := re.search(r"^Version: *(\S+)", _text(file) or "", re.MULTILINE):
                    return match[1]
        return None


def look_at(interpreter: str, environment: Mapping[str, str]) -> Python:
    """What belongs to it; nothing of what is not there."""
    real = os.path.realpath(interpreter)
    prefixes = list(dict.fromkeys(_prefixes(interpreter)))
    execute = [real]
    script = _script(real)
    if script is not None:
        # It may do anything to find the real one, and mostly names it, or a folder around it.
        named = [path for path in _PATH_IN_SCRIPT.findall(script) if os.path.isfile(path) and os.access(path, os.X_OK)]
        execute = [real, *SYSTEM_PROGRAMS, *prefixes]
        for path in named:
            if not path.startswith(SYSTEM_PROGRAMS):
                prefixes += _prefixes(path)
                execute.append(os.path.realpath(path))
    users = list(_user_sites(environment))
    sites = [site for prefix in prefixes for pattern in _SITES for site in glob.glob(os.path.join(prefix, pattern))]
    on_path = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    paths = [*on_path, *(path for site in (*sites, *users) for path in _added(site))]
    own = [*_own(prefixes, environment), *users]
    return Python(_existing(own), _existing(paths), _existing(execute), _existing([*sites, *users, *on_path]))


def _own(prefixes: Iterable[str], environment: Mapping[str, str]) -> Iterator[str]:
    """The installations as wholes, but of a folder that holds more than one, such as a home, only Python's part."""
    home = os.path.realpath(environment.get("HOME") or os.path.expanduser("~"))
    for prefix in prefixes:
        if home == os.path.realpath(prefix) or home.startswith(os.path.realpath(prefix).rstrip(os.sep) + os.sep):
            yield from glob.glob(os.path.join(prefix, "lib*", "python3*"))
        else:
            yield prefix


def _prefixes(interpreter: str) -> Iterator[str]:
    """The environment that it belongs to, and the installation that it was made from."""
    for path in (interpreter, os.path.realpath(interpreter)):
        folder = os.path.dirname(path)
        above = os.path.dirname(folder) if os.path.basename(folder).lower() in ("bin", "scripts", "shims") else folder
        yield above
        for place in (above, folder):
            if home := _home(os.path.join(place, "pyvenv.cfg")):
                yield os.path.dirname(home) if os.path.basename(home) == "bin" else home
                yield from _installed(home, os.path.basename(path))


def _installed(home: str, name: str) -> Iterator[str]:
    """The installation behind the links of an environment's `home`."""
    real = os.path.realpath(os.path.join(home, name))
    folder = os.path.dirname(real)
    yield os.path.dirname(folder) if os.path.basename(folder) == "bin" else folder


def _home(file: str) -> str | None:
    """`home` of a `pyvenv.cfg`."""
    text = _text(file)
    for line in (text or "").splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip().lower() == "home":
            return value.strip()
    return None


def _user_sites(environment: Mapping[str, str]) -> Iterator[str]:
    """Where `pip install --user` puts packages."""
    home = environment.get("HOME") or os.path.expanduser("~")
    if base := environment.get("PYTHONUSERBASE"):
        bases = [base]
    elif sys.platform == "win32":
        bases = [os.path.join(environment.get("APPDATA", home), "Python")]
    else:
        bases = [os.path.join(home, ".local"), *glob.glob(os.path.join(home, "Library", "Python", "3*"))]
    for base in bases:
        for pattern in ("lib/python3*/site-packages", "lib/python/site-packages", "Python3*/site-packages"):
            yield from glob.glob(os.path.join(base, pattern))


def _added(site: str) -> Iterator[str]:
    """What the `.pth` files of a folder put on the search path: folders by name, or by an editable install's finder."""
    for file in sorted(glob.glob(os.path.join(glob.escape(site), "*.pth"))):
        for line in (_text(file) or "").splitlines():
            line = line.strip()
            if match := re.match(r"import[ \t]+(\w+)", line):
                yield from _found_by(os.path.join(site, f"{match[1]}.py"))
            elif line and not line.startswith("#"):
                path = os.path.normpath(os.path.join(site, line))
                if os.path.isdir(path) or path.endswith(".zip"):
                    yield path


def _found_by(module: str) -> Iterator[str]:
    """Absolute paths in what a finder maps names to, or is installed with."""
    try:
        tree = ast.parse(_text(module) or "")
    except (SyntaxError, ValueError, RecursionError):
        return
    for statement in tree.body:
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) else None
        if not isinstance(value, (ast.Call, ast.Dict)):
            continue
        for node in ast.walk(value):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and os.path.isabs(node.value):
                yield node.value


def _script(file: str) -> str | None:
    """The text of a script; None for a program."""
    try:
        with open(file, "rb") as stream:
            start = stream.read(64 << 10)
    except OSError:
        return None
    return start.decode("utf-8", "replace") if start.startswith(b"#!") else None


def _text(file: str) -> str | None:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return stream.read(1 << 20)
    except OSError:
        return None


def _existing(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(path for path in dict.fromkeys(paths) if os.path.exists(path))
