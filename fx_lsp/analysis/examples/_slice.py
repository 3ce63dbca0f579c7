"""The statements that a call needs, taken out of their file so that they run in the file of the model."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fx_lsp.analysis.examples._arguments import calls_of, defaults, is_fixture, parameters
from fx_lsp.analysis.examples._fixtures import first_parameters, plain_function
from fx_lsp.analysis.examples._fold import fold
from fx_lsp.analysis.examples._free import free_names
from fx_lsp.analysis.examples._imports import NotImportable, carried
from fx_lsp.analysis.examples._selfless import Selfless
from fx_lsp.analysis.examples._sites import DEFINITIONS, Function, Site, Step
from fx_lsp.analysis.examples._statements import Context, Refused, Taker, first_of, is_long
from fx_lsp.analysis.names import Definition, resolve
from fx_lsp.analysis.source import Source, is_main_guard
from fx_lsp.analysis.workspace import Workspace

MAX_CALLERS = 3
"""Calls of a function tried to find what its parameters are."""
MAX_LEVELS = 4
"""Functions followed upwards through their callers."""
MAX_STATEMENTS = 60
MAX_NODES = 100_000
"""Of a file; a larger one is data, and every call in it takes a walk through all of it."""

_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class Slice:
    """A call that runs by itself in the namespace of a file."""

    setup: str
    call: str
    size: int
    """Number of statements of the setup."""


@dataclass
class _State:
    needed: set[str]
    reversed: list[ast.stmt]

    def copy(self) -> _State:
        return _State(set(self.needed), list(self.reversed))


def cut(workspace: Workspace, site: Site, scope: str, node: ast.expr | None = None) -> Slice | None:
    """The site's call (or another expression that stands there), with what it needs; None when that cannot be had."""
    if site.source.nodes > MAX_NODES or is_long(node or site.call):
        return None
    for mutations in (True, False):
        slicer = _Slicer(workspace, scope, site.source, mutations)
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
    def __init__(self, workspace: Workspace, scope: str, source: Source, mutations: bool) -> None:
        self.workspace, self.scope = workspace, scope
        self.source = source
        self.taker = Taker(workspace, scope, mutations)

    def slice(self, site: Site, node: ast.expr) -> Slice | None:
        selfless = Selfless.around(site.owners)
        call = self.taker.rewritten(selfless.expression(copy.deepcopy(node)) if selfless else copy.deepcopy(node))
        state = _State(free_names(call) - _BUILTINS, [])
        if not self._around(site, state):
            return None
        done = self._frames(site, state, selfless, MAX_LEVELS)
        if done is None:
            return None
        whole = ast.fix_missing_locations(ast.Module([*reversed(done.reversed), ast.Expr(call)], []))
        statements, call = fold(whole.body[:-1], call)
        module = ast.fix_missing_locations(ast.Module(statements, []))
        return Slice(ast.unparse(module), ast.unparse(call), len(statements))

    def _around(self, site: Site, state: _State) -> bool:
        for node in reversed(site.around):
            if isinstance(node, ast.Lambda):
                if {argument.arg for argument in node.args.args} & state.needed:
                    return False
                continue
            for generator in reversed(getattr(node, "generators", [])):
                self._bind_first(generator.target, generator.iter, state)
        return True

    def _bind_first(self, target: ast.expr, iterable: ast.expr, state: _State) -> None:
        if free_names(_loaded(target)) & state.needed:
            self._add(first_of(target, self.taker.rewritten(copy.deepcopy(iterable))), state)

    def _add(self, statement: ast.stmt, state: _State) -> None:
        taken, needed = self.taker.block([statement], state.needed, Context(self.source, forced=True))
        state.reversed.extend(reversed(taken))
        state.needed = needed - _BUILTINS

    def _block(self, statements: Sequence[ast.stmt], state: _State, closed: bool = False) -> None:
        taken, needed = self.taker.block(statements, state.needed, Context(self.source, closed=closed))
        state.reversed.extend(reversed(taken))
        state.needed = needed - _BUILTINS

    def _frames(self, site: Site, state: _State, selfless: Selfless | None, levels: int) -> _State | None:
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
                names = {name for each in targets for name in free_names(_loaded(each))}
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

    def _top(self, site: Site, step: Step, state: _State, in_function: bool) -> _State | None:
        """The module level: what the file of the model has there is in the namespace already."""
        same = site.source.path == self.scope
        inside_guard = site.in_main
        if same and not in_function and not inside_guard:
            variables = _without_definitions(step.body[: step.index])
            self._block(variables, state)
        elif not same:
            self._close(state, site.source)
            whole = step.body[: step.index] if not in_function else step.body
            self._block([s for s in whole if not is_main_guard(s)], state, closed=True)
        return state if self._leftover(site.source, state, same) else None

    def _close(self, state: _State, source: Source) -> None:
        """Functions need their own globals when they are called, which is after the whole file was run."""
        queue = list(state.needed)
        while queue:
            for statement in source.bindings.get(queue.pop(), ()):
                if isinstance(statement, DEFINITIONS):
                    new = free_names(statement) - _BUILTINS - state.needed
                    state.needed |= new
                    queue.extend(new)

    def _leftover(self, source: Source, state: _State, same: bool) -> bool:
        if same:
            known = {*source.bindings, "__file__"}
            return bool(source.stars) or state.needed <= known
        for name in sorted(state.needed):
            if not source.stars:
                return False
            for star in source.stars:
                statement = ast.ImportFrom(star.module, [ast.alias(name, None)], star.level)
                meaning = resolve(self.workspace, source.path, name)
                if isinstance(meaning, Definition) or len(source.stars) == 1:
                    state.reversed.extend(carried(self.workspace, self.scope, source, statement, {name}))
                    break
            else:
                return False
        return True

    def _parameters(
        self, site: Site, function: Function, state: _State, selfless: Selfless | None, levels: int
    ) -> tuple[_State, bool] | None:
        """Bind the parameters that are needed.  True: a caller was followed to the end; None: some cannot be had."""
        wanted = [argument.arg for argument in parameters(function) if argument.arg in state.needed]
        given = defaults(function)
        method = selfless is not None and selfless.method is function
        if wanted and levels > 0:
            owner = selfless.owner if method and selfless else None
            for number, (caller, values) in enumerate(calls_of(site.source, function, owner)):
                if number >= MAX_CALLERS:
                    break
                if all(name in values or name in given for name in wanted):
                    done = self._through(caller, {n: values.get(n) or given[n] for n in wanted}, state.copy(), levels)
                    if done is not None:
                        return done, True
        for name in wanted:
            if (values := first_parameters(function, name)) is not None:
                self._add(values, state)
        for name in wanted:
            if name in given and name in state.needed:
                self._add(_assign(name, given[name]), state)
        if not self._fixtures(site, [name for name in wanted if name in state.needed], state):
            return None
        if method and selfless is not None:
            for before in selfless.prepared():
                self._block(selfless.statements(before.body), state)
                given = defaults(before)
                for argument in parameters(before)[1:]:
                    if argument.arg in state.needed and argument.arg not in given:
                        return None
                    if argument.arg in state.needed:
                        self._add(_assign(argument.arg, given[argument.arg]), state)
            members = selfless.members(state.needed)
            state.needed |= {statement.name for statement in members if isinstance(statement, ast.FunctionDef)}
            self._block(members, state)
        return state, False

    def _through(self, caller: Site, values: dict[str, ast.expr], state: _State, levels: int) -> _State | None:
        selfless = Selfless.around(caller.owners)
        expressions = {
            name: selfless.expression(copy.deepcopy(value)) if selfless else copy.deepcopy(value)
            for name, value in values.items()
            if not (isinstance(value, ast.Name) and value.id == name)
        }
        needed = {name for value in expressions.values() for name in free_names(value)}
        try:
            if needed & set(expressions):
                targets = ast.Tuple([ast.Name(name, ast.Store()) for name in expressions], ast.Store())
                self._add(ast.Assign([targets], ast.Tuple(list(expressions.values()), ast.Load())), state)
            else:
                for name, value in reversed(expressions.items()):
                    self._add(_assign(name, value), state)
            if not self._around(caller, state):
                return None
            return self._frames(caller, state, selfless, levels - 1)
        except (Refused, NotImportable):
            return None

    def _fixtures(self, site: Site, names: Iterable[str], state: _State) -> bool:
        for name in names:
            found = resolve(self.workspace, site.source.path, name)
            if not isinstance(found, Definition) or found.path != site.source.path:
                return False
            function = found.node
            if not isinstance(function, Function) or not is_fixture(function):
                return False
            inner = [argument.arg for argument in parameters(function)]
            plain = plain_function(function)
            call = ast.Call(ast.Name(function.name, ast.Load()), [ast.Name(n, ast.Load()) for n in inner], [])
            self._add(_assign(name, call), state)
            self._add(plain, state)
            state.needed |= set(inner)
            if not self._fixtures(site, inner, state):
                return False
        return True


def _without_definitions(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    kinds = (*DEFINITIONS, ast.Import, ast.ImportFrom)
    return [statement for statement in body if not isinstance(statement, kinds)]


def _loaded(target: ast.expr) -> ast.expr:
    loaded = copy.deepcopy(target)
    for node in ast.walk(loaded):
        if hasattr(node, "ctx"):
            node.ctx = ast.Load()  # pyright: ignore[reportAttributeAccessIssue]
    return loaded


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(value))
