"""How things are called in the namespace of a module."""

from __future__ import annotations

import functools
import re
import sys
import types
import typing
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, Tuple

import torch
from torch import nn

from fx_lsp.model.example import ATTRIBUTES
from fx_lsp.worker.inference.live import source_text

_SETUPS = {
    "nn": "from torch import nn",
    "torch": "import torch",
    "types": "import types",
    "AttrDict": ATTRIBUTES,
}
"""What makes names known that invented examples use; a line each."""
_MEANT = {"nn": nn, "torch": torch, "types": types}


class Names:
    """Of one module, and the classes that the workspace has imported so far."""

    def __init__(self, module: ModuleType, is_ours: Callable[[str], bool] = lambda path: False) -> None:
        self.module, self.is_ours = module, is_ours
        self.built: Dict[type, Any] = {}
        """What was built for constructors that want one."""
        self.defaults: Any = None
        """What parameters are by default in the workspace, once somebody asks."""
        self.texts: Any = None
        """Those of the files of the workspace that have been imported, once somebody asks."""
        self._imports: Dict[str, str] = {}
        """Of classes that inputs are made of, by their names, what makes these known."""
        self._by_id = {id(value): name for name, value in vars(module).items() if not name.startswith("__")}

    def of(self, value: Any) -> Tuple[str, str]:
        """Setup, and the expression that means the class or function; both empty when there is none."""
        home, qualified = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
        if qualified and vars(self.module).get(qualified) is value:
            return "", qualified
        if (name := self._by_id.get(id(value))) is not None:
            return "", name
        if home == self.module.__name__ and qualified and "<" not in qualified:
            return "", qualified
        if home and qualified.isidentifier() and home != "builtins":
            return f"from {home} import {qualified}", qualified
        return ("", qualified) if home == "builtins" else ("", "")

    def input(self, value: Any) -> str:
        """The expression that means a class which inputs are made of; `setup` knows from now on what it needs."""
        setup, text = self.of(value)
        if setup:
            self.needs(text, setup)
        return text

    def needs(self, name: str, setup: str) -> None:
        """What a text that uses the name needs before it."""
        self._imports[name] = setup

    def setup(self, text: str) -> str:
        """Imports of what the text uses beyond the namespace, also where something else is called so there."""
        known = {**_SETUPS, **self._imports}
        used = (name for name in known if re.search(rf"(?<![\w.]){name}[.(]", text))
        held = vars(self.module)
        absent = (name for name in used if name not in held or held[name] is not _MEANT.get(name, held[name]))
        return together(*(known[name] for name in absent))

    def classes(self, kind: type = nn.Module) -> Iterator[type]:
        """Module classes of the workspace that have been imported, those of this module first; or of another kind."""
        homes = [self.module, *(home for home in list(sys.modules.values()) if isinstance(home, ModuleType))]
        for home in dict.fromkeys(homes):
            if home is self.module or self.is_ours(vars(home).get("__file__") or ""):  # to ask it may import
                for value in list(vars(home).values()):
                    if is_class(value) and issubclass(value, kind) and value.__module__ == home.__name__:
                        yield value


def is_class(value: Any) -> bool:
    """Whether it is one, and nothing that is wrapped around one and says that it was."""
    return issubclass(type(value), type)


def together(*setups: str) -> str:
    """The lines of several setups, each once."""
    return "\n".join(dict.fromkeys(line for setup in setups for line in setup.split("\n") if line))


def is_union(origin: Any) -> bool:
    """Whether an annotation with this origin is `Union[A, B]`, `Optional[A]` or `A | B`."""
    return origin is typing.Union or origin is getattr(types, "UnionType", typing.Union)


@functools.cache
def text_of(cls: type) -> str:
    """The source of a class's own functions, and of the constructors above; empty where that cannot be had.

    Function by function: to find a class `inspect` parses the whole of its file.
    """
    above = [vars(owner).get("__init__") for owner in cls.__mro__[1:] if owner not in (nn.Module, object)]
    functions = [one for one in [*vars(cls).values(), *above] if isinstance(one, types.FunctionType)]
    return "\n".join(map(source_text, functions))
