"""What a `forward` does first with each of its parameters, read from its source and the modules of a live instance."""

from __future__ import annotations

import ast
import inspect
from typing import Any, Dict, List, Optional, Set, Tuple, Union

import torch
from torch import nn

from fx_lsp.worker.inference.classes import Classes
from fx_lsp.worker.inference.held import gone_through
from fx_lsp.worker.inference.keyed import asked_for_their_class
from fx_lsp.worker.inference.live import integer, is_own, keeps_shape, parameter_names, source
from fx_lsp.worker.inference.wants import WEIGHTED, Want, of_pattern, of_state, of_torch

MAX_DEPTH = 6
"""Modules within modules that are looked into."""
MAX_PARTS = 4
"""Tensors in a tuple."""


def wants(instance: nn.Module, method: str = "forward") -> Dict[str, Want]:
    """Per parameter of a method of the instance, what the code does first with it."""
    return _Reader().method(instance, method, 0)


def wanted_by(module: nn.Module, depth: int = 0) -> Want:
    """What a module takes as its first input."""
    return _Reader().module(module, depth)


class _Reader:
    def method(self, instance: nn.Module, name: str, depth: int) -> Dict[str, Want]:
        function = source(getattr(type(instance), name))
        if function is None or depth > MAX_DEPTH:
            return {}
        code = inspect.unwrap(getattr(type(instance), name))
        walk = _Walk(self, instance, getattr(code, "__globals__", {}), parameter_names(function), depth)
        walk.told_apart = asked_for_their_class(function)
        walk.read.update(
            one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
        )
        for statement in function.body:
            walk.statement(statement)
        return walk.found

    def module(self, module: nn.Module, depth: int) -> Want:
        """What a module takes as its first input."""
        want = of_torch(module)
        if want is not None:
            return want
        if isinstance(module, nn.Sequential):
            found = Want()
            for child in module:
                found.add(self.module(child, depth + 1))
                if not keeps_shape(child):
                    break
            return found
        pattern = getattr(module, "pattern", None)
        if isinstance(pattern, str) and "->" in pattern:  # a layer of einops
            return of_pattern(pattern.split("->")[0], getattr(module, "axes_lengths", {}))
        if isinstance(module, (nn.ModuleList, nn.ModuleDict)) or type(module).__module__.startswith("torch."):
            return Want()
        found_here = self.method(module, "forward", depth + 1)
        return next(iter(found_here.values()), Want())


class _Walk(Classes):
    """Goes through the body of a function in the order of its text."""

    def __init__(self, reader: _Reader, instance: Any, globals_: Dict[str, Any], names: List[str], depth: int) -> None:
        self.reader, self.depth, self.globals = reader, depth, globals_
        self.found = {name: Want() for name in names}
        self.lists: Dict[str, nn.ModuleList] = {}
        """Of names that hold one after the other, what holds them all."""
        self.told_apart: Set[str] = set()
        """Parameters that may be of one class or of another."""
        self.counted: Set[str] = set()
        """Numbers of the rounds of loops."""
        super().__init__(instance, names)

    def statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Return)) and not isinstance(statement, ast.Return):
            return
        if isinstance(statement, ast.For):
            self.expression(statement.iter)
            self._loop(statement.target, statement.iter)
            self._body(statement.body)
            return
        if isinstance(statement, (ast.If, ast.While)):
            self.expression(statement.test)
            self._body([*statement.body, *statement.orelse])
            return
        if isinstance(statement, ast.With):
            self._body(statement.body)
            return
        for value in ast.iter_child_nodes(statement):
            if isinstance(value, ast.expr) and not isinstance(getattr(value, "ctx", None), ast.Store):
                self.expression(value)
        for held, want in self.classified(statement):
            self.found[held].add(want)
        if isinstance(statement, ast.Assign):
            self._assigned(statement.targets, statement.value)

    def _body(self, body: List[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def _assigned(self, targets: List[ast.expr], value: ast.expr) -> None:
        whole = self.origin(value)
        for target in targets:
            if isinstance(target, ast.Tuple) and whole is not None and self._unpacks(target, value):
                self.found[whole].add(Want(wrap=f"({', '.join(['{0}'] * len(target.elts))})"))
                self.alias.update({element.id: whole for element in target.elts if isinstance(element, ast.Name)})
            elif isinstance(target, ast.Tuple):
                count = len(target.elts)
                held = self.shape_of(value)
                if held is not None:
                    starred = any(isinstance(element, ast.Starred) for element in target.elts)
                    self.found[held].add(Want(least=count - 1) if starred else Want(rank=count))
                for element in target.elts:
                    if isinstance(element, ast.Name):
                        self.alias.pop(element.id, None)
                        self.forget(element.id)
            elif isinstance(target, ast.Name):
                self.alias.pop(target.id, None)
                if whole is not None:
                    self.alias[target.id] = whole
                self.live.pop(target.id, None)
                if (module := self.module(value)) is not None:
                    self.live[target.id] = module

    def _unpacks(self, target: ast.Tuple, value: ast.expr) -> bool:
        """Whether an input itself is unpacked into other names: each stands for one of several tensors."""
        names = [element.id for element in target.elts if isinstance(element, ast.Name)]
        whole = value.id if isinstance(value, ast.Name) else ""
        several = 1 < len(names) == len(target.elts) <= MAX_PARTS
        return several and self.alias.get(whole) == whole and whole not in names and whole not in self.told_apart

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.live.pop(target.id, None)
            self.alias.pop(target.id, None)
            self.forget(target.id)
            if isinstance(value, nn.Module):
                self.live[target.id] = value
        elif isinstance(target, ast.Tuple):
            parts = list(value) if isinstance(value, (nn.ModuleList, tuple, list)) else [None] * len(target.elts)
            for element, one in zip(target.elts, parts):
                self._bind(element, one)

    def _loop(self, target: ast.expr, iterated: ast.expr) -> None:
        """Binds the target to the first of what is gone through; inputs that go along with modules are lists."""
        if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.func.id == "range":
            self.counted.update(node.id for node in ast.walk(target) if isinstance(node, ast.Name))
        names, parts = gone_through(target, iterated)
        held = [self.module(part) for part in parts]
        modules = next((one for one in held if isinstance(one, nn.ModuleList)), None)
        if modules is not None:
            for part in parts:
                self._each(part, modules)
        self._bind(target, self.first_of(iterated))
        for name, one in zip(names, held):
            if isinstance(name, ast.Name) and isinstance(one, nn.ModuleList):
                self.lists[name.id] = one

    def _each(self, value: ast.expr, modules: nn.ModuleList) -> None:
        """A list of tensors of which each goes into one of the modules."""
        held = self.origin(value)
        if held is not None and not self.found[held].each:
            self.found[held].each = [self.reader.module(one, self.depth + 1) for one in modules]

    def _comprehension(self, expression: Union[ast.ListComp, ast.GeneratorExp]) -> None:
        alias, live = dict(self.alias), dict(self.live)
        for one in expression.generators:
            self.expression(one.iter)
            self._loop(one.target, one.iter)
        self.expression(expression.elt)
        self.alias, self.live = alias, live

    def expression(self, expression: ast.expr) -> None:
        """Note what is done with inputs in it, inner expressions first."""
        if isinstance(expression, (ast.ListComp, ast.GeneratorExp)):
            self._comprehension(expression)
            return
        for child in ast.iter_child_nodes(expression):
            if isinstance(child, ast.expr):
                self.expression(child)
            elif isinstance(child, ast.keyword):
                self.expression(child.value)
        if isinstance(expression, ast.Call):
            self._call(expression)
        elif isinstance(expression, ast.Subscript):
            held = self.shape_of(expression.value)
            index = integer(expression.slice)
            if held is not None and index is not None:
                self.found[held].add(Want(least=index + 1 if index >= 0 else -index))
            elif isinstance(expression.slice, ast.Tuple) and (held := self.origin(expression.value)) is not None:
                taken = [one for one in expression.slice.elts if getattr(one, "value", 0) not in (None, ...)]
                self.found[held].add(Want(least=len(taken)))

    def _call(self, call: ast.Call) -> None:
        first_given = call.args[0] if call.args else None
        if isinstance(first_given, ast.Subscript) and integer(first_given.slice) is None:
            whole = self.module(call.func.value) if isinstance(call.func, ast.Subscript) else None
            whole = self.lists.get(call.func.id) if isinstance(call.func, ast.Name) else whole
            if isinstance(whole, nn.ModuleList):  # `self.layers[i](inputs[i])`
                self._each(first_given.value, whole)
                return
        module = self.module(call.func)
        given = [(None, value) for value in call.args] + [(k.arg, k.value) for k in call.keywords]
        if isinstance(module, nn.Module):
            self._into_module(module, given)
            return
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        first = self.origin(call.args[0]) if call.args else None
        if name in ("rearrange", "reduce", "repeat", "unpack") and first is not None and len(call.args) > 1:
            pattern = call.args[1]
            if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
                lengths = {k.arg: size for k in call.keywords if k.arg and (size := self.number(k.value))}
                self.found[first].add(of_pattern(pattern.value.split("->")[0], lengths))
        elif name == "einsum" and call.args and isinstance(call.args[0], ast.Constant):
            for axes, value in zip(str(call.args[0].value).split("->")[0].split(","), call.args[1:]):
                held = self.origin(value)
                if held is not None and "." not in axes:
                    self.found[held].add(Want(rank=len(axes.split()) if " " in axes.strip() else len(axes.strip())))
        elif name in WEIGHTED and first is not None and len(call.args) > 1:
            weight = self.value(call.args[1])
            if isinstance(weight, torch.Tensor):
                self.found[first].add(WEIGHTED[name](weight))
        elif name in ("max_pool2d", "avg_pool2d", "adaptive_avg_pool2d", "pixel_shuffle", "unfold") and first:
            self.found[first].add(Want(rank=4))
        elif name == "one_hot" and first is not None:
            self.found[first].add(Want(dtype="i64"))
        elif isinstance(call.func, ast.Attribute) and (held := self.origin(call.func.value)) is not None:
            if name == "long":  # random numbers would be no ids
                self.found[held].add(Want(dtype="i64"))
            elif name in ("permute",) and len(call.args) > 1:
                self.found[held].add(Want(rank=len(call.args)))
            elif name in ("transpose", "flatten", "unsqueeze", "mean", "sum", "chunk", "squeeze"):
                places = [place for value in call.args if (place := integer(value)) is not None]
                least = max([0, *(place + 1 if place >= 0 else -place for place in places)])
                self.found[held].add(Want(least=least - (name == "unsqueeze")))
        elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and self.depth < MAX_DEPTH:
            self._into_method(call, given)

    def _into_method(self, call: ast.Call, given: List[Tuple[Optional[str], ast.expr]]) -> None:
        """`self.embed(x)`: a method of the same module."""
        assert isinstance(call.func, ast.Attribute)
        owner = self.module(call.func.value)
        function = source(getattr(type(owner), call.func.attr, None)) if isinstance(owner, nn.Module) else None
        if function is None:
            return
        names = [a.arg for a in function.args.args][1:]
        code = inspect.unwrap(getattr(type(owner), call.func.attr))
        inner = _Walk(self.reader, owner, getattr(code, "__globals__", {}), names, self.depth + 1)
        inner._body(function.body)
        self._hand_down(inner.found, names, given)
        last = function.body[-1]
        whole = inner.origin(last.value) if isinstance(last, ast.Return) and last.value is not None else None
        for number, (keyword, value) in enumerate(given):
            if whole is not None and whole == (keyword or (names[number] if number < len(names) else "")):
                self.given_back[call] = self.origin(value)

    def _into_module(self, module: nn.Module, given: List[Tuple[Optional[str], ast.expr]]) -> None:
        inner = self.reader.method(module, "forward", self.depth + 1) if is_own(module) else {}
        first = given[0][1] if given and given[0][0] is None else None
        if isinstance(first, ast.Subscript) and (held := self.origin(first.value)) is not None:
            self.found[held].add(self.reader.module(module, self.depth + 1).before(first.slice, self.counted))
        turned = self.turned(first)
        if first is not None and (held := turned or self.origin(first)) is not None:
            want = self.reader.module(module, self.depth + 1)
            self.found[held].add(
                want if turned is None else Want(rank=want.rank, dims={k: want.dims[k] for k in want.dims if k == -1})
            )
        if isinstance(module, (nn.RNNBase, nn.RNNCellBase)):
            for _, value in given[1:]:
                states = value.elts if isinstance(value, ast.Tuple) else [value]
                for state in states:
                    if (held := self.origin(state)) is not None:
                        self.found[held].add(of_state(module, state is value, turned is not None))
        elif inner:
            self._hand_down(inner, list(inner), given)
        elif isinstance(module, nn.MultiheadAttention):
            for _, value in given[:3]:
                if (held := self.origin(value)) is not None:
                    self.found[held].add(Want(rank=3, dims={-1: module.embed_dim}))

    def _hand_down(self, inner: Dict[str, Want], names: List[str], given: List[Tuple[Optional[str], ast.expr]]) -> None:
        for number, (keyword, value) in enumerate(given):
            held = self.origin(value)
            name = keyword or (names[number] if number < len(names) else None)
            if held is not None and name in inner:
                self.found[held].add(inner[name])
