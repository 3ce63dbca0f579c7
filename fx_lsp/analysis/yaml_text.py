"""YAML that a stranger wrote: read within bounds of size and depth, and never with another error than ours."""

from __future__ import annotations

import re
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

Value = object
"""Dictionaries, lists, strings, numbers, booleans and None."""

MAX_TEXT = 64_000
"""Characters of a configuration that somebody wrote."""
MAX_DEPTH = 40

_WORDS = re.compile("^(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$")


class NotYaml(ValueError):
    """The text is no YAML, or more of it than values: anchors, tags, dates, several documents."""


def read_yaml(text: str) -> Value:
    """The value that is written.

    Raises:
        NotYaml: it cannot be told.
    """
    if len(text) > MAX_TEXT:
        raise NotYaml("too long")
    try:
        _look_through(text)
        value = cast(Value, _reader().load(text))
    except (YAMLError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise NotYaml(str(error)) from None
    return _plain(value)


def _reader() -> Any:  # the library is annotated in part only
    reader: Any = YAML(typ="safe", pure=True)
    # As PyYAML reads it, but for `y` and `n`.  What belongs to a version is there once it was asked for.
    _ = reader.resolver.versioned_resolver
    reader.resolver.add_version_implicit_resolver((1, 2), "tag:yaml.org,2002:bool", _WORDS, list("yYnNoO"))
    reader.allow_duplicate_keys = True
    return reader


def _look_through(text: str) -> None:
    """Raises NotYaml for what is not to be built: it may be far larger than its text, or run code."""
    depth = 0
    event: Any
    for event in _reader().parse(text):
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None):
            raise NotYaml("it has anchors")
        if getattr(event, "tag", None) is not None:
            raise NotYaml("it has tags")
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise NotYaml("nested too deep")


def _plain(value: Value) -> Value:
    """Raises NotYaml when a date or the like is in it."""
    if isinstance(value, dict):
        members = cast("dict[object, object]", value)
        return {_plain(key): _plain(member) for key, member in members.items()}
    if isinstance(value, list):
        return [_plain(member) for member in cast("list[object]", value)]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise NotYaml(f"a {type(value).__name__}")
