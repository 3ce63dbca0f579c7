"""Modules that stand in for an argument of which more is asked than that it gives back what it is given."""

from __future__ import annotations

import ast
import re
import typing
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference import modules
from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.corrections import Place
from fx_lsp.worker.inference.fillings import of_attribute
from fx_lsp.worker.inference.live import parsed, source_text
from fx_lsp.worker.inference.meaning import OTHERS, argument
from fx_lsp.worker.inference.modules import PART
from fx_lsp.worker.inference.names import Names, text_of
from fx_lsp.worker.inference.options import Option
from fx_lsp.worker.inference.signatures import parameters_of
from fx_lsp.worker.inference.tested import tested

GIVEN = "(*a, *k.values())[0]"
"""What such a module is given first, whatever that is called."""
MAX_FITTING = 2
"""Modules of the workspace that are tried for one that does nothing, before what an error says of that."""
MAX_PLACES = 8
"""Results in a tuple."""
_OTHER_INPUTS = re.compile(r"\bIdentity\.forward\(\) (takes|got)")
_TOO_MANY = re.compile(r"\bIdentity\.forward\(\) takes \d+ positional arguments? but (\d+) were given")
_OF_TABLES = frozenset({"items", "keys", "get"})


def taking(first: str, result: str) -> str:
    """A method that gives this, called with anything of which the first has this name, or none that is known."""
    return (
        f"lambda self, {first}, *a, **k: {result.replace(GIVEN, first)}" if first else f"lambda self, *a, **k: {result}"
    )


def standing_in(cls: type, name: str) -> str:
    """A module for the argument that gives what this class reads of its results, several or by key, and that has the
    methods that are called of it; empty where any module does."""
    kept = modules.kept_as(cls, name)
    methods: Dict[str, _Results] = {}
    for function in _functions(cls) if kept else ():
        for call in (one for one in ast.walk(function) if isinstance(one, ast.Call)):
            method = _method(call.func, kept)
            if hasattr(torch.distributions.Distribution, method):  # `log_prob`
                return ""
            if method and (method == "forward" or not hasattr(nn.Module, method)):
                methods.setdefault(method, _Results(cls)).add(function, call)
    plain = [method for method, one in methods.items() if one.text() == GIVEN and not one.by_name]
    made = [(method, one) for method, one in methods.items() if method != "forward" or method not in plain]
    parts = [f"{method!r}: {taking(one.first, one.text())}" for method, one in made]
    read = modules.attributes_read(cls, name) if parts else []
    parts += [f"{one!r}: {of_attribute(one, text_of(cls))}" for one in read if one not in methods]
    each = ", ".join(parts)
    return f"type({PART!r}, (nn.Identity,), {{{each}}})()" if each else ""


def with_stand_in(
    cls: type, name: str, options: List[Option], fitting: Callable[[str], Iterator[Option]]
) -> List[Option]:
    """What may be given for the argument: where more is asked of it, modules of the workspace that are `fitting`, and
    then one that stands in, come before one that does nothing and before what may be given for any name."""
    usual = ("", "nn.Identity()")
    at = options.index(usual) if usual in options else len(options)
    at = min(at, len(options) - len(OTHERS)) if argument(name) is OTHERS else at
    made = standing_in(cls, name) if at < len(options) else ""
    return [*options[:at], *fitting(name), ("", made), *options[at:]] if made else options


def in_its_place(
    cls: type,
    names: Names,
    instances: Callable[[type], Iterator[Option]],
    attempt: Attempt,
    argument_now: Tuple[str, str],
    place: Place,
) -> Iterator[Option]:
    """Modules of the workspace, built by `instances`, that do what is asked of an argument, given its name and what it
    is now; else one of which more can be asked."""
    name, text = argument_now
    for wanted in tested(name, attempt, place):
        yield from instances(wanted)
    if "has no attribute" in attempt.message:
        yield from (("", layer) for layer in modules.layers(cls, name))
        yield from (("", layer) for layer in modules.instead_of(text, attempt.message))
        if named := modules.called_like(name, names):
            yield from (one for other in named for one in instances(other))
            return
    if _OTHER_INPUTS.search(attempt.message) and text.startswith(f"type({PART!r}") and "'forward'" not in text:
        yield "", modules.with_attribute(text, "forward", taking("x", "x"))
    if text.startswith("[nn.Identity()") and (match := _TOO_MANY.search(attempt.message)):
        for other in modules.taking(int(match[1]) - 1, cls, names):
            yield from ((setup, f"[{made}, {made}]") for setup, made in instances(other))
    if text.startswith(("nn.Identity", "lambda")) or "has no attribute" in attempt.message:
        for other in [*modules.fitting(cls, name, names), *modules.last(cls, names)]:
            yield from instances(other)


def _functions(cls: type) -> List[ast.stmt]:
    """Of a class, `forward` first."""
    forward = source_text(getattr(cls, "forward", None))
    found = [*parsed(forward), *parsed(text_of(cls))]
    return [one for one in found if isinstance(one, ast.FunctionDef) and one.name != "__init__"]


def _method(called: ast.expr, kept: Sequence[str]) -> str:
    """What is called of `self.name`, of one of these names; empty where it is none of them."""
    if _is_kept(called, kept):
        return "forward"
    return called.attr if isinstance(called, ast.Attribute) and _is_kept(called.value, kept) else ""


def _is_kept(node: ast.expr, kept: Sequence[str]) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in kept and getattr(node.value, "id", "") == "self"


class _Results:
    """What the calls of one method give, by how it is read."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.first = "x"
        """What to call the first thing that is given."""
        self.by_name = False
        """Whether all that is given is given by its name, of which `nn.Identity()` knows none."""
        self._several, self._tensor = "", False
        self._keys: Dict[Any, str] = {}
        self._attributes: Dict[str, str] = {}
        self._above: Dict[ast.AST, ast.AST] = {}

    def add(self, function: ast.stmt, call: ast.Call) -> None:
        """One more call, in this function."""
        self.first = self.first if call.args else next((one.arg for one in call.keywords if one.arg), "")
        self.by_name |= bool(self.first) and not call.args
        self._above = {below: node for node in ast.walk(function) for below in ast.iter_child_nodes(node)}
        self._read(call)
        above = self._above.get(call)
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
            made, end = above.targets[0].id, call.end_lineno or call.lineno
            for one in ast.walk(function):
                if isinstance(one, ast.Name) and one.id == made and one.lineno > end:
                    self._read(one)

    def text(self) -> str:
        """All that is read of one of them, as an expression."""
        keys = f"{{{', '.join(f'{key!r}: {part}' for key, part in self._keys.items())}}}"
        if self._attributes and self._keys:
            held = ", ".join(f"{name!r}: {part}" for name, part in self._attributes.items())
            return f"type('Results', (dict,), {{{held}}})({keys})"
        if self._attributes:
            return f"types.SimpleNamespace({', '.join(f'{name}={part}' for name, part in self._attributes.items())})"
        places = [key for key in self._keys if type(key) is int]
        if len(places) < len(self._keys):
            return keys
        count = max([0, *(max(2, key + 1 if key >= 0 else -key) for key in places)])
        listed = f"({GIVEN},) * {count}" if 0 < count <= MAX_PLACES and not self._tensor else GIVEN
        return self._several or listed

    def _read(self, value: ast.expr) -> None:
        above = self._above.get(value)
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Tuple):
            self._several = self._several or _spread(above.targets[0])
        elif isinstance(above, ast.Subscript) and above.value is value:
            if (key := self._key(above.slice)) is not None:
                self._keys.setdefault(key, self._part(above))
        elif isinstance(above, ast.Attribute):
            called = self._above.get(above)
            if above.attr in _OF_TABLES and isinstance(called, ast.Call):
                got = [one.value for one in called.args[:1] if isinstance(one, ast.Constant)]
                self._keys.update(dict.fromkeys(got or ["a", "b"] if not self._keys or got else [], GIVEN))
            elif hasattr(torch.Tensor, above.attr):
                self._tensor = True
            else:
                self._attributes.setdefault(above.attr, self._part(above))

    def _part(self, node: ast.expr) -> str:
        """What stands under a key: several where one of them is taken."""
        above = self._above.get(node)
        one = isinstance(above, ast.Subscript) and above.value is node and type(self._key(above.slice)) is int
        return f"({GIVEN},) * 4" if one else GIVEN

    def _key(self, node: ast.expr) -> Optional[Any]:
        """What is looked up: a text, a place, or a text that the constructor is given."""
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError):
            return self._given(node.attr) if isinstance(node, ast.Attribute) else None
        return value if type(value) in (str, int) else None

    def _given(self, attribute: str) -> Optional[str]:
        """The text that is given for the argument that is kept as this, where it is one."""
        parameters, hints = parameters_of(self.cls)
        for name in (one for one in parameters if attribute in modules.kept_as(self.cls, one)):
            texts = [ast.literal_eval(text) for text in argument(name) if text.startswith("'")]
            hint = hints.get(name)
            if str in (hint, *typing.get_args(hint)[:1]):
                return texts[0] if texts else "default"
            return texts[0] if texts and argument(name)[0].startswith("'") and hint is None else None
        return None


def _spread(target: ast.expr) -> str:
    """As many as are bound."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return GIVEN
    return f"({', '.join(map(_spread, target.elts))}{',' if len(target.elts) == 1 else ''})"
