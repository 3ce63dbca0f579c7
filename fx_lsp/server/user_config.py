"""The user's own configuration, outside every workspace: whom they trust, and what they changed of the sandbox."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from platformdirs import user_config_dir


@dataclass(frozen=True)
class UserConfig:
    """What holds for every workspace; the defaults are those of a user who wrote nothing."""

    trust: tuple[str, ...] = ()
    """Folders, real and absolute, that are trusted with everything below them."""
    interpreter: str = ""
    """The Python that runs the models where neither the editor nor the workspace names one."""
    read: tuple[str, ...] = ()
    """Files and folders outside the workspace that runs may read."""
    off: tuple[str, ...] = ()
    """Layers of the sandbox that are left out."""
    bubblewrap: bool = False
    """Whether to run the worker in bubblewrap as well."""
    problem: str = ""
    """What is wrong in the file, in one sentence; the rest of it applies."""

    def trusts(self, folder: str) -> bool:
        """Whether the folder is a trusted one or lies in one, whatever links lead to it."""
        real = os.path.realpath(folder)
        return any(real == one or real.startswith(one.rstrip(os.sep) + os.sep) for one in self.trust)


def config_file() -> str:
    """Where the configuration is, or would be."""
    return os.path.join(user_config_dir("fx-lsp", appauthor=False), "config.toml")


def load(path: str) -> UserConfig:
    """What the file says; nothing when there is none.  What is wrong keeps its default and is said in `problem`."""
    try:
        with open(path, "rb") as stream:
            document = tomllib.load(stream)
    except FileNotFoundError:
        return UserConfig()
    except (OSError, ValueError) as error:
        return UserConfig(problem=f"{path} cannot be read, so it does not apply: {error}.")
    return _read(path, document)


def set_trust(path: str, folder: str, trusted: bool) -> None:
    """Write into the file that the folder is trusted, or no more; the rest of it stays as the user wrote it.

    Raises:
        OSError: it cannot be written.
        ValueError: it is not TOML, or `trust` in it is no list.
    """
    import tomlkit  # it takes a while, and is hardly ever needed

    path = os.path.realpath(path)
    try:
        with open(path, encoding="utf-8") as stream:
            document = tomlkit.parse(stream.read())
    except FileNotFoundError:
        document = tomlkit.document()
    listed: Any = document.setdefault("trust", [])
    if not isinstance(listed, list):
        raise ValueError(f"`trust` in {path} is no list")
    real = os.path.realpath(folder)
    entries = cast("list[Any]", listed)
    same = [one for one in entries if isinstance(one, str) and os.path.realpath(os.path.expanduser(one)) == real]
    if trusted and not same:
        entries.append(real)
    for one in same if not trusted else ():
        entries.remove(one)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    written = f"{path}.{os.getpid()}"
    with open(written, "w", encoding="utf-8") as stream:
        stream.write(tomlkit.dumps(document))
    os.replace(written, path)


class UserFile:
    """The configuration as the file has it now: it is read again when it has changed."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path or config_file()
        self._stamp: tuple[int, int] | None = None
        self._config = UserConfig()

    @property
    def config(self) -> UserConfig:
        """What it says."""
        try:
            status = os.stat(self.path)
        except OSError:
            self._stamp, self._config = None, UserConfig()
            return self._config
        stamp = status.st_mtime_ns, status.st_size
        if stamp != self._stamp:
            self._stamp, self._config = stamp, load(self.path)
        return self._config


def _read(path: str, document: Mapping[str, Any]) -> UserConfig:
    wrong: list[str] = []
    given: dict[str, Any] = {}
    readers: dict[str, Callable[[Any], Any]] = {
        "trust": _folders,
        "interpreter": _interpreter,
        "read": _folders,
        "off": _texts,
        "bubblewrap": _flag,
    }
    table = document.get("sandbox", {})
    if not isinstance(table, dict):
        wrong.append("sandbox is a table")
        table = {}
    places = {"trust": document, "interpreter": document}
    for name, reader in readers.items():
        source = cast("Mapping[str, Any]", places.get(name, table))
        if name in source and (value := reader(source[name])) is not None:
            given[name] = value
        elif name in source:
            wrong.append(f"{name} has a value that is not understood")
    known = {entry.name for entry in fields(UserConfig)} - {"problem"}
    unknown = [*(set(document) - {"sandbox", *places}), *(set(cast("dict[str, Any]", table)) - (known - set(places)))]
    wrong += [f"{name} is not known" for name in sorted(unknown)]
    return replace(UserConfig(**given), problem=f"{path}: {'; '.join(wrong)}." if wrong else "")


def _folders(value: Any) -> tuple[str, ...] | None:
    """Absolute paths; a relative one has no meaning here."""
    texts = _texts(value)
    if texts is None:
        return None
    expanded = [os.path.expanduser(text) for text in texts]
    return tuple(os.path.realpath(path) for path in expanded) if all(map(os.path.isabs, expanded)) else None


def _texts(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    items = cast("list[Any]", value)
    return tuple(items) if all(isinstance(item, str) and item for item in items) else None


def _interpreter(value: Any) -> str | None:
    """A path, or a command; one that is relative to a workspace would be the workspace's own."""
    if not isinstance(value, str):
        return None
    path = os.path.expanduser(value)
    return path if os.path.isabs(path) or os.path.basename(value) == value else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
