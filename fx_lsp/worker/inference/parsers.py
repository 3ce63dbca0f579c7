"""Arguments from the command line, which a class adds to a parser itself: `add_model_specific_args(parent_parser)`."""

from __future__ import annotations

import argparse
import inspect
import re
from typing import Any, Callable, Iterator, List, Tuple

from fx_lsp.worker.inference.configurations import FEW, LAYERS, literal
from fx_lsp.worker.inference.names import Names

_METHOD = re.compile(r"(static_)?(add|get|build|make)_?\w*(args|arguments|parser|options)|modify_commandline_options")


def namespaces(cls: type, names: Names, evaluate: Callable[[str, str], Any]) -> Iterator[Tuple[str, str]]:
    """Setup and text of what a parser gives when nothing is said, with few layers."""
    before, name = names.of(cls)
    for method, takes in _methods(cls) if name else ():
        made = f"{name}.{method}({'parser' if takes else ''})"
        lines = [before, "import argparse", "import types"]
        lines += ["parser = argparse.ArgumentParser(add_help=False)"] if takes else []
        lines.append(f"parser = {made} or parser" if takes else f"parser = {made}")
        setup = "\n".join(filter(None, lines))
        given = evaluate(setup, "parser.parse_known_args([])[0]").value
        if isinstance(given, argparse.Namespace):
            held = {field: FEW if _many(field, value) else value for field, value in vars(given).items()}
            texts = [f"{field}={literal(value)}" for field, value in held.items() if field.isidentifier()]
            if all(text[-1] != "=" for text in texts) and len(", ".join(texts)) < 600:
                yield "import types", f"types.SimpleNamespace({', '.join(texts)})"
            else:
                yield setup, "types.SimpleNamespace(**vars(parser.parse_known_args([])[0]))"


def _many(field: str, value: Any) -> bool:
    return type(value) is int and value > FEW and LAYERS.fullmatch(field) is not None


def _methods(cls: type) -> List[Tuple[str, bool]]:
    """Names of those that make or extend a parser, and whether they are given one."""
    found = []
    for owner in cls.__mro__:
        for name, method in vars(owner).items():
            if isinstance(method, (classmethod, staticmethod)) and _METHOD.fullmatch(name):
                left = list(inspect.signature(getattr(cls, name)).parameters.values())
                needed = [one for one in left if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
                if len(needed) <= 1:
                    found.append((name, bool(left)))
    return found[:2]
