"""The settings of the VS Code extension: those of the server, and the few that only the extension reads."""

from __future__ import annotations

import sys
import typing
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from typing import Any

from fx_lsp.server.settings import SECTION, Settings
from tests.generated.docs import field_docs


@dataclass(frozen=True)
class ExtensionSettings:
    """What concerns starting the server, so the server cannot know it."""

    server_interpreter: str = ""
    """Python 3.11 or newer that runs the language server itself; empty: found by itself.

    The models run in another one, see `#fx-lsp.interpreter#`."""


SCOPES = {"serverInterpreter": "machine", "interpreter": "machine-overridable"}
"""By setting; `window` for the others: there is one server for all folders."""
HARMLESS = ("codeLens", "hints.")
"""Starts of the settings that a workspace may bring along before anybody trusts it: they change what is shown only."""
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def properties() -> dict[str, Any]:
    """`contributes.configuration.properties` of `package.json`."""
    found: dict[str, Any] = {}
    for cls in (Settings, ExtensionSettings):
        _collect(cls, "", found)
    for order, entry in enumerate(found.values()):
        entry["order"] = order
    return found


def restricted() -> list[str]:
    """`capabilities.untrustedWorkspaces.restrictedConfigurations` of `package.json`: all that decides what is run."""
    return [name for name in properties() if not name.removeprefix(f"{SECTION}.").startswith(HARMLESS)]


def _collect(cls: type[Any], prefix: str, found: dict[str, Any]) -> None:
    docs, hints = field_docs(sys.modules[cls.__module__]), typing.get_type_hints(cls)
    for entry in fields(cls):
        name = prefix + camel(entry.name)
        kind = hints[entry.name]
        if is_dataclass(kind):
            assert isinstance(kind, type)
            _collect(kind, f"{name}.", found)
        else:
            found[f"{SECTION}.{name}"] = {
                "type": TYPES[kind],
                "default": _default(entry),
                "markdownDescription": docs[cls.__name__, entry.name],
                "scope": SCOPES.get(name, "window"),
            }


def _default(entry: Field[Any]) -> Any:
    return entry.default if entry.default is not MISSING else typing.cast(Any, entry.default_factory)()


def camel(name: str) -> str:
    """As settings are spelt: `code_lens` is `codeLens`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
