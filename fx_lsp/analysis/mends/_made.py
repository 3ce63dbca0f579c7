"""Where a layer is made: its constructor, and what is written for each parameter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import calls
from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._parameters import PARAMETERS, called
from fx_lsp.analysis.mends._sizes import likely, multiples, possible
from fx_lsp.analysis.mends._statements import node_at
from fx_lsp.analysis.source import Source, parsed
from fx_lsp.model.failure import Attempt, Failure

MAX_PLACES = 3
"""Calls that may be the one that makes it."""
MAX_TEXTS = 3
"""Ways to write a size, before the number."""

Callers = tuple[tuple[Source, ast.expr], ...]
"""Expressions, each called by the next one."""


@dataclass(frozen=True)
class Made:
    """One call that makes it."""

    source: Source
    node: ast.Call
    parameters: tuple[str, ...]
    settings: Mapping[str, Any]
    """What the layer was made with."""
    callers: Callers = ()
    """The expressions that led to the layer, innermost first."""
    nearby: Mapping[str, int] = field(default_factory=lambda: dict[str, int]())
    """What expressions were that are written for other layers."""

    def argument(self, name: str) -> ast.expr | None:
        """What is written for a parameter."""
        named = next((one.value for one in self.node.keywords if one.arg == name), None)
        if named is not None or name not in self.parameters:
            return named
        place = self.parameters.index(name)
        plain = not any(isinstance(one, ast.Starred) for one in self.node.args[: place + 1])
        return self.node.args[place] if plain and place < len(self.node.args) else None

    def sized(self, name: str, size: int) -> Iterator[Edit]:
        """With another size for this parameter, here or where the class that makes it gets it from."""
        node = self.argument(name)
        last = node.elts[-1] if isinstance(node, ast.Tuple | ast.List) and node.elts else node
        if last is None:
            return
        known = {**self.nearby, **self.known}
        texts = [*likely(self.source, self.node, last, size, known), *self._possible(last, known)]
        texts += multiples(last, size, known)
        yield from (self._edit(name, last, text) for text in texts[:MAX_TEXTS])
        for made in self._above(last):
            yield from made.sized(name, size)
        yield self._edit(name, last, str(size))
        yield from (self._edit(name, last, text) for text in texts[MAX_TEXTS:])

    def changed(self, name: str, texts: dict[str, str]) -> Iterator[Edit]:
        """With other arguments, where all of them are written."""
        nodes = {one: self.argument(one) for one in texts}
        changes = [(self.source.span(node), texts[one]) for one, node in nodes.items() if node is not None]
        if len(changes) == len(texts):
            yield Edit(f"Change {name} of {_text.title(self._name)}", self.source.path, tuple(changes))

    def added(self, text: str) -> Iterator[Edit]:
        """With one more keyword."""
        given = [*self.node.args, *(one.value for one in self.node.keywords)]
        last = max(given, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0), default=None)
        if last is not None and not isinstance(last, ast.GeneratorExp):
            old = _text.written(self.source, last)
            title = f"Make {_text.title(self._name)} with {_text.title(text)}"
            yield Edit(title, self.source.path, _text.instead(self.source, last, f"{old}, {text}"))

    @property
    def _name(self) -> str:
        return _text.written(self.source, self.node.func)

    def _edit(self, name: str, node: ast.expr, text: str) -> Edit:
        title = f"Change {name} of {_text.title(self._name)} to {_text.title(text)}"
        return Edit(title, self.source.path, _text.instead(self.source, node, text))

    def _possible(self, node: ast.expr, known: Mapping[str, int]) -> list[str]:
        return list(possible(self.source, self.node, node, known))

    def beside(self, nearby: Mapping[str, int]) -> Made:
        """With what is known of other layers."""
        return replace(self, nearby=nearby)

    @property
    def known(self) -> dict[str, int]:
        """What the expressions that are written here were."""
        nodes = {name: self.argument(name) for name in self.settings}
        found = [(node, self.settings[name]) for name, node in nodes.items() if node is not None]
        return {ast.unparse(node): value for node, value in found if type(value) is int}

    def _above(self, node: ast.expr) -> Iterator[Made]:
        """The calls of the class that makes it, when what is written is a parameter of its constructor."""
        owner, function = around(self.source, self.node)
        if owner is None or function is None or not isinstance(node, ast.Name):
            return
        given = [one.arg for one in (*function.args.posonlyargs, *function.args.args)][1:]
        if node.id not in (*given, *(one.arg for one in function.args.kwonlyargs)):
            return
        for number, (source, caller) in enumerate(self.callers):
            if found := _makers_for(source, caller, owner.name):
                outer = self.callers[number + 1 :]
                for call in found[:MAX_PLACES]:
                    yield _Passed(source, call, tuple(given), {}, outer, passed=node.id)
                return


@dataclass(frozen=True)
class _Passed(Made):
    """A call of a class that passes one of its parameters on to the layer."""

    passed: str = ""

    def argument(self, name: str) -> ast.expr | None:
        return Made.argument(self, self.passed)

    def _edit(self, name: str, node: ast.expr, text: str) -> Edit:
        return Made._edit(self, self.passed, node, text)

    def _possible(self, node: ast.expr, known: Mapping[str, int]) -> list[str]:
        return Made._possible(self, node, known)[:1]

    @property
    def known(self) -> dict[str, int]:
        return {}


def made_for(failure: Failure, read: Callable[[str], str | None]) -> Iterator[Made]:
    """The places where the layer that failed may be made."""
    layer = failure.layer
    if layer is None:
        return
    spans = [span for span in (layer.built, failure.span, *reversed(failure.calls)) if span is not None]
    texts = {path: read(path) for path in dict.fromkeys(span.path for span in spans)}
    sources = {path: parsed(path, text) for path, text in texts.items() if text is not None}
    led = [(sources[span.path], node_at(sources[span.path], span)) for span in spans[1:] if span.path in sources]
    callers = tuple((source, node) for source, node in led if isinstance(node, ast.expr))
    parameters, settings = PARAMETERS.get(layer.target, ()), next(calls(failure)).settings
    for source, call in _places(list(sources.values()), layer, settings, callers)[:MAX_PLACES]:
        yield Made(source, call, parameters, settings, callers)


def _places(
    sources: list[Source], layer: Attempt, settings: Mapping[str, Any], callers: Callers
) -> list[tuple[Source, ast.Call]]:
    """Calls of its constructor: where its owner gets it, else those in the classes that led to it first."""
    for source in sources:
        node = node_at(source, layer.built) if layer.built is not None else None
        made = _makers(source, node, layer.target, settings) if isinstance(node, ast.expr) else []
        if made:
            return [(source, call) for call in made]
        if isinstance(node, ast.Name) and (found := _named(sources, node.id, layer.target)):
            return found
    leading = {id(around(source, node)[0]) for source, node in callers}
    found = [(source, call) for source in sources for call in _calls(source.tree, layer.target)]
    found = [(source, call) for source, call in found if _agrees(call, layer.target, settings)]
    return sorted(found, key=lambda one: id(around(*one)[0]) not in leading)


def _makers(source: Source, node: ast.expr, name: str, settings: Mapping[str, Any]) -> list[ast.Call]:
    """The call itself, one inside it, or one elsewhere in the class; else a call of what may pass all on."""
    if isinstance(node, ast.Call) and called(node) == name:
        return [node]
    owner, _ = around(source, node)
    for where in (node, owner):
        if found := [call for call in _calls(where, name) if _agrees(call, name, settings)]:
            return found
    return [node] if isinstance(node, ast.Call) and node.args else []


def _makers_for(source: Source, caller: ast.expr, name: str) -> list[ast.Call]:
    """Calls of a class in the class that called what it made; first those that are assigned to what was called."""
    owner, _ = around(source, caller)
    found = _calls(owner, name)
    attribute = getattr(getattr(caller, "func", None), "attr", "")
    own = [
        id(call)
        for statement in (ast.walk(owner) if owner is not None else ())
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "attr", "") == attribute
        for call in _calls(statement, name)
    ]
    return sorted(found or _calls(source.tree, name), key=lambda call: id(call) not in own)


def _named(sources: list[Source], name: str, target: str) -> list[tuple[Source, ast.Call]]:
    """Calls in what is assigned to a variable of this name."""
    return [
        (source, call)
        for source in sources
        for statement in (ast.walk(source.tree) if source.tree is not None else ())
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == name
        for call in _calls(statement.value, target)
    ]


def _agrees(call: ast.Call, name: str, settings: Mapping[str, Any]) -> bool:
    """Whether the layer may have been made with the numbers that are written."""
    given = {**dict(zip(PARAMETERS.get(name, ()), call.args, strict=False))}
    given.update({one.arg: one.value for one in call.keywords if one.arg is not None})
    numbers = {key: one.value for key, one in given.items() if isinstance(one, ast.Constant) and key in settings}
    return all(settings[key] in (value, (value,) * 1, (value,) * 2, (value,) * 3) for key, value in numbers.items())


def around(source: Source, node: ast.expr) -> tuple[ast.ClassDef | None, ast.FunctionDef | None]:
    """The innermost class with it, and the function of that class."""
    inside = [
        one
        for one in (ast.walk(source.tree) if source.tree is not None else ())
        if isinstance(one, ast.ClassDef | ast.FunctionDef) and one.lineno <= node.lineno <= (one.end_lineno or 0)
    ]
    owner = max((one for one in inside if isinstance(one, ast.ClassDef)), key=lambda one: one.lineno, default=None)
    functions = [one for one in inside if isinstance(one, ast.FunctionDef) and owner is not None and one in owner.body]
    return owner, functions[0] if functions else None


def _calls(where: ast.AST | None, name: str) -> list[ast.Call]:
    return [one for one in ast.walk(where) if isinstance(one, ast.Call) and called(one) == name] if where else []
