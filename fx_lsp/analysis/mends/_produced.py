"""Which layer made a tensor: followed back through assignments, and through what leaves its features as they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from fx_lsp.analysis.mends._bound import (
    assigned,
    attribute,
    bindings,
    classes,
    entries,
    last_bound,
    layer_called,
    listed,
    loop_over,
    mapped,
    of_file,
    passed_as,
    subject,
)
from fx_lsp.analysis.mends._classes import base_name, constructors, defined, earlier, held, is_made, taken_apart
from fx_lsp.analysis.mends._cut import cut_off, is_cut, is_none
from fx_lsp.analysis.mends._makers import Callers, around
from fx_lsp.analysis.mends._origin import FILLED, KEEPING, OUTPUTS, PARAMETER, TURNS, Origin
from fx_lsp.analysis.mends._parameters import (
    PARAMETERS,
    called,
    layer_of,
    parameters_of,
    passed,
    passed_on,
    passed_to,
)
from fx_lsp.analysis.mends._reached import Files, none
from fx_lsp.analysis.mends._statements import innermost, loop_of
from fx_lsp.analysis.source import Source, walk

MAX_STEPS = 12
"""From an expression to one that it comes from."""


@dataclass(frozen=True)
class Place:
    """A file, and what led there."""

    source: Source
    callers: Callers = ()
    steps: int = MAX_STEPS
    seen: set[int] = field(default_factory=lambda: set[int]())
    """Expressions that were followed: both sides of many sums come from the same ones."""
    files: Files = none
    """Others in which classes may be."""

    def origins(self, node: ast.expr) -> Iterator[Origin]:
        """The layers that may have made what the expression is, the nearest first."""
        if self.steps == 0 or id(node) in self.seen:
            return
        self.seen.add(id(node))
        on = replace(self, steps=self.steps - 1)
        if isinstance(node, ast.Name):
            yield from on._bound(node)
        elif isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            yield from on.origins(node.left)
            yield from on.origins(node.right)
        elif isinstance(node, ast.UnaryOp):
            yield from on.origins(node.operand)
        elif isinstance(node, ast.IfExp):
            yield from on.origins(node.body)
            yield from on.origins(node.orelse)
        elif isinstance(node, ast.Tuple | ast.List):
            for one in node.elts:
                yield from on.origins(one)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant | ast.UnaryOp | ast.Name):
            yield from on.origins(node.value) if isinstance(node.value, ast.Name) else ()
        elif isinstance(node, ast.Subscript) and is_cut(node.slice):
            found = on.origins(node.value)
            grown = any(map(is_none, walk(node.slice)))
            for one in found:
                yield replace(one, turned=one.turned or grown, less=one.less + cut_off(node.slice, one))
        elif isinstance(node, ast.Attribute) and node.attr in TURNS:
            yield from (replace(one, turned=True) for one in on.origins(node.value))
        elif isinstance(node, ast.Attribute) and node.attr == "data":
            yield from on.origins(node.value)
        elif isinstance(node, ast.Attribute) and node.attr in ("weight", "bias") and ast.unparse(node.value) != "self":
            # `self.head[-1].bias` is as long as what that layer makes.
            for where, made, led in held(self.source, node.value, self.files):
                yield from replace(on, source=where, callers=(*led, *self.callers)).built(made)
        elif isinstance(node, ast.Attribute) and (name := attribute(node)) is not None:
            for made in assigned(self.source, node, name):
                yield from on._parameter(made)
        elif isinstance(node, ast.Call):
            yield from on._called(node)

    def _parameter(self, node: ast.expr) -> Iterator[Origin]:
        """`nn.Parameter(torch.zeros(4, 8))`."""
        if isinstance(node, ast.IfExp):
            yield from self._parameter(node.body)
        if isinstance(node, ast.Call) and called(node) in ("ParameterList", "ParameterDict"):
            for entry in entries(node):
                yield from self._parameter(entry)
        if isinstance(node, ast.Call) and called(node) in FILLED:
            yield self._filled(node)
        function = innermost(self.source, node) if isinstance(node, ast.Name) else None
        bound = last_bound(function, node) if function is not None and isinstance(node, ast.Name) else None
        inner = node.args[0] if isinstance(node, ast.Call) and called(node) == PARAMETER and node.args else bound
        if isinstance(inner, ast.Name):
            function = innermost(self.source, inner)
            inner = last_bound(function, inner) if function is not None else None
        # `0.02 * torch.randn(4, 8)`, `torch.zeros(4, 8).normal_()`.
        inside = walk(inner) if isinstance(inner, ast.BinOp | ast.Call) else ()
        filled = next((one for one in inside if isinstance(one, ast.Call) and called(one) in FILLED), None)
        yield from [self._filled(filled)] if filled is not None else []

    def _filled(self, node: ast.Call) -> Origin:
        """`torch.zeros(4, 8)`."""
        sizes = tuple(f"size {dim}" for dim in range(len(node.args)))
        return Origin(self.source, node, PARAMETER, sizes, self.callers)

    def _called(self, node: ast.Call) -> Iterator[Origin]:
        layer = layer_called(self.source, node.func)
        values = taken_apart(self.source, node.func, held(self.source, node.func, self.files))
        # `self.state.expand(…)` calls a method of what the class has, and no layer.
        if layer is not None and (values or called(node) not in KEEPING | TURNS):
            led = ((self.source, node), *self.callers)
            places = [(replace(self, source=where, callers=(*above, *led)), made) for where, made, above in values]
            found = [one for place, made in places for one in place.built(made)]
            yield from found
            if not found and node.args:
                yield from self.origins(node.args[0])
            return
        owner = around(self.source, node)[0] if isinstance(node.func, ast.Name) and node.func.id == "self" else None
        if owner is not None and self.steps:
            led = replace(self, callers=((self.source, node), *self.callers))
            yield from led._returned(owner)
            return
        if isinstance(node.func, ast.Name) and (models := [*self._models(node.func)]):
            for place, made in models:
                yield from replace(place, callers=((self.source, node), *self.callers)).built(made)
            return
        name, first = called(node), subject(self.source, node)
        if name in FILLED and node.args and not isinstance(node.args[0], ast.Tuple | ast.List | ast.Starred):
            yield self._filled(node)
            return
        counted = [one for one in node.args if one is not first][:1] if name in ("chunk", "tensor_split") else []
        parts = counted[0] if counted else None
        if first is not None and isinstance(parts, ast.Constant) and type(parts.value) is int and parts.value > 0:
            yield from (replace(one, parts=one.parts * parts.value) for one in self.origins(first))
        if first is not None and name == "glu":
            yield from (replace(one, parts=2 * one.parts) for one in self.origins(first))
        if first is not None and name in KEEPING | TURNS:
            found = self.origins(first)
            yield from (replace(one, turned=one.turned or name in TURNS) for one in found)

    def _bound(self, name: ast.Name) -> Iterator[Origin]:
        """By its last assignment before; else by what the function is given."""
        function = innermost(self.source, name)
        if function is None:
            for place, value in self._given(name):
                yield from place.origins(value)
            return
        around = loop_of(self.source, name)
        for later in bindings(around, name.id) if around is not None else ():
            yield from self.origins(later[1])  # in the round before
        value = last_bound(function, name)
        if value is not None:
            yield from self.origins(value)
            for _, entry in listed(self.source, name) if isinstance(value, ast.List) else ():
                yield from self.origins(entry)
            return
        over = loop_over(function, name)
        for one in over.elts if isinstance(over, ast.Tuple | ast.List) else [over]:
            for made in assigned(self.source, one, listed_as) if one and (listed_as := attribute(one)) else ():
                yield from self._parameter(made)
        for one in mapped(self.source, name):
            yield from self.origins(one)
        yield from self._earlier(function)
        for place, bound in self._given(name):
            yield from place.origins(bound)

    def _earlier(self, function: ast.FunctionDef) -> Iterator[Origin]:
        """Of an entry of a sequence, which is given what the entries before it make."""
        owner, led = around(self.source, function)[0], self.callers[:1]
        for source, call in led if owner is not None else ():
            for made in constructors(source, call, owner.name) if owner is not None else ():
                yield from before(replace(self, source=source, callers=self.callers[1:]), made)

    def _given(self, name: ast.Name) -> Iterator[tuple[Place, ast.expr]]:
        """What is passed for a parameter, or what a variable of the whole file was bound to last."""
        function = innermost(self.source, name)
        every = [*walk(function.args)] if function is not None else []
        if function is None or all(one.arg != name.id for one in every if isinstance(one, ast.arg)):
            yield from ((self, value) for value in of_file(self.source, name))
            return
        given = [one.arg for one in function.args.args]
        given = given[1:] if given[:1] in (["self"], ["cls"]) else given
        led = self.callers[is_made(self.source, function, self.callers) :]
        source, call = led[0] if led else (self.source, None)
        if name.id in given and isinstance(call, ast.Call):
            value = passed(call, given).get(name.id)
            if value is not None:
                yield replace(self, source=source, callers=led[1:]), value

    def _constructed(self, name: ast.Name) -> Iterator[tuple[Place, ast.expr]]:
        """What the constructor is given for a parameter of it: `PreNorm(dim, Attention(dim))`."""
        owner, function = around(self.source, name)
        if owner is None or function is None or function.name != "__init__":
            return
        for number, (source, call) in enumerate(self.callers):
            if isinstance(call, ast.Call) and called(call) == owner.name:
                value = passed(call, passed_to(function)).get(name.id)
                if value is not None:
                    yield replace(self, source=source, callers=self.callers[number + 1 :]), value
                return

    def _models(self, name: ast.Name) -> Iterator[tuple[Place, ast.expr]]:
        """What a variable with a model is made by: `model = Net(8)`, here or where a function is given it."""
        function = innermost(self.source, name)
        value = last_bound(function, name) if function is not None else None
        for place, made in [(self, value)] if value is not None else self._given(name):
            if isinstance(made, ast.Name) and self.steps:
                yield from replace(place, steps=self.steps - 1)._models(made)
            elif isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
                for source in (place.source, *self.files()):
                    if any(one.name == made.func.id for one in classes(source)):
                        yield replace(place, source=source), made
                        break

    def built(self, node: ast.expr) -> Iterator[Origin]:
        """The layers by which an expression that makes a layer ends, the last one first."""
        if isinstance(node, ast.IfExp):
            yield from self.built(node.body)
            yield from self.built(node.orelse)
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            yield from self.built(node.elt)
        if isinstance(node, ast.Name) and self.steps:
            led = replace(self, steps=self.steps - 1)
            given = [*led._constructed(node)]
            made = (
                [value for _, value in listed(self.source, node) or passed_as(self.source, node)] if not given else []
            )
            yield from (origin for place, value in given for origin in place.built(value))
            yield from led.last(made)
        if not isinstance(node, ast.Call) or self.steps == 0:
            return
        parameters = parameters_of(self.source, node)
        if OUTPUTS & set(parameters):
            yield Origin(self.source, node, layer_of(self.source, node), parameters, self.callers)
            return
        name, led = called(node), replace(self, steps=self.steps - 1, callers=((self.source, node), *self.callers))
        there = defined(name, self.source, self.files)
        if there is not None:
            yield from replace(led, source=there[0])._returned(there[1])
            return
        for source in (self.source, *self.files()) if isinstance(node.func, ast.Name) else ():
            functions = source.tree.body if source.tree is not None else []
            for function in (one for one in functions if isinstance(one, ast.FunctionDef) and one.name == name):
                for one in walk(function):
                    inside = one.value if isinstance(one, ast.Return) else None
                    yield from replace(led, source=source).built(inside) if inside is not None else ()
        yield from self.last(entries(node))

    def last(self, given: Sequence[ast.expr]) -> Iterator[Origin]:
        """Those of the last entry that has any."""
        for entry in reversed(given):
            if found := [*self.built(entry)]:
                yield from found
                return

    def _returned(self, owner: ast.ClassDef) -> Iterator[Origin]:
        """What the class's `forward` returns; that of a class without one is made by its entries."""
        functions = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        base = next((one for one in map(base_name, owner.bases) if OUTPUTS & {*PARAMETERS.get(one, ())}), "")
        for call in walk(functions["__init__"]) if base and "__init__" in functions else ():
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "__init__" and self.callers:
                source, made = self.callers[0]
                names = passed_on(functions["__init__"], call, PARAMETERS[base])[1:]
                yield from [Origin(source, made, base, names, self.callers[1:])] if isinstance(made, ast.Call) else []
        if base:
            return
        if "forward" in functions:
            returns = [one.value for one in walk(functions["forward"]) if isinstance(one, ast.Return)]
            for value in returns:
                yield from self.origins(value) if value is not None else ()
        elif "__init__" in functions:
            calls = [one for one in walk(functions["__init__"]) if isinstance(one, ast.Call)]
            for call in calls:
                if getattr(call.func, "attr", "") == "__init__":
                    yield from self.last(entries(call))


def before(place: Place, node: ast.expr) -> Iterator[Origin]:
    """The layers by which the entries end that stand before this one in its sequence, the last one first."""
    for given in earlier(place.source, node):
        yield from place.last(given)
