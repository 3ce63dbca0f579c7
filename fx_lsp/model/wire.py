"""Frozen dataclasses as JSON in frames.  Decoding checks everything; bad data raises `WireError` and nothing else.

A frame is four bytes of length, the most significant first, and so many bytes.  The first frame of a worker follows
`MARKER`: whatever runs at every start of Python may have printed before it.
"""

from __future__ import annotations

import dataclasses
import json
import math
import struct
import sys
from typing import Any, Callable, Dict, List, Tuple, Type, Union, cast, get_args, get_origin, get_type_hints

from fx_lsp.model import example, failure, messages, sandbox, trace, value
from fx_lsp.model.span import Span

MARKER = b"\0fx-lsp\0"
MAX_NOISE = 64 << 10
"""Bytes before the marker."""

MAX_DEPTH = 64
"""Nesting of a decoded value; ours stays under 20."""

Raiser = Callable[[Any, int], Any]
"""Makes a value of JSON data, given how deep it lies.  Raises WireError."""

_LENGTH = struct.Struct("!I")
HEADER = _LENGTH.size
"""Bytes of a length."""


class WireError(ValueError):
    """This is not one of our messages."""


def frame(body: bytes) -> bytes:
    """The body with its length before it."""
    return _LENGTH.pack(len(body)) + body


def length(header: bytes, limit: int) -> int:
    """Bytes of the body that follows.

    Raises:
        WireError: more than `limit`.
    """
    (size,) = _LENGTH.unpack(header)
    if size > limit:
        raise WireError(f"a frame of {size} bytes, where {limit} are allowed")
    return size


def encode(message: Any) -> bytes:
    """The JSON of a message, in ASCII."""
    return json.dumps(_lower(message), separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def decode(body: bytes) -> Any:
    """The message in the body of a frame.

    Raises:
        WireError: not JSON, unknown kind, missing, unknown or ill-typed field, nested too deep.
    """
    try:
        data = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise WireError("not an object")
    return _raiser(_class_of(cast("Dict[str, Any]", data)))(data, 0)


def _lower(item: Any) -> Any:
    if isinstance(item, (str, int, float, type(None))):
        return item
    if isinstance(item, tuple):
        return [_lower(part) for part in cast("Tuple[Any, ...]", item)]
    names = _names(cast("Type[Any]", type(item)))
    lowered = {name: _lower(getattr(item, name)) for name in names}
    tag = getattr(item, "kind", None)
    return {"kind": tag, **lowered} if tag else lowered


def _raiser(expected: Any) -> Raiser:
    """What makes a value of such a type; worked out once for each, since a reply has thousands."""
    if expected not in _raisers:
        _raisers[expected] = _made(expected)
    return _raisers[expected]


def _made(expected: Any) -> Raiser:
    if dataclasses.is_dataclass(expected):
        return _Object(expected)
    if get_origin(expected) is Union:
        return _Union(get_args(expected))
    if get_origin(expected) is tuple:
        return _Tuple(get_args(expected)[0])
    return _Plain(expected)


class _Plain:
    def __init__(self, expected: Any) -> None:
        self._expected = expected

    def __call__(self, data: Any, depth: int) -> Any:
        if type(data) is self._expected:
            return data if self._expected is not float else _number(data)
        if self._expected is float and type(data) is int:
            return _number(data)
        raise WireError(f"expected {self._expected}, got {type(data).__name__}")


class _Tuple:
    def __init__(self, part: Any) -> None:
        self._part = part

    def __call__(self, data: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise WireError("nested too deep")
        if not isinstance(data, list):
            raise WireError(f"expected a list, got {type(data).__name__}")
        part = _raiser(self._part)
        return tuple([part(item, depth + 1) for item in cast("List[Any]", data)])


def _number(data: Union[int, float]) -> float:
    try:
        number = float(data)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise WireError("a number out of range")
    return number


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


class _Union:
    def __init__(self, options: Tuple[Any, ...]) -> None:
        self._options = options

    def __call__(self, data: Any, depth: int) -> Any:
        if data is None and type(None) in self._options:
            return None
        if isinstance(data, dict):
            found = _class_of(cast("Dict[str, Any]", data)) if "kind" in data else Span
            if found in self._options:
                return _raiser(found)(data, depth)
        elif type(data) in self._options and data is not None:
            return data
        raise WireError(f"no option fits {type(cast(Any, data)).__name__}")


class _Object:
    def __init__(self, cls: Any) -> None:
        self._cls = cls
        self._parts: Dict[str, Raiser] = {}

    def __call__(self, data: Any, depth: int) -> Any:
        cls = self._cls
        if depth > MAX_DEPTH:
            raise WireError("nested too deep")
        if not isinstance(data, dict):
            raise WireError(f"expected {cls.__name__}")
        parts = self._parts = self._parts or {name: _raiser(hint) for name, hint in _hints(cls).items()}
        fields = dict(cast("Dict[str, Any]", data))
        if fields.pop("kind", None) != getattr(cls, "kind", None) or not fields.keys() <= parts.keys():
            raise WireError(f"not a {cls.__name__}")
        try:
            return cls(**{key: parts[key](item, depth + 1) for key, item in fields.items()})
        except TypeError as error:
            raise WireError(str(error)) from None


def _class_of(data: Dict[str, Any]) -> Any:
    kind = data.get("kind")
    return _CLASSES.get(kind) if isinstance(kind, str) else None


_CLASSES: Dict[str, Type[Any]] = {
    cast(Any, cls).kind: cls
    for module in (value, trace, failure, sandbox, example, messages)
    for cls in vars(module).values()
    if dataclasses.is_dataclass(cls) and isinstance(cls, type) and hasattr(cls, "kind")
}

_raisers: Dict[Any, Raiser] = {}
_cached_hints: Dict[type, Dict[str, Any]] = {}


def _hints(cls: type) -> Dict[str, Any]:
    if cls not in _cached_hints:
        scope = {**vars(value), **vars(sys.modules[cls.__module__])}
        hints = get_type_hints(cls, scope)
        _cached_hints[cls] = {field.name: hints[field.name] for field in dataclasses.fields(cls)}
    return _cached_hints[cls]


def _names(cls: type) -> Tuple[str, ...]:
    return tuple(_hints(cls))
