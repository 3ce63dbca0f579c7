"""Where a layer is made: its constructor, and what is written for each parameter."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from typing import Any

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes._call import numbers
from fx_lsp.analysis.examples._arguments import defaults
from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._bound import assigned, attribute
from fx_lsp.analysis.mends._classes import likely_makers
from fx_lsp.analysis.mends._fields import alike
from fx_lsp.analysis.mends._makers import Callers, around, makers_for
from fx_lsp.analysis.mends._numbers import rewritten
from fx_lsp.analysis.mends._reached import Files, none
from fx_lsp.analysis.mends._sizes import derived, likely, multiples, possible, replaced, terms
from fx_lsp.analysis.mends._sizes_grown import completed, expanded, few, larger
from fx_lsp.analysis.mends._sizes_passed import parameters
from fx_lsp.analysis.mends._statements import first_bound, innermost
from fx_lsp.analysis.source import Source, walk

MAX_PLACES = 3
"""Calls that may be the one that makes it."""
MAX_MORE = 16
"""That are added to a size."""
MAX_TEXTS = 3
"""Ways to write a size, before the number."""


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
    files: Files = none
    """Where the numbers may be written that it is made with."""

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
        helper = around(self.source, self.node)[0] is None  # what a function makes others make, too
        ways = zip_longest(*(made.sized(name, size) for made in self.above(last)))
        above = (edit for turn in ways for edit in turn if edit is not None)
        yield from above if helper else ()
        known = {**self.nearby, **self.known}
        old = self.settings.get(name)
        sure = [*parameters(self.source, last, size, self.files()), *alike(last, size, self.files())]
        sure += [*completed(self.source, last, old, size), *likely(self.source, self.node, last, size, known)]
        sure[1:1] = few(self.source, last, old, size)
        texts = [*sure, *self._possible(last, known), *dict.fromkeys(replaced(self.source, self.node, last))]
        times = [*multiples(last, size, known)]
        count = MAX_TEXTS - bool(times) if sure else 1
        first = [*texts[:count], *times[:1], *texts[count:]][:MAX_TEXTS]
        texts = [one for one in (*texts, *times) if one not in first]
        edits = (self._edit(name, last, text) for text in first)
        # What is passed is as likely as what is not known to have the size.
        yield from islice(edits, None if sure else 1)
        yield from islice(above, 0 if sure else 2)
        yield from edits
        yield from self._elsewhere(name, last, size)
        yield from above
        yield from self._default(name, last, str(size))
        yield from self._bound(name, last, size)
        yield self._edit(name, last, str(size))
        yield from (self._edit(name, last, text) for text in texts)

    def summed(self, name: str, size: int, spare: bool = False) -> Iterator[Edit]:
        """With something more for this parameter, here or where it is passed: what is known to be so much first.

        `spare`: only with what nothing uses.
        """
        node = self.argument(name)
        known = {**self.nearby, **self.known}
        old = known.get(ast.unparse(node)) if node is not None else None
        if node is None or old is None or not 0 < old < size:
            return
        texts = terms(self.source, self.node, node, size - old, known, spare)
        yield from (self._edit(name, node, text) for text in texts)
        for made in self.above(node):
            yield from made.summed(name, size, spare)

    def carried(self, name: str) -> Iterator[Edit]:
        """With another size that an attribute carries on, which this parameter is given here or where it is passed."""
        node = self.argument(name)
        if node is not None:
            yield from self._carried(node)
            for made in self.above(node):
                yield from made.carried(name)

    def started(self, name: str, size: int) -> Iterator[Edit]:
        """With so much more for the variable that this parameter is given, here or where it is passed."""
        node = self.argument(name)
        if node is not None:
            yield from (edit for edit in self._bound(name, node, size) if " + " in edit.title)
            for made in self.above(node):
                yield from made.started(name, size)

    def numbered(self, name: str, size: int) -> Iterator[Edit]:
        """With another number for this parameter, where it is written: here, where it is passed, or as a default."""
        node = self.argument(name)
        if node is None:
            return
        for made in self.above(node):
            yield from made.numbered(name, size)
        yield from self._default(name, node, str(size))
        yield from self._elsewhere(name, node, size)
        yield self._edit(name, node, str(size))

    def swapped(self, name: str, size: int) -> Iterator[Edit]:
        """With what is written for this parameter and for one beside it in each other's place, here or above."""
        node = self.argument(name)
        if node is None:
            return
        place = next((number for number, one in enumerate(self.node.args) if one is node), None)
        for other in (place - 1, place + 1) if place is not None else ():
            beside = self.node.args[other] if 0 <= other < len(self.node.args) else None
            if beside is None or isinstance(beside, ast.Starred) or not self._may_be(other, size):
                continue
            texts = [_text.written(self.source, one) for one in (node, beside)]
            spans = [self.source.span(one) for one in (node, beside)]
            title = f"Swap {' and '.join(map(_text.title, texts))} of {_text.title(self._name)}"
            yield Edit(title, self.source.path, tuple(zip(spans, reversed(texts), strict=True)))
        for part in walk(node):
            for made in self.above(part) if isinstance(part, ast.Name) else ():
                yield from made.swapped(name, size)

    def _may_be(self, place: int, size: int) -> bool:
        """Whether what is written at this place may have the size; of a layer its settings tell."""
        return place < len(self.parameters) and self.settings.get(self.parameters[place]) == size

    def changed(self, name: str, texts: dict[str, str]) -> Iterator[Edit]:
        """With other arguments, where all of them are written."""
        nodes = {one: self.argument(one) for one in texts}
        changes = [(self.source.span(node), texts[one]) for one, node in nodes.items() if node is not None]
        if len(changes) == len(texts):
            new = texts[name] if list(texts) == [name] else ", ".join(f"{one}={text}" for one, text in texts.items())
            title = f"Change {name} of {_text.title(self._name)} to {_text.title(new)}"
            yield Edit(title, self.source.path, tuple(changes))

    def added(self, text: str) -> Iterator[Edit]:
        """With one more keyword."""
        changes = _text.added(self.source, self.node, text) if self.node.args or self.node.keywords else None
        if changes is not None:
            title = f"Make {_text.title(self._name)} with {_text.title(text)}"
            yield Edit(title, self.source.path, changes)

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
        found = [(node, numbers(self.settings[name])) for name, node in nodes.items() if node is not None]
        return {ast.unparse(node): values[0] for node, values in found if values and len(values) == 1}

    def _bound(self, name: str, node: ast.expr, size: int) -> Iterator[Edit]:
        """With what a variable starts with, where the size is a variable: a number, or so many more."""
        owner, function = around(self.source, self.node)
        if owner is not None and (held := attribute(node)) is not None and isinstance(node, ast.Attribute):
            yield from self._held(owner, node, held)
        old = self.known.get(ast.unparse(node), self.settings.get(name))
        if function is None or not isinstance(node, ast.Name) or type(old) is not int:
            return
        value = first_bound(function, node)
        if value is None or isinstance(value, ast.Call):
            return
        more, start = size - old, _text.alone(self.source, value)
        texts = [str(size)] if isinstance(value, ast.Constant) else []
        texts += completed(self.source, value, old, size)
        if not isinstance(value, ast.Constant) and 0 < old < size and size % old == 0:
            texts.append(f"{size // old} * {start}")
        if not isinstance(value, ast.Constant) and 0 < more <= MAX_MORE:
            texts.append(f"{_text.written(self.source, value)} + {more}")
        for text in texts:
            title = f"Start `{node.id}` with {_text.title(text)}"
            yield Edit(title, self.source.path, _text.instead(self.source, value, text))

    def _held(self, owner: ast.ClassDef, node: ast.Attribute, name: str) -> Iterator[Edit]:
        """With another field of what an attribute starts with a field of."""
        fields = [one for one in walk(owner) if isinstance(one, ast.Subscript | ast.Attribute)]
        for value in assigned(self.source, node, name)[:1]:
            if not isinstance(value, ast.Subscript | ast.Attribute):
                continue
            alike = [one for one in fields if ast.unparse(one.value) == ast.unparse(value.value)]
            for text in dict.fromkeys(ast.unparse(one) for one in alike if type(one) is type(value)):
                title = f"Start `{ast.unparse(node)}` with {_text.title(text)}"
                yield Edit(title, self.source.path, _text.instead(self.source, value, text))

    def _carried(self, node: ast.expr) -> Iterator[Edit]:
        """With the size that a layer beside it makes, where an attribute is set for what is made after it."""
        name, function = attribute(node), innermost(self.source, self.node)
        for value in assigned(self.source, node, name) if name is not None else ():
            own = innermost(self.source, value) is function and value.lineno > node.lineno
            for text in (*larger(self.source, value), *expanded(self.source, value, self.files)) if own else ():
                title = f"Set `{ast.unparse(node)}` to {_text.title(text)}, line {value.lineno}"
                yield Edit(title, self.source.path, _text.instead(self.source, value, text))

    def _elsewhere(self, name: str, node: ast.expr, size: int) -> Iterator[Edit]:
        """With another number where what is written gets its value from."""
        old = numbers(self.settings.get(name, self.known.get(ast.unparse(node))))
        if old and size > 0 and not isinstance(node, ast.Constant):
            yield from rewritten(self.source, node, old[-1], size, self.files())

    def _default(self, name: str, node: ast.expr, text: str) -> Iterator[Edit]:
        """With another default of the parameter of the constructor that is written here."""
        _, function = around(self.source, self.node)
        if function is None or not isinstance(node, ast.Name):
            return
        value = defaults(function).get(node.id)
        if isinstance(value, ast.Constant) and type(value.value) is int:
            title = f"Change the default of `{node.id}` to {_text.title(text)}"
            yield Edit(title, self.source.path, _text.instead(self.source, value, text))

    def above(self, node: ast.expr) -> Iterator[Made]:
        """The calls of the class or function that makes it, when what is written is a parameter of it."""
        owner, function = around(self.source, self.node)
        if owner is None:
            function = innermost(self.source, self.node)
        if function is None or not isinstance(node, ast.Name):
            return
        given = [one.arg for one in (*function.args.posonlyargs, *function.args.args)][owner is not None :]
        if node.id not in (*given, *(one.arg for one in function.args.kwonlyargs)):
            return
        # What is called in the class itself says nothing of which of its modules it was.
        led = [one for one in enumerate(self.callers) if around(*one[1])[0] is not owner] or [*enumerate(self.callers)]
        for number, (source, caller) in led:
            found = makers_for(source, caller, owner.name if owner is not None else function.name)
            if found := likely_makers(source, caller, found, self.files):
                outer = self.callers[number + 1 :]
                value = self.known.get(node.id)
                for call in found[:MAX_PLACES]:
                    made = _Passed(source, call, tuple(given), {}, outer, passed=node.id, value=value)
                    yield replace(made, files=self.files)
                return


@dataclass(frozen=True)
class _Passed(Made):
    """A call of a class that passes one of its parameters on to the layer."""

    passed: str = ""
    value: int | None = None
    """What it was, of the layer that failed."""

    def argument(self, name: str) -> ast.expr | None:
        return Made.argument(self, self.passed)

    def _edit(self, name: str, node: ast.expr, text: str) -> Edit:
        return Made._edit(self, self.passed, node, text)

    def _may_be(self, place: int, size: int) -> bool:
        return True

    def _possible(self, node: ast.expr, known: Mapping[str, int]) -> list[str]:
        return Made._possible(self, node, known)[:2]

    @property
    def known(self) -> dict[str, int]:
        node = self.argument(self.passed)
        return derived(node, self.value) if node is not None and self.value is not None else {}
