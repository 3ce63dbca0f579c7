"""Where a number is written that a size comes from: in a configuration, a list, a default, a call further up.

HPARAMS = dict(width=32)
self.fc = nn.Linear(hp["width"], 4)  # hp is HPARAMS
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._bound import attribute, looped
from fx_lsp.analysis.mends._classes import held
from fx_lsp.analysis.mends._fields import bound, fields, whole
from fx_lsp.analysis.mends._makers import around
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._statements import innermost
from fx_lsp.analysis.source import Source, walk

MAX_STEPS = 12
"""From an expression to one that it gets its value from."""
MAX_FOUND = 3
"""Places for one size."""
Number = tuple[Source, ast.Constant, int, str]
"""What is written, what is to be written there, and what it is called."""
Value = tuple[Source, str, ast.expr]
"""What an expression gets its value from, in its file, with the name that it has there."""


def rewritten(source: Source, node: ast.expr, old: int, new: int, files: Sequence[Source] = ()) -> Iterator[Edit]:
    """Each number elsewhere, also in other files, that makes the expression, which is `old`, be `new`."""
    found = {id(number[1]): number for number in Follow(source, tuple(files)).numbers(node, old, new)}
    for where, one, value, name in islice(found.values(), MAX_FOUND):
        if one is not node:
            title = f"Change `{name}` to {_text.title(str(value))}" if name else f"Use {_text.title(str(value))}"
            yield Edit(f"{title}, line {one.lineno}", where.path, _text.instead(where, one, str(value)))
            yield from _scaled(where, one, value)


def _scaled(source: Source, number: ast.Constant, new: int) -> Iterator[Edit]:
    """All numbers of its list by the same factor: widths of stages."""
    for several in (*source.every(ast.List), *source.every(ast.Tuple)):
        values = [one.value for one in several.elts if isinstance(one, ast.Constant) and type(one.value) is int]
        old = number.value
        if (
            not any(one is number for one in several.elts)
            or len(values) < len(several.elts)
            or type(old) is not int
            or not old
        ):
            continue
        if len({*values}) > 1 and all(value * new % old == 0 for value in values):
            text = ", ".join(str(value * new // old) for value in values)
            ends = ("[", "]") if isinstance(several, ast.List) else ("(", ")")
            yield Edit(f"Use {ends[0]}{text}{ends[1]}, line {several.lineno}", source.path,
                       _text.instead(source, several, f"{ends[0]}{text}{ends[1]}"))  # fmt: skip


@dataclass(frozen=True)
class Follow:
    """From an expression of one file to what it gets its value from."""

    source: Source
    files: tuple[Source, ...] = ()
    """Others in which that may be written."""
    steps: int = MAX_STEPS
    seen: set[int] = field(default_factory=lambda: set[int]())
    name: str = ""

    def numbers(self, node: ast.expr, old: int, new: int) -> Iterator[Number]:
        if isinstance(node, ast.Constant):
            if type(node.value) is int and node.value == old and new > 0:
                yield self.source, node, new, self.name
            return
        if isinstance(node, ast.BinOp):
            yield from self._computed(node, old, new)
            return
        if isinstance(node, ast.Subscript):
            yield from self._beside(node, new)
        if isinstance(node, ast.Name):
            yield from self._multiplied(node, old, new)
        for source, name, value in self._values(node):
            on = replace(self, source=source, steps=self.steps - 1, name=name or self.name)
            yield from on.numbers(value, old, new)

    def _beside(self, node: ast.Subscript, new: int) -> Iterator[Number]:
        """The place of another entry that is so much: `cfg[-1][1]` for `cfg[-1][0]`."""
        key, entries = node.slice, [one for *_, one in replace(self, seen=set[int]())._items(node.value, None)]
        same = [place for place, one in enumerate(entries) if isinstance(one, ast.Constant) and one.value == new]
        if isinstance(key, ast.Constant) and type(key.value) is int and key.value not in same:
            yield from ((self.source, key, place, "") for place in same[:1])

    def _multiplied(self, name: ast.Name, old: int, new: int) -> Iterator[Number]:
        """A variable that is changed by a factor: `channels *= 2`."""
        function = innermost(self.source, name)
        for one in walk(function) if function is not None else ():
            factor = one.value if isinstance(one, ast.AugAssign) and getattr(one.target, "id", "") == name.id else None
            value = factor.value if isinstance(factor, ast.Constant) else None
            if isinstance(one, ast.AugAssign) and isinstance(factor, ast.Constant) and type(value) is int and old:
                more = value * new if isinstance(one.op, ast.Mult) else value * old
                whole = old if isinstance(one.op, ast.Mult) else new
                if isinstance(one.op, ast.Mult | ast.FloorDiv) and whole and more % whole == 0 and more // whole > 0:
                    yield self.source, factor, more // whole, name.id

    def _computed(self, node: ast.BinOp, old: int, new: int) -> Iterator[Number]:
        """By what one side has to be, where it is known what the other one is, or only what is more or less."""
        for side, left in ((node.left, True), (node.right, False)):
            number = side.value if isinstance(side, ast.Constant) and type(side.value) is int else None
            if number is None or not isinstance(side, ast.Constant):
                continue
            changed = number
            if isinstance(node.op, ast.Add):
                changed = number + new - old
            elif isinstance(node.op, ast.Sub):
                changed = number + (new - old if left else old - new)
            elif isinstance(node.op, ast.Mult) and old and number * new % old == 0:
                changed = number * new // old
            elif isinstance(node.op, ast.FloorDiv) and not left and new and number * old % new == 0:
                changed = number * old // new
            if changed > 0 and changed != number:
                yield self.source, side, changed, self.name
        for side, other, left in ((node.left, node.right, True), (node.right, node.left, False)):
            known = {value for value in self.known(other) if value > 0}
            sizes = known if len(known) == 1 else self._summed(node, other, side, known, old)
            for size in sizes:
                if isinstance(node.op, ast.Mult) and old % size == 0 and new % size == 0:
                    yield from self.numbers(side, old // size, new // size)
                elif isinstance(node.op, ast.Add):
                    yield from self.numbers(side, old - size, new - size)
                elif isinstance(node.op, ast.Sub) and left:
                    yield from self.numbers(side, old + size, new + size)
                elif isinstance(node.op, ast.FloorDiv) and left:
                    yield from self.numbers(side, old * size, new * size)

    def _summed(self, node: ast.BinOp, other: ast.expr, side: ast.expr, known: set[int], old: int) -> list[int]:
        """Of several that one side of a sum may be, those with which the other side may be what is left."""
        there = {*self.known(side)} if isinstance(node.op, ast.Add) and len(known) > 1 else set[int]()
        return [size for size in sorted(known) if old - size in there]

    def known(self, node: ast.expr) -> Iterator[int]:
        """What the expression may be."""
        queue = [(replace(self, seen=set[int]()), node)]
        while queue:
            on, one = queue.pop(0)
            if isinstance(one, ast.Constant):
                yield from [one.value] if type(one.value) is int else []
            elif not isinstance(one, ast.BinOp):
                queue += [
                    (replace(on, source=source, steps=on.steps - 1), value) for source, _, value in on._values(one)
                ]

    def passed(self, name: ast.Name) -> Iterator[tuple[Source, ast.expr]]:
        """What is passed for a parameter, then for the parameter that it is there, and so on."""
        for source, _, value in self._values(name):
            if innermost(source, value) is not innermost(self.source, name) or source is not self.source:
                yield source, value
            if isinstance(value, ast.Name):
                yield from replace(self, source=source, steps=self.steps - 1).passed(value)

    def flags(self, node: ast.expr) -> Iterator[tuple[Source, ast.Constant, str]]:
        """What is written for something that is true or false."""
        for source, name, value in self._values(node):
            if isinstance(value, ast.Constant) and isinstance(value.value, bool):
                yield source, value, name
            elif not isinstance(value, ast.Constant):
                yield from replace(self, source=source, steps=self.steps - 1).flags(value)

    def _values(self, node: ast.expr) -> Iterator[Value]:
        """What it is bound to, passed as, or a part of, with its name."""
        if self.steps <= 0 or id(node) in self.seen:
            return
        self.seen.add(id(node))
        if isinstance(node, ast.IfExp):
            yield from ((self.source, "", one) for one in (node.body, node.orelse))
        elif isinstance(node, ast.Name):
            yield from self._named(node)
        elif isinstance(node, ast.Attribute):
            # `self.front.width` is what the class of `self.front` sets.
            own = held(self.source, node, lambda: self.files) if attribute(node) is not None else []
            yield from ((source, node.attr, one) for source, one, _ in own)
            yield from () if own else self._fields(node.attr)
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Tuple):
            key = _plain(node.slice)
            if isinstance(key, str):
                yield from self._fields(key)
            else:
                yield from self._items(node.value, key if isinstance(key, int) else None)

    def _fields(self, name: str) -> Iterator[Value]:
        """Fields of this name in this file, then in the others."""
        for source in (self.source, *(one for one in self.files if one.path != self.source.path)):
            yield from ((source, name, one) for one in fields(source, name))

    def _named(self, name: ast.Name) -> Iterator[Value]:
        function = innermost(self.source, name)
        where = function if function is not None else self.source.tree
        for one in walk(where) if where is not None else ():
            if isinstance(one, ast.For | ast.comprehension):
                names = [part.id for part in walk(one.target) if isinstance(part, ast.Name)]
                if name.id in names:
                    over = looped(one.target, one.iter, name.id)
                    yield from self._entries(over, one.target if over is one.iter else name, name.id)
            elif isinstance(one, ast.Assign):
                yield from ((self.source, name.id, value) for value in bound(one, name.id))
        if function is not None and (given := _parameter(function, name.id)) is not None:
            yield from self._passed(function, *given)
        elif function is not None or name.id not in self.source.bindings:
            yield from ((self.source, name.id, value) for value in whole(self.source, name.id))
            imported = {part.asname or part.name: part.name for one in self.source.every(ast.ImportFrom)
                        for part in one.names}.get(name.id)  # fmt: skip
            for other in self.files if imported is not None else ():
                yield from ((other, name.id, value) for value in whole(other, imported or ""))

    def _passed(self, function: ast.FunctionDef, place: int, default: ast.expr | None) -> Iterator[Value]:
        """A parameter: what each call gives, else the default."""
        owner, method = around(self.source, function)
        given = [one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
        name, first = given[place], owner is not None and method is function
        makes = owner.name if owner is not None and first and function.name == "__init__" else function.name
        files = (self.source, *(one for one in self.files if one.path != self.source.path))
        for source, call in ((one, call) for one in files for call in one.every(ast.Call)):
            if called(call) == makes:
                number = place - first
                plain = not any(isinstance(one, ast.Starred) for one in call.args[: number + 1])
                named = next((one.value for one in call.keywords if one.arg == name), None)
                value = named or (call.args[number] if plain and 0 <= number < len(call.args) else None)
                yield from [(source, name, value)] if value is not None else []
        yield from [(self.source, name, default)] if default is not None else []

    def _entries(self, held: ast.expr, target: ast.expr, name: str) -> Iterator[Value]:
        """What a name of a loop is in each round: its part of an entry where the entry has several."""
        parts = target.elts if isinstance(target, ast.Tuple) else []
        place = next((number for number, one in enumerate(parts) if isinstance(one, ast.Name) and one.id == name), None)
        for source, label, entry in self._items(held, None):
            inner = entry.elts if isinstance(entry, ast.Tuple | ast.List) else []
            yield source, label, inner[place] if place is not None and len(inner) == len(parts) else entry

    def _items(self, node: ast.expr, number: int | None) -> Iterator[Value]:
        """One entry of a list, or all."""
        if isinstance(node, ast.List | ast.Tuple):
            several = any(isinstance(one, ast.Starred) for one in node.elts)
            for one in node.elts if number is None or several else node.elts[number:][:1]:
                yield from self._items(one.value, None) if isinstance(one, ast.Starred) else [(self.source, "", one)]
        elif isinstance(node, ast.BinOp):
            for side in (node.left, node.right):
                yield from self._items(side, None)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            yield from self._items(node.value, None)
        elif isinstance(node, ast.Call) and called(node) in ("reversed", "list", "tuple", "sorted") and node.args:
            yield from self._items(node.args[0], None)
        elif isinstance(node, ast.ListComp):
            yield self.source, "", node.elt
        elif self.steps > 0:
            for source, name, value in self._values(node):
                on = replace(self, source=source, steps=self.steps - 1)
                yield from ((where, name, one) for where, _, one in on._items(value, number))


def _parameter(function: ast.FunctionDef, name: str) -> tuple[int, ast.expr | None] | None:
    """Its place, and its default."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    values = [*[None] * (len(plain) - len(arguments.defaults)), *arguments.defaults, *arguments.kw_defaults]
    for number, one in enumerate([*plain, *arguments.kwonlyargs]):
        if one.arg == name:
            return number, values[number]
    return None


def _plain(node: ast.expr) -> object:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int) else None
    return node.value if isinstance(node, ast.Constant) else None
