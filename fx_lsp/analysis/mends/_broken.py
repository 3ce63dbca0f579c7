"""A call that fails or is warned of, with what is written for each of its operands."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes import explained
from fx_lsp.analysis.causes._call import Call
from fx_lsp.analysis.mends import _text
from fx_lsp.analysis.mends._bound import assigned, attribute, last_bound, twins, varied
from fx_lsp.analysis.mends._failed import made_for
from fx_lsp.analysis.mends._made import Made
from fx_lsp.analysis.mends._makers import Callers, around
from fx_lsp.analysis.mends._origin import Origin
from fx_lsp.analysis.mends._parameters import called, passed_to
from fx_lsp.analysis.mends._produced import Place
from fx_lsp.analysis.mends._reached import Files, none, reached
from fx_lsp.analysis.mends._seen import Seen
from fx_lsp.analysis.mends._statements import before, innermost, loop_of, node_at
from fx_lsp.analysis.source import Source, parsed, walk
from fx_lsp.model.failure import JOINED, Attempt, Failure


@dataclass(frozen=True)
class Part:
    """An expression that ran, with what is written for its operands."""

    node: ast.expr | ast.stmt
    target: str
    """Of the operation; empty where none was seen."""
    written: Mapping[str, ast.expr]


@dataclass(frozen=True)
class Broken:
    """What a mend is given."""

    cause: str
    """Id of the cause, or of the rule that warns."""
    call: Call
    node: ast.expr | ast.stmt
    """The expression; the statement where it is an assignment with an operator."""
    source: Source
    written: Mapping[str, ast.expr] = field(default_factory=lambda: dict[str, ast.expr]())
    """What is written for each operand, by its number or keyword."""
    made: tuple[Made, ...] = ()
    """Where the layer is made, the most likely place first."""
    callers: Callers = ()
    """The expressions that led to its function, innermost first."""
    related: tuple[Part, ...] = ()
    """What a warning points to besides."""
    output: tuple[int, ...] | None = None
    """Sizes of the tensor that came of what is warned of."""
    given: tuple[str, ...] = ()
    """Parameters of its function that were tensors."""
    files: Files = none
    """Where the numbers may be written that the sizes come from."""
    seen: Seen = field(default_factory=Seen)
    """What the run showed before it failed."""

    @property
    def places(self) -> tuple[tuple[Source, ast.expr | ast.stmt], ...]:
        """The expression, and those that led to its function, innermost first."""
        return ((self.source, self.node), *self.callers)

    @property
    def sources(self) -> Iterable[Source]:
        """Each file once: those of these, then the others that are known."""
        return {source.path: source for source in (*(source for source, _ in self.places), *self.files())}.values()

    @property
    def owners(self) -> list[tuple[Source, ast.ClassDef]]:
        """The classes around these."""
        return [(source, owner) for source, node in self.places if (owner := around(source, node)[0]) is not None]

    @property
    def classes(self) -> Iterable[tuple[Source, ast.ClassDef]]:
        """Each once: those around, then the others of their files."""
        others = [(source, owner) for source, _ in self.places for owner in source.every(ast.ClassDef)]
        return {id(owner): (source, owner) for source, owner in (*self.owners, *others)}.values()

    def place(self, number: int, *names: str) -> ast.expr | None:
        """What is written for an operand, found as `Call.operand` finds its value; None where nothing can be added."""
        node = next((self.written[name] for name in names if name in self.written), self.written.get(str(number)))
        store = isinstance(getattr(node, "ctx", None), ast.Store)
        return None if store or isinstance(node, ast.Starred) else node

    def after(self, node: ast.expr | None, suffixes: Iterable[str]) -> Iterator[Edit]:
        """Each suffix after an operand."""
        if node is None:
            return
        only = isinstance(self.node, ast.Call) and self.node.args == [node] and not self.node.keywords
        place = before(self.source, self.node, node.id) if isinstance(node, ast.Name) else None
        for suffix in suffixes:
            shown = _text.title(_text.alone(self.source, node) + suffix)
            yield Edit(f"Use {shown}", self.source.path, _text.after(self.source, node, suffix, only))
            if isinstance(node, ast.Name) and place is not None:
                names = twins(self.source, node)
                both = f"{', '.join(names)} = {', '.join(f'{name}{suffix}' for name in names)}"
                there = before(self.source, self.node, node.id, *names) if len(names) > 1 else None
                yield from [self.inserted(there, both)] if there is not None else []
                yield self.inserted(place, f"{node.id} = {node.id}{suffix}")
            if isinstance(node, ast.Name):
                yield from self._passed(node.id, suffix)
            elif (name := varied(self.source, node)) and (place := before(self.source, self.node, name)) is not None:
                yield self.inserted(place, f"{name} = {name}{suffix}")
            first = node.args[0] if isinstance(node, ast.Call) and called(node) == "pad" and node.args else None
            yield from self._passed(first.id, suffix) if isinstance(first, ast.Name) else ()
            yield from self._bound(varied(self.source, node), suffix)
            yield from self._held(node, suffix)

    def _held(self, node: ast.expr, suffix: str) -> Iterator[Edit]:
        """The suffix where an attribute gets what it is, as the model runs."""
        name = attribute(node) if isinstance(node, ast.Attribute) else None
        for value in assigned(self.source, node, name) if name is not None else ():
            function = innermost(self.source, value)
            if function is not None and function.name != "__init__" and isinstance(value, ast.Call):
                shown = _text.title(_text.alone(self.source, value) + suffix)
                yield Edit(f"Use {shown}", self.source.path, _text.after(self.source, value, suffix))

    def making(self, origin: Origin, known: Mapping[str, int] | None = None) -> Made:
        """Where the layer is made that an operand comes from; what is `known` of it by the names of its parameters."""
        return Made(origin.source, origin.node, origin.parameters, known or {}, origin.callers, files=self.files)

    def origins(self, node: ast.expr) -> Iterator[Origin]:
        """The layers that may have made what an expression of its file is, the nearest first."""
        return Place(self.source, self.callers, files=self.files).origins(node)

    def origin(self, node: ast.expr | None) -> tuple[Source, ast.expr | None]:
        """What a name was bound to last, here or by the call of this function; anything else as it is."""
        function = innermost(self.source, self.node)
        if not isinstance(node, ast.Name) or function is None:
            return self.source, node
        bound = last_bound(function, node)
        given = passed_to(function)
        source, call = self.callers[0] if self.callers else (self.source, None)
        if bound is not None or node.id not in given or not isinstance(call, ast.Call):
            return self.source, bound
        named = next((one.value for one in call.keywords if one.arg == node.id), None)
        place = given.index(node.id)
        return source, named or (call.args[place] if place < len(call.args) else None)

    def _bound(self, name: str, suffix: str) -> Iterator[Edit]:
        """The suffix where a variable is bound last in a branch: what it is otherwise stays as it is."""
        function = innermost(self.source, self.node)
        branches = [one for one in (walk(function) if function is not None else ()) if isinstance(one, ast.If)]
        inside = [part for one in branches for part in one.body if isinstance(part, ast.Assign)]
        own = [one for one in inside if one.lineno < self.node.lineno and len(one.targets) == 1
               and isinstance(one.targets[0], ast.Name) and one.targets[0].id == name]  # fmt: skip
        if own:
            value = max(own, key=lambda one: one.lineno).value
            shown = _text.title(_text.alone(self.source, value) + suffix)
            yield Edit(f"Use {shown}", self.source.path, _text.after(self.source, value, suffix))

    def _passed(self, name: str, suffix: str) -> Iterator[Edit]:
        """The suffix where a parameter is passed."""
        function = innermost(self.source, self.node)
        given = passed_to(function) if function is not None else []
        source, call = self.callers[0] if self.callers else (self.source, None)
        if not isinstance(call, ast.Call) or name not in given:
            return
        named = next((one.value for one in call.keywords if one.arg == name), None)
        place = given.index(name)
        node = named if named is not None else call.args[place] if place < len(call.args) else None
        if node is not None and not isinstance(node, ast.Starred):
            only = call.args == [node] and not call.keywords
            shown = _text.title(_text.alone(source, node) + suffix)
            yield Edit(f"Pass {shown}", source.path, _text.after(source, node, suffix, only))
            if isinstance(node, ast.Name):
                text = f"{node.id} = {node.id}{suffix}"
                place = loop_of(source, node) or before(source, call, node.id)
                if place is not None:
                    yield Edit(f"Insert {_text.title(text)}", source.path, _text.before(source, place, text))

    def instead(self, node: ast.expr | ast.stmt | None, texts: Iterable[str]) -> Iterator[Edit]:
        """Each text in place of what is written."""
        for text in texts if node is not None else ():
            if node is not None:
                yield Edit(f"Use {_text.title(text)}", self.source.path, _text.instead(self.source, node, text))

    def inserted(self, statement: ast.stmt, text: str) -> Edit:
        """A statement before another one."""
        return Edit(f"Insert {_text.title(text)}", self.source.path, _text.before(self.source, statement, text))

    def sized(self, name: str, size: int) -> Iterator[Edit]:
        """The layer made with another size."""
        for made in self.made if size > 0 else ():
            yield from made.sized(name, size)

    def text(self, node: ast.expr) -> str:
        """As it is written."""
        return _text.written(self.source, node)

    def alone(self, node: ast.expr) -> str:
        """As it is written, to call a method on."""
        return _text.alone(self.source, node)


def is_torch(node: ast.expr) -> bool:
    """Whether it is a module of torch as everybody writes it: some of its functions call a method of the same name."""
    return ast.unparse(node) in ("torch", "F", "nn.functional", "torch.nn.functional")


def broken(
    failure: Failure, read: Callable[[str], str | None], also: Sequence[str] = (), seen: Seen | None = None
) -> Broken | None:
    """What failed, where it is known why, and the text is at hand; `also` are files from which it was run."""
    found = explained(failure)
    text = read(failure.span.path) if failure.span is not None else None
    if found is None or failure.span is None or text is None:
        return None
    source = parsed(failure.span.path, text)
    node = node_at(source, failure.span)
    if node is None:
        return None
    written = _written(node, failure.layer, failure.operation, found.call)
    built = failure.layer.built if failure.layer is not None else None
    spans = [one for one in (failure.span, built, *reversed(failure.calls)) if one is not None]
    files = cache(lambda: reached([*(one.path for one in spans), *also], read))
    made, callers = tuple(made_for(failure, read, files)), tuple(_callers(failure, read))
    seen = seen if seen is not None else Seen()
    return Broken(found.code, found.call, node, source, written, made, callers, files=files, seen=seen)


def _callers(failure: Failure, read: Callable[[str], str | None]) -> Iterator[tuple[Source, ast.expr]]:
    for span in reversed(failure.calls):
        text = read(span.path)
        source = parsed(span.path, text) if text is not None else None
        node = node_at(source, span) if source is not None else None
        if source is None or not isinstance(node, ast.expr):
            return
        # `q, k = (f(x) for x in (q, k))` takes apart what is gone through there: nothing is called.
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            yield source, node


def _written(
    node: ast.expr | ast.stmt, layer: Attempt | None, operation: Attempt | None, call: Call
) -> dict[str, ast.expr]:
    """Of the layer or of the function; nothing for a layer inside another one, whose input is not written anywhere."""
    if layer is None:
        return operands(node, operation.target) if operation is not None else {}
    if not isinstance(node, ast.Call) or not _gets_it(ast.unparse(node.func), layer.called):
        return {}
    if call.settings:
        return operands(node, layer.target)
    # What the layer is given is the first thing that the function in it is given.
    given, passed = layer.arguments[:1], operation.arguments[:1] if operation is not None else ()
    same = bool(given and passed and given[0].value == passed[0].value)
    return {key: one for key, one in operands(node, layer.target).items() if key == "0"} if same else {}


def _gets_it(called: str, layer: str) -> bool:
    """Whether what is called gives its input to the layer as it is: it is the layer, or a sequence that starts so."""
    return not layer.startswith((f"{called}[", f"{called}.")) or not layer[len(called) :].replace("[0]", "")


def operands(node: ast.expr | ast.stmt, target: str) -> dict[str, ast.expr]:
    """By number and keyword, as the worker counts them."""
    name = target.rpartition(".")[2]
    if isinstance(node, ast.BinOp | ast.AugAssign):
        left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        sides = (right, left) if name.startswith("__r") else (left, right)
        return {str(number): side for number, side in enumerate(sides)}
    if isinstance(node, ast.Compare):
        return {str(number): side for number, side in enumerate((node.left, *node.comparators))}
    if name == "attribute" and isinstance(node, ast.Attribute):
        return {"0": node.value}
    if isinstance(node, ast.Subscript):
        return {"0": node.value, "1": node.slice}
    if not isinstance(node, ast.Call):
        return {}
    if name == JOINED and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
        return {str(number): one for number, one in enumerate(node.args[0].elts)}
    given = [*node.args]
    if target.startswith("torch.Tensor.") and isinstance(node.func, ast.Attribute) and not is_torch(node.func.value):
        given.insert(0, node.func.value)
    plain = takewhile(lambda one: not isinstance(one, ast.Starred), given)
    named = {one.arg: one.value for one in node.keywords if one.arg is not None}
    return {**{str(number): one for number, one in enumerate(plain)}, **named}
