"""What a user sets in the editor, under `fx-lsp`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from fx_lsp.analysis.visible import cut

SECTION = "fx-lsp"
LONGEST = 40
"""Characters that are shown of a wrong value."""


@dataclass(frozen=True)
class HintSettings:
    """Which inlay hints are shown; each name is the id of a hint kind, with dashes as underscores."""

    parameter: bool = True
    """After the parameters of functions."""
    assignment: bool = True
    """After names bound by assignments, loops, `with`, `:=`, comprehensions and `case`."""
    result: bool = True
    """After `return`."""
    cost: bool = False
    """At the ends of lines: what they compute, `8.1 GFLOPs · 34 %`."""

    def enabled(self) -> frozenset[str]:
        """Ids of the hint kinds that are on."""
        return frozenset(entry.name for entry in fields(self) if getattr(self, entry.name))


@dataclass(frozen=True)
class Settings:
    """Every setting has a default that works."""

    interpreter: str = ""
    """Python that runs the models; empty: found by itself."""
    run: bool = True
    """Run the workspace's models; off: nothing of it is run, only static features remain."""
    run_ahead: bool = True
    """Run the models of files that are not open as well, when there is nothing else to do: opening one shows its hints
    at once."""
    code_lens: bool = True
    """The line above each class: input, output, parameters, costs."""
    dim_names: bool = True
    """Names in place of sizes that may vary, `f32[B, T, 768]`; off: the sizes of the run."""
    hints: HintSettings = field(default_factory=HintSettings)


def read_settings(data: Any) -> tuple[Settings, str]:
    """The settings in `data` (what an editor sent), and one sentence on what was wrong; empty when nothing was.

    What is wrong keeps its default; the rest applies.  Names this version does not know are left alone.
    """
    wrong: list[str] = []
    settings = _read(Settings, data, "", wrong)
    return settings, f"Ignored in the settings of {SECTION}: {'; '.join(wrong)}." if wrong else ""


def _read(cls: type[Any], data: Any, prefix: str, wrong: list[str]) -> Any:
    if data is None:
        return cls()
    if not isinstance(data, Mapping):
        wrong.append(f"{prefix.rstrip('.') or SECTION} must be an object, not {cut(repr(data), LONGEST)}")
        return cls()
    given: dict[str, Any] = {}
    default = cls()
    for entry in fields(cls):
        value = data.get(entry.name, data.get(_camel(entry.name)))
        expected = getattr(default, entry.name)
        if value is None:
            continue
        if isinstance(expected, HintSettings):
            given[entry.name] = _read(HintSettings, value, f"{prefix}{entry.name}.", wrong)
        elif type(value) is type(expected):
            given[entry.name] = value
        else:
            kind = "true or false" if isinstance(expected, bool) else "a text"
            wrong.append(f"{prefix}{_camel(entry.name)} must be {kind}, not {cut(repr(value), LONGEST)}")
    return cls(**given)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
