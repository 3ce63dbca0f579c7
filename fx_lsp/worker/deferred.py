"""Most of what torch imports for a fake tensor is for a compiler that a trace does not need.

`FakeTensorMode` reads `torch._dynamo.config`, and the package that these settings lie in imports the whole of
TorchDynamo: 1.5 s of the 4.5 s that a worker needed before its first trace (torch 2.13).  Here the settings are
imported without it.  The package itself is imported, as ever, by whoever wants anything else of it; and by the zygote
once a run has, like any installed package, or once nothing is going on.
"""

from __future__ import annotations

import sys
import types
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import torch

PACKAGE, SETTINGS = "torch._dynamo", "config"
CACHED = "__dynamo_disable"
"""Where `torch._compile` keeps the form of a function that TorchDynamo stays out of (torch 2.4 to 2.13)."""


class Deferred(types.ModuleType):
    """What `torch._dynamo` is until it is imported, which a look at anything but its settings does."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(PACKAGE), name)


class Settled(MetaPathFinder):
    """Gives the package the settings that are there already, which its own import does not before torch 2.7."""

    def __init__(self, settings: types.ModuleType) -> None:
        self._settings = settings

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        """Only of the package, once."""
        if fullname != PACKAGE:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(PACKAGE)
        loader: Any = spec and spec.loader
        execute = loader.exec_module

        def exec_module(module: types.ModuleType) -> None:
            setattr(module, SETTINGS, self._settings)
            execute(module)

        loader.exec_module = exec_module
        return spec


def defer() -> None:
    """Import the settings alone; nothing where the package is there already, or is laid out in another way."""
    spec = None if PACKAGE in sys.modules else find_spec(PACKAGE)
    settings = spec and _settings(spec)
    if not settings or not settings.loader:
        return
    module = module_from_spec(settings)
    sys.modules[settings.name] = module
    settings.loader.exec_module(module)
    package = Deferred(PACKAGE)
    setattr(package, SETTINGS, module)
    setattr(torch, PACKAGE.rpartition(".")[2], package)
    sys.meta_path.insert(0, Settled(module))
    from torch.utils._python_dispatch import TorchDispatchMode

    for function in {*_dispatching(TorchDispatchMode), *_working_out()}:
        if not hasattr(function, CACHED):
            setattr(function, CACHED, _kept_out(function))


def _settings(package: ModuleSpec) -> Optional[ModuleSpec]:
    """Of the file with the settings."""
    places = [Path(place) / f"{SETTINGS}.py" for place in package.submodule_search_locations or ()]
    file = next((place for place in places if place.is_file()), None)
    return spec_from_file_location(f"{PACKAGE}.{SETTINGS}", file) if file else None


def _dispatching(mode: type) -> Iterator[Callable[..., Any]]:
    """What modes do with an operation, without what keeps TorchDynamo out of it and imports it to do so."""
    for kind in mode.__subclasses__():
        function = getattr(vars(kind).get("__torch_dispatch__"), "__wrapped__", None)
        if function is not None:
            yield function
        yield from _dispatching(kind)


def _working_out() -> Iterator[Callable[..., Any]]:
    """What works an operator out from others, without what keeps TorchDynamo out of it."""
    import torch._decomp
    import torch._meta_registrations  # fills the tables
    import torch._refs

    tables = torch._decomp.decomposition_table, torch._decomp.meta_table, vars(torch._refs)
    waiting, seen = [one for table in tables for one in [*table.values()]], set()
    while waiting:
        function = waiting.pop()
        if isinstance(function, types.FunctionType) and function not in seen:
            seen.add(function)
            inner = [cell.cell_contents for cell in function.__closure__ or () if cell != types.CellType()]
            if function.__code__.co_filename == torch._compile.__file__:
                yield from (one for one in inner if isinstance(one, types.FunctionType))
            waiting += inner


def _kept_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as it is, and as TorchDynamo would have it once that is imported."""
    real: Optional[Callable[..., Any]] = None

    def call(*given: Any, **named: Any) -> Any:
        nonlocal real
        if real is None and not isinstance(torch._dynamo, Deferred):
            real = torch._dynamo.disable(function, recursive=True)
        return (real or function)(*given, **named)

    return call
