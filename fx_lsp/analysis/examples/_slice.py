"""The statements that a call needs, taken out of their file so that they run in the file of the model."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence
from itertools import islice

from fx_lsp.analysis.examples._arguments import accepted_defaults, calls_of, parameters
from fx_lsp.analysis.examples._fixtures import find_fixture, given_parameters, plain_function
from fx_lsp.analysis.examples._fold import fold
from fx_lsp.analysis.examples._free import free_names, read_by_functions
from fx_lsp.analysis.examples._images import sizes_are_made_up
from fx_lsp.analysis.examples._imports import NotImportable, carried, may_give
from fx_lsp.analysis.examples._rewrite import Refused
from fx_lsp.analysis.examples._selfless import Selfless, assigned
from fx_lsp.analysis.examples._sites import Function, Site, Step
from fx_lsp.analysis.examples._state import Slice, State, assign, is_among, left_open, loaded, without_definitions
from fx_lsp.analysis.examples._statements import Context, Taker, is_long, one_of
from fx_lsp.analysis.names import Definition, resolve
from fx_lsp.analysis.source import PYTHON, Source, bound_names, is_main_guard
from fx_lsp.analysis.workspace import Workspace
from fx_lsp.model.example import DTYPES

MAX_CALLERS = 3
"""Calls of a function tried to find what its parameters are."""
MAX_LEVELS = 4
"""Functions followed upwards through their callers."""
MAX_STATEMENTS = 60
MAX_NODES = 100_000
"""Of a file; a larger one is data, and every call in it takes a walk through all of it."""


def cut(workspace: Workspace, site: Site, scope: str, node: ast.expr | None = None, row: int = 0) -> Slice | None:
    """The site's call (or another expression that stands there), with what it needs; None when that cannot be had."""
    if site.source.nodes > MAX_NODES or is_long(node or site.call):
        return None
    for mutations in (True, False):
        slicer = _Slicer(workspace, scope, site.source, mutations, row)
        try:
            found = slicer.slice(site, node if node is not None else site.call)
        except (Refused, NotImportable):
            found = None
        except (SyntaxError, RecursionError, ValueError):
            # `await` and `yield` only work where they stand; a nest too deep is no example, nor is a number with more
            # digits than Python writes.
            return None
        if found is not None and found.size <= MAX_STATEMENTS:
            return found
    return None


class _Slicer:
    def __init__(self, workspace: Workspace, scope: str, source: Source, mutations: bool, row: int) -> None:
        self.workspace, self.scope = workspace, scope
        self.source, self.row = source, row
        self.taker = Taker(workspace, scope, mutations)

    def slice(self, site: Site, node: ast.expr) -> Slice | None:
        selfless = Selfless.around(site.owners)
        call = selfless.expression(copy.deepcopy(node)) if selfless else copy.deepcopy(node)
        call = self.taker.rewritten(call, self.source)
        state = State(self._wanted(free_names(call)), [])
        if not self._around(site, state):
            return None
        done = self._frames(site, state, selfless, MAX_LEVELS)
        if done is None:
            return None
        given = [one for one in self.taker.given.values() if not is_among(one, done.reversed)]
        whole = ast.fix_missing_locations(ast.Module([*given, *reversed(done.reversed), ast.Expr(call)], []))
        if sizes_are_made_up(whole.body) or left_open(whole.body):
            return None
        statements, call = fold(whole.body[:-1], call)
        module = ast.fix_missing_locations(ast.Module(statements, []))
        return Slice(ast.unparse(module), ast.unparse(call), len(statements))

    def _wanted(self, names: set[str]) -> set[str]:
        """Without what is there wherever an example runs."""
        return names - self.source.builtins - self.taker.given.keys() - (DTYPES.keys() - self.source.bindings.keys())

    def _around(self, site: Site, state: State) -> bool:
        for node in reversed(site.around):
            if isinstance(node, ast.Lambda) and {argument.arg for argument in node.args.args} & state.needed:
                return False
            for generator in reversed(getattr(node, "generators", [])):
                self._bind_first(generator.target, generator.iter, state)
        return True

    def _bind_first(self, target: ast.expr, iterable: ast.expr, state: State) -> None:
        if free_names(loaded(target)) & state.needed:
            self._add(one_of(target, self.taker.rewritten(copy.deepcopy(iterable), self.source), self.row), state)

    def _add(self, statement: ast.stmt, state: State) -> None:
        self._block([statement], state, forced=True)

    def _block(
        self, statements: Sequence[ast.stmt], state: State, *, closed: bool = False, forced: bool = False
    ) -> None:
        context = Context(self.source, closed=closed, forced=forced)
        taken, needed = self.taker.block(statements, state.needed, context)
        state.reversed.extend(reversed(taken))
        state.needed = self._wanted(needed)

    def _frames(self, site: Site, state: State, selfless: Selfless | None, levels: int) -> State | None:
        """Walk outwards from the call to the top of its file."""
        in_function = False
        for step in reversed(site.steps):
            owner = step.owner
            if isinstance(owner, ast.Module):
                return self._top(site, step, state, in_function)
            body = step.body[: step.index]
            self._block(selfless.statements(body) if selfless else body, state)
            if isinstance(owner, (ast.For, ast.AsyncFor)) and step.body is owner.body:
                target, iterable = copy.deepcopy(owner.target), copy.deepcopy(owner.iter)
                if selfless:
                    target, iterable = selfless.expression(target), selfless.expression(iterable)
                self._bind_first(target, iterable, state)
            elif isinstance(owner, (ast.With, ast.AsyncWith)):
                targets = [item.optional_vars for item in owner.items if item.optional_vars is not None]
                names = {name for each in targets for name in free_names(loaded(each))}
                if names & state.needed:
                    return None
            elif isinstance(owner, Function):
                in_function = True
                entered = self._parameters(site, owner, state, selfless, levels)
                if entered is not None and entered[1]:
                    return entered[0]
                if entered is None:
                    return None
                selfless = None if selfless is not None and selfless.method is owner else selfless
        return None

    def _top(self, site: Site, step: Step, state: State, in_function: bool) -> State | None:
        """The module level: what the file of the model has there is in the namespace already."""
        same = site.source.path == self.scope
        if same and not in_function and not site.in_main:
            variables = without_definitions(step.body[: step.index])
            self._block(variables, state)
        elif not same:
            self._close(state, site.source)
            whole = step.body[: step.index] if not in_function else step.body
            self._block([s for s in whole if not is_main_guard(s)], state, closed=True)
        return state if self._leftover(site.source, state, same) else None

    def _close(self, state: State, source: Source) -> None:
        """Functions need their own globals when they are called, which is after the whole file was run."""
        state.needed |= self._wanted(read_by_functions(state.needed, source.bindings))

    def _leftover(self, source: Source, state: State, same: bool) -> bool:
        if same:
            known = {*source.bindings, *PYTHON, "__file__"}
            return bool(source.stars) or state.needed <= known
        for name in sorted(state.needed - PYTHON):
            if not source.stars:
                return False
            for star in source.stars:
                statement = ast.ImportFrom(star.module, [ast.alias(name, None)], star.level)
                meaning = resolve(self.workspace, source.path, name)
                if isinstance(meaning, Definition) or (
                    len(source.stars) == 1 and name in source.text and may_give(self.workspace, source, star, name)
                ):
                    state.reversed.extend(carried(self.workspace, self.scope, source, statement, {name}))
                    break
            else:
                return False
        return True

    def _parameters(
        self, site: Site, function: Function, state: State, selfless: Selfless | None, levels: int
    ) -> tuple[State, bool] | None:
        """Bind the parameters that are needed.  True: a caller was followed to the end; None: some cannot be had."""
        wanted = [argument.arg for argument in parameters(function) if argument.arg in state.needed]
        given = accepted_defaults(function)
        method = selfless is not None and selfless.method is function
        owner = selfless.owner if method and selfless else None
        if (done := self._called(site, function, owner, wanted, state, levels)) is not None:
            return done, True
        for name in wanted:
            values = given_parameters(self.workspace, self.source, function, name, self.taker.given, self.row)
            if name in state.needed and (values is not None or name in given):
                self._add(values or assign(name, given[name]), state)
        if not self._fixtures(site.source.path, [name for name in wanted if name in state.needed], state):
            return None
        if method and selfless is not None:
            return self._prepared(site, selfless, state, levels)
        return state, False

    def _prepared(self, site: Site, selfless: Selfless, state: State, levels: int) -> tuple[State, bool] | None:
        """What ran before a method, and what its class has; as `_parameters`."""
        init: Function | None = None
        for before in selfless.prepared():
            self._block(selfless.statements(before.body), state)
            if before.name == "__init__":
                init = before
            elif not self._defaults(before, state):
                return None
        members = selfless.members(state.needed)
        state.needed |= {statement.name for statement in members if isinstance(statement, ast.FunctionDef)}
        self._block(members, state)
        if init is None:
            return state, False
        wanted = [argument.arg for argument in parameters(init)[1:] if argument.arg in state.needed]
        if (done := self._called(site, init, selfless.owner, wanted, state, levels)) is not None:
            return done, True
        return (state, False) if self._defaults(init, state) else None

    def _defaults(self, function: Function, state: State) -> bool:
        """Bind the needed parameters of a method to their defaults; whether all have one."""
        given = accepted_defaults(function)
        for name in [argument.arg for argument in parameters(function)[1:] if argument.arg in state.needed]:
            if name not in given:
                return False
            self._add(assign(name, given[name]), state)
        return True

    def _called(
        self, site: Site, function: Function, owner: ast.ClassDef | None, wanted: list[str], state: State, levels: int
    ) -> State | None:
        """On through a call of the function that gives the parameters."""
        calls = calls_of(site.source, function, owner) if wanted and levels > 0 else ()
        for caller, values in islice(calls, MAX_CALLERS):
            given = {**accepted_defaults(function), **values}
            if given.keys() >= {*wanted}:
                made = Selfless.elsewhere(owner, function, caller.owners)
                done = self._through(caller, {name: given[name] for name in wanted}, state.copy(), levels, made)
                if done is not None:
                    return done
        return None

    def _through(
        self, caller: Site, values: dict[str, ast.expr], state: State, levels: int, made: Selfless | None
    ) -> State | None:
        """On from a call; `made` is the class of the instance that it is a method of, outside of that class."""
        try:
            self._block([*assigned(values, Selfless.around(caller.owners))], state, forced=True)
            if (made is not None and not self._instance(made, state)) or not self._around(caller, state):
                return None
            return self._frames(caller, state, Selfless.around(caller.owners), levels - 1)
        except (Refused, NotImportable):
            return None

    def _instance(self, made: Selfless, state: State) -> bool:
        """What the constructor binds of an instance that is made where its method is called; whether it can be had."""
        for init in (method for method in made.prepared() if method.name == "__init__"):
            self._block([*made.statements(init.body), *made.members(state.needed)], state)
            wanted = [argument.arg for argument in parameters(init)[1:] if argument.arg in state.needed]
            for maker, values in calls_of(self.source, init, made.owner):
                given = {**accepted_defaults(init), **values}
                if given.keys() >= {*wanted}:
                    both = assigned({name: given[name] for name in wanted}, Selfless.around(maker.owners))
                    self._block([*both], state, forced=True)
                    return True
            return False
        return True

    def _fixtures(self, path: str, names: Iterable[str], state: State) -> bool:
        for name in names:
            found = find_fixture(self.workspace, path, name)
            if found is None or not isinstance(found.node, Function):
                return False
            inner = [argument.arg for argument in parameters(found.node) if argument.arg != "request"]
            plain = plain_function(found.node, self.row)
            call = ast.Call(ast.Name(plain.name, ast.Load()), [ast.Name(n, ast.Load()) for n in inner], [])
            self._add(assign(name, call), state)
            if found.path == self.source.path:
                self._add(plain, state)
            elif not self._brought(found.path, plain, state):
                return False
            state.needed |= set(inner)
            if not self._fixtures(found.path, inner, state):
                return False
        return True

    def _brought(self, path: str, function: ast.FunctionDef, state: State) -> bool:
        """A function of another file, with what it takes from there; no name may mean two things then."""
        source = self.workspace.source(path)
        if source is None or source.tree is None:
            return False
        other = _Slicer(self.workspace, self.scope, source, self.taker.mutations, self.row)
        inner = State({function.name}, [])
        other._add(function, inner)
        own = set(inner.needed)
        other._close(inner, source)
        other._block([s for s in source.tree.body if not is_main_guard(s)], inner, closed=True)
        if not other._leftover(source, inner, path == self.scope):
            return False
        both = ({n for s in inner.reversed for n in bound_names(s)} | own) & (state.needed - {function.name})
        if any(resolve(self.workspace, path, n) != resolve(self.workspace, self.source.path, n) for n in both):
            return False
        self.taker.given.update(other.taker.given)
        state.reversed.extend(inner.reversed)
        state.needed.discard(function.name)
        return True
