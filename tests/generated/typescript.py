"""TypeScript of dataclasses as they are on the wire: JSON with the names of the fields."""

from __future__ import annotations

import json
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import ModuleType

from tests.generated.docs import class_doc, field_docs

PRIMITIVES: dict[object, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    object: "unknown",
    typing.Any: "unknown",
}


def typescript(modules: list[ModuleType], header: str) -> str:
    """Interfaces for the dataclasses of the modules and for those that they are made of; constants of them all."""
    classes = _closure([cls for module in modules for cls in _dataclasses(module)])
    homes = list(dict.fromkeys(sys.modules[cls.__module__] for cls in classes))
    parts = [_comment(header, "").rstrip()]
    parts += [text for home in homes for text in _constants(home)]
    docs = {home.__name__: field_docs(home) for home in homes}
    parts += [_interface(cls, docs[cls.__module__]) for cls in classes]
    return "\n\n".join(parts) + "\n"


def _dataclasses(module: ModuleType) -> list[type]:
    return [cls for cls in vars(module).values() if _is_dataclass(cls) and cls.__module__ == module.__name__]


def _is_dataclass(item: object) -> bool:
    return isinstance(item, type) and is_dataclass(item)


def _closure(classes: list[type]) -> list[type]:
    """With the dataclasses in the types of their fields, each once, those met first in front."""
    found: dict[type, None] = {}

    def add(cls: type) -> None:
        if cls not in found:
            found[cls] = None
            for hint in typing.get_type_hints(cls).values():
                for inner in _dataclasses_in(hint):
                    add(inner)

    for cls in classes:
        add(cls)
    return list(found)


def _dataclasses_in(hint: object) -> Iterator[type]:
    if _is_dataclass(hint):
        assert isinstance(hint, type)
        yield hint
    for argument in typing.get_args(hint):
        yield from _dataclasses_in(argument)


def _constants(module: ModuleType) -> Iterator[str]:
    docs = field_docs(module)
    for name, value in vars(module).items():
        if name.isupper() and not name.startswith("_") and isinstance(value, (int, str)):
            yield f"{_comment(docs.get(('', name), ''), '')}export const {name} = {json.dumps(value)};"


def _interface(cls: type, docs: Mapping[tuple[str, str], str]) -> str:
    bases = [base for base in cls.__bases__ if _is_dataclass(base)]
    inherited = {entry.name for base in bases for entry in fields(base)}
    hints = typing.get_type_hints(cls)
    extends = f" extends {', '.join(base.__name__ for base in bases)}" if bases else ""
    lines = [f"{_comment(class_doc(cls), '')}export interface {cls.__name__}{extends} {{"]
    for entry in fields(cls):
        if entry.name not in inherited:
            doc = _comment(docs.get((cls.__name__, entry.name), ""), "  ")
            lines.append(f"{doc}  readonly {_member(cls, entry, hints[entry.name])};")
    return "\n".join([*lines, "}"])


def _member(cls: type, entry: Field[object], hint: object) -> str:
    """What a client sends may be left out where there is a default; what the server sends is always there."""
    defaults = entry.default is not MISSING or entry.default_factory is not MISSING
    if cls.__name__.endswith("Params") and defaults:
        return f"{entry.name}?: {type_name(hint)} | undefined"
    return f"{entry.name}: {type_name(hint)}"


def type_name(hint: object) -> str:
    """The type as TypeScript writes it.

    Raises:
        TypeError: JSON has nothing like it.
    """
    if isinstance(hint, typing.Hashable) and hint in PRIMITIVES:
        return PRIMITIVES[hint]
    if _is_dataclass(hint):
        assert isinstance(hint, type)
        return hint.__name__
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(type_name(argument) for argument in arguments)
    if origin is typing.Literal:
        return " | ".join(json.dumps(argument) for argument in arguments)
    if origin is list or (origin is tuple and arguments[1:] == (...,)):
        inner = type_name(arguments[0])
        return f"readonly ({inner})[]" if " | " in inner else f"readonly {inner}[]"
    if origin is tuple:
        return f"readonly [{', '.join(type_name(argument) for argument in arguments)}]"
    if isinstance(origin, type) and issubclass(origin, Mapping) and arguments[0] is str:
        return f"Readonly<Record<string, {type_name(arguments[1])}>>"
    raise TypeError(f"no TypeScript for {hint!r}")


def _comment(text: str, indent: str) -> str:
    """TSDoc, with the line break after it; empty without text."""
    if not text:
        return ""
    lines = text.replace("*/", "*\\/").split("\n")
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"
