"""What each expression of a function computes, as far as it can be followed through its variables.

A variable has a version for each place that binds it; where ways meet that bind it differently, one that nothing is
known of.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence

from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.rewrites import _terms
from fx_lsp.analysis.rewrites._asides import of_facts
from fx_lsp.analysis.rewrites._calls import Caller, local_layers
from fx_lsp.analysis.rewrites._file import File, Function
from fx_lsp.analysis.rewrites._statements import alone, bodies, changed, given, held, loaded, touches
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.analysis.rewrites._versions import Definition, Key, versioned
from fx_lsp.analysis.source import blocks, bound_names
from fx_lsp.model.comparison import MODULE
from fx_lsp.model.value import TensorType

_DEFINED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Flow:
    """A function followed through its statements."""

    def __init__(self, file: File, function: Function, owner: ast.ClassDef | None) -> None:
        self.file, self.function, self.owner = file, function, owner
        self.definitions: dict[Key, Definition] = {}
        self.parts: dict[Key, Term] = {}
        """What variables are bound to that are bound together, `a, b = f(x), g(x)`."""
        self.uses: Counter[Key] = Counter()
        self.asides: Counter[Key] = Counter()
        """Those uses that ask for its dtype or device only."""
        self.asked: dict[Key, list[tuple[ast.Name, ast.stmt]]] = {}
        """Where they are."""
        self.roots: list[tuple[Term, ast.stmt]] = []
        """Every operation, with the statement that it is part of."""
        self.current: dict[int, dict[str, int]] = {}
        """Versions before each statement, by its `id`."""
        self.block: dict[int, Sequence[ast.stmt]] = {}
        """Statements among which each stands."""
        self.local = local_layers(file, function)
        """Layers of torch that it makes and binds to a variable once, by its name."""
        self.parents = {id(child): node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
        """What each node is part of."""
        _Walk(self).run()

    def defined(self, term: Term) -> Definition | None:
        """What a variable was bound to, if it is used nowhere else."""
        found = self.definitions.get(term.value) if term.op == "name" else None
        return found if found is not None and self.uses[term.value] - self.asides[term.value] == 1 else None

    def bound(self, term: Term) -> Term | None:
        """What a variable was bound to, alone or with others."""
        found = self.definitions.get(term.value) if term.op == "name" else None
        return found.term if found is not None else self.parts.get(term.value) if term.op == "name" else None

    def tensor(self, term: Term) -> TensorType | None:
        """The tensor that a term is, where it always is the same one."""
        if term.op != "name":
            return self.file.output(term.node) if term.node is not None else None
        if (found := self.bound(term)) is not None:
            return self.tensor(found)
        given = self.argument(term)
        return self.file.given(given) if given is not None else None

    def argument(self, term: Term) -> ast.arg | None:
        """The argument of the function that it is, as it was given."""
        given = [*self.function.args.posonlyargs, *self.function.args.args, *self.function.args.kwonlyargs]
        return next((one for one in given if term.op == "name" and (one.arg, (0,)) == term.value), None)

    def variable(self, name: str, statement: ast.stmt) -> Term:
        """What a name stands for before a statement."""
        return _terms.name(versioned(name, self.current.get(id(statement), {})))

    def same_at(self, term: Term, statement: ast.stmt, gone: Iterable[Definition] = ()) -> bool:
        """Whether every variable in it is still what it was, at a statement, or is again without some others."""
        versions = dict(self.current.get(id(statement), {}))
        left = {id(one): one for one in gone}
        for key, one in reversed(self.definitions.items()) if left else ():
            name = key[0]
            if id(one) in left and "." not in name and versions.get(name) == key[1][0]:
                versions[name] = self.current.get(id(one.statement), {}).get(name, 0)
        return all(versioned(leaf.value[0], versions) == leaf.value for leaf in term.leaves() if leaf.op == "name")


class _Walk:
    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.caller = Caller(flow.file, flow.file.layers(flow.owner), flow.local)
        self.versions: dict[str, int] = {}
        self.latest: Counter[str] = Counter()
        self.leaks = False
        """Whether statements may be left in the middle, and what they have bound by then be read."""
        seen = flow.file.seen_by_others if flow.function.name == MODULE else frozenset[str]()
        self.held = seen.union(held(flow.function))
        """Variables that others read at any time."""
        self.loads = Counter(loaded(flow.function))
        """How often it reads each variable."""
        self.links: dict[Key, list[Key]] = {}
        """Versions of variables that only one statement reads, which are one of several others: who reads them reads
        any of these."""

    def run(self) -> None:
        self._body(self.flow.function.body)
        reached = [key for key in self.links if self.flow.uses[key]]
        for key in reached:  # and more of them on the way
            sources = self.links.pop(key, [])
            self.flow.uses.update(sources)
            reached += sources

    def _body(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.flow.block[id(statement)] = statements
            self.flow.current[id(statement)] = dict(self.versions)
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, _DEFINED):
            for name in loaded(statement):
                self.flow.uses[versioned(name, self.versions)] += 2
            self._bind(statement.name)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            self._heads(statement)
            self._body(statement.body)
        elif isinstance(statement, ast.If) and (optional := given(statement, self.flow.file.asking)) is not None:
            self._optional(statement, *optional)
        elif blocks(statement):
            self._compound(statement)
        elif (bound := alone(statement)) is not None:
            target, value = bound
            term = self._term(value, statement)
            if isinstance(statement, ast.AugAssign):
                old = self._read(target, target.id if isinstance(target, ast.Name) else "")
                op = _terms.Term("name") if old is None else old
                term = self.caller.operator(statement.op, (op, term), statement.target)
            self._define(target, statement, term)
        else:
            self._heads(statement)
            for name in changed(statement):
                self._bind(name)
            self._together(statement)

    def _together(self, statement: ast.stmt) -> None:
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        last = self.flow.roots[-1][0] if self.flow.roots else None
        if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Tuple) or last is None:
            return
        if last.op == "tuple" and last.node is statement.value and len(last.args) == len(target.elts):
            for one, term in zip(target.elts, last.args, strict=True):
                if isinstance(one, ast.Name):
                    self.flow.parts[versioned(one.id, self.versions)] = term

    def _optional(self, statement: ast.If, condition: ast.Name, name: str) -> None:
        """`if mask is not None: x = f(x)`: what `x` is afterwards is known, given whether there is a mask.

        What comes before that in the same body stays; of what it binds, the mask and what was not there before are
        afterwards what they are then, if there is a mask.
        """
        asked = self._read(condition, condition.id)
        before = dict(self.versions)
        self._body(statement.body)
        inner, prelude = dict(self.versions), statement.body[:-1]
        made = {one for part in prelude for one in changed(part)}
        self.flow.uses[versioned(name, inner)] += 1
        self.versions = before
        found = self.flow.definitions[versioned(name, inner)].term
        self._bind(name)
        for one in made:
            if before.get(one) or self._is_given(one) or one == condition.id:
                self.flow.uses[versioned(one, inner)] += 1  # nobody else may take its place
                self._bind(one)
            else:
                self.versions[one] = inner[one]
        if asked is not None:
            later = _terms.name(versioned(condition.id, self.versions), condition)
            if condition.id in made:
                found, asked = _terms.swapped(found, versioned(condition.id, inner), later), later
            term = Term("optional", (found, asked), node=condition)
            last = statement.body[-1] if prelude else statement
            self.flow.definitions[versioned(name, self.versions)] = Definition(last, term)
            self.flow.uses[versioned(name, self.versions)] += self.leaks

    def _is_given(self, name: str) -> bool:
        given = self.flow.function.args
        return any(name == one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))

    def _compound(self, statement: ast.stmt) -> None:
        """Each part starts from what may hold by then, and after it nothing is known of what any of them binds."""
        (touched, anew), inside = touches(statement), Counter(loaded(statement))
        own = {name for name in anew - self.held if "." not in name and inside[name] == self.loads[name]}
        for name in touched - own:  # which something else reads
            self.flow.uses[versioned(name, self.versions)] += 1
        leaks, loops = self.leaks, isinstance(statement, ast.For | ast.AsyncFor | ast.While)
        jumps = loops and any(isinstance(node, ast.Break | ast.Continue) for node in ast.walk(statement))
        self.leaks = leaks or jumps or isinstance(statement, ast.Try)
        outer = dict(self.versions)
        if loops or isinstance(statement, ast.Try):
            for name in touched:
                self._bind(name)
            self.flow.current[id(statement)] = dict(self.versions)
        self._heads(statement)
        before, ends = dict(self.versions), list[dict[str, int]]()
        for part in bodies(statement):
            self.versions = dict(before)
            self._body(part)
            ends.append(self.versions)
        for name in touched - own:  # what each part leaves behind is read by whatever comes next
            self.flow.uses.update(versioned(name, one) for one in ends)
        self.versions, self.leaks = dict(before), leaks
        for name in touched:
            self._bind(name)
        for name in own:
            any_of = [versioned(name, one) for one in (outer, *ends)]
            self.links[versioned(name, before)] = any_of if before.get(name) != outer.get(name) else []
            self.links[versioned(name, self.versions)] = [*any_of, versioned(name, before)]

    def _heads(self, statement: ast.stmt) -> None:
        """Expressions of the statement itself."""
        for node in ast.iter_child_nodes(statement):
            if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Store):
                        self._read(inner, inner.id)
                        self.flow.uses[versioned(inner.id, self.versions)] += isinstance(inner.ctx, ast.Del)  # not gone
            elif isinstance(node, ast.expr):
                self._term(node, statement)
            elif isinstance(node, ast.withitem):
                self._term(node.context_expr, statement)
                for name in bound_names(ast.Expr(node.optional_vars)) if node.optional_vars is not None else ():
                    self._bind(name)

    def _define(self, target: ast.expr, statement: ast.stmt, term: Term) -> None:
        name = dotted(target) or ""
        self._bind(name)
        if isinstance(target, ast.Name):
            key = versioned(name, self.versions)
            self.flow.definitions[key] = Definition(statement, term)
            self.flow.uses[key] += self.leaks + 2 * (name in self.held)

    def _bind(self, name: str) -> None:
        self.latest[name] += 1
        self.versions[name] = self.latest[name]

    def _read(self, node: ast.expr, name: str) -> Term | None:
        if not name:
            return None
        key = versioned(name, self.versions)
        self.flow.uses[key] += 1
        return _terms.name(key, node)

    def _term(self, node: ast.expr, statement: ast.stmt) -> Term:
        term = self._build(node, statement)
        if term.op not in ("name", "constant", "text"):
            self.flow.roots.append((term, statement))
        return term

    def _build(self, node: ast.expr, statement: ast.stmt) -> Term:
        if isinstance(node, ast.Constant):
            return _terms.constant(node.value, node)
        if path := dotted(node):
            inner = node
            while isinstance(inner, ast.Attribute):
                inner = inner.value
            if isinstance(inner, ast.Name) and not self.flow.file.is_imported(inner):
                if inner is not node:
                    self.flow.uses[versioned(inner.id, self.versions)] += 1
                    if path in (f"{inner.id}.dtype", f"{inner.id}.device"):
                        self._aside(inner, statement)
                found = self._read(node, path)
                assert found is not None
                return self.caller.attribute(node, found) if isinstance(node, ast.Attribute) else found
            return self.caller.imported(node)
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name):
                    self._read(inner, inner.id)
            return Term("text", value=id(node), node=node)
        for inner in of_facts(self.flow.file, self.flow.owner, node) if isinstance(node, ast.Call) else ():
            self._aside(inner, statement)
        return self.caller.build(node, lambda inner: self._term(inner, statement))

    def _aside(self, name: ast.Name, statement: ast.stmt) -> None:
        key = versioned(name.id, self.versions)
        self.flow.asides[key] += 1
        self.flow.asked.setdefault(key, []).append((name, statement))
