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

from fx_lsp.model import costs, example, failure, messages, sandbox, trace, value
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
    return json.dumps(_Lowering().lower(message), separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode(
        "ascii"
    )


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


class _Lowering:
    """Makes JSON data of a message, of each of its parts once: a reply has few types and places, each many times.
    A field that has its default is left out."""

    def __init__(self) -> None:
        self._known: Dict[int, Any] = {}

    def lower(self, item: Any) -> Any:
        if isinstance(item, tuple):
            return [part if type(part) in _ATOMS else self.lower(part) for part in cast("Tuple[Any, ...]", item)]
        if isinstance(item, (str, int, float, type(None))):
            return item
        known = self._known.get(id(item))
        if known is None:
            cls = cast("Type[Any]", type(item))
            tag = getattr(cls, "kind", None)
            known = self._known[id(item)] = {"kind": tag} if tag else {}
            for name, default in _defaults(cls):
                part = getattr(item, name)
                if part is default or (type(part) is type(default) and part == default):
                    continue
                known[name] = part if type(part) in _ATOMS else self.lower(part)
        return known


_ATOMS = frozenset({str, int, float, bool, type(None)})


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
        self._part, self._raiser = part, cast("Raiser", None)

    def __call__(self, data: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise WireError("nested too deep")
        if not isinstance(data, list):
            raise WireError(f"expected a list, got {type(data).__name__}")
        part = self._raiser = self._raiser or _raiser(self._part)  # not before: types may hold themselves
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
        self._cls, self._kind = cls, getattr(cls, "kind", None)
        self._parts: Dict[str, Tuple[Any, Raiser]] = {}

    def __call__(self, data: Any, depth: int) -> Any:
        cls = self._cls
        if depth > MAX_DEPTH:
            raise WireError("nested too deep")
        if not isinstance(data, dict):
            raise WireError(f"expected {cls.__name__}")
        parts = self._parts = self._parts or {name: (hint, _raiser(hint)) for name, hint in _hints(cls).items()}
        fields: Dict[str, Any] = {}
        given = cast("Dict[str, Any]", data)
        if given.get("kind") != self._kind:
            raise WireError(f"not a {cls.__name__}")
        for key, item in given.items():
            if key in parts:
                expected, part = parts[key]
                fields[key] = item if type(item) is expected is not float else part(item, depth + 1)
            elif key != "kind":
                raise WireError(f"not a {cls.__name__}")
        try:
            return cls(**fields)
        except TypeError as error:
            raise WireError(str(error)) from None


def _class_of(data: Dict[str, Any]) -> Any:
    kind = data.get("kind")
    return _CLASSES.get(kind) if isinstance(kind, str) else None


_CLASSES: Dict[str, Type[Any]] = {
    cast(Any, cls).kind: cls
    for module in (value, trace, failure, sandbox, example, costs, messages)
    for cls in vars(module).values()
    if dataclasses.is_dataclass(cls) and isinstance(cls, type) and hasattr(cls, "kind")
}

_raisers: Dict[Any, Raiser] = {}
_cached_hints: Dict[type, Dict[str, Any]] = {}
_cached_defaults: Dict[type, Tuple[Tuple[str, Any], ...]] = {}


def _hints(cls: type) -> Dict[str, Any]:
    if cls not in _cached_hints:
        scope = {**vars(value), **vars(sys.modules[cls.__module__])}
        hints = get_type_hints(cls, scope)
        _cached_hints[cls] = {field.name: hints[field.name] for field in dataclasses.fields(cls)}
    return _cached_hints[cls]


def _defaults(cls: type) -> Tuple[Tuple[str, Any], ...]:
    """Each field, and its default or `MISSING`."""
    if cls not in _cached_defaults:
        _cached_defaults[cls] = tuple((field.name, field.default) for field in dataclasses.fields(cls))
    return _cached_defaults[cls]
