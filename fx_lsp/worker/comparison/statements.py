"""Statements of a program, outside of its functions or in one that gives nothing, as functions of what they read."""

from __future__ import annotations

import ast
import functools
import time
from difflib import SequenceMatcher
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import AbstractSet, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from torch import nn
from torch.utils import _pytree

from fx_lsp.model.comparison import MODULE, Comparison
from fx_lsp.model.messages import TraceRequest
from fx_lsp.worker.comparison.effects import Function, kind
from fx_lsp.worker.comparison.functions import MAX_CALLS, SECONDS, Enough, watched
from fx_lsp.worker.comparison.inputs import Inputs, modules_of
from fx_lsp.worker.comparison.version import Called, Ran
from fx_lsp.worker.overlay import Loader, Workspace

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SUITES = ("body", "orelse", "finalbody")
_MUTABLE = (list, dict, set)
_NO_VALUES = (ModuleType, type, FunctionType, BuiltinFunctionType)


class Part(NamedTuple):
    """Statements that follow one another, of one version."""

    nodes: Sequence[ast.stmt]
    path: str

    @property
    def lines(self) -> range:
        """Where it begins to run."""
        first = self.nodes[0]
        inside = [one.lineno for name in _SUITES for one in getattr(first, name, ())]
        return range(first.lineno, min(inside, default=(first.end_lineno or first.lineno) + 1))

    @property
    def read(self) -> Set[str]:
        """Names that it reads before it binds them."""
        return _read(self.nodes, set())

    @property
    def bound(self) -> Set[str]:
        """Names that it binds."""
        return {name for one in self.nodes for name in _names(one, ast.Store)}

    def function(self, variables: Dict[str, Any], given: Sequence[str], wanted: AbstractSet[str]) -> FunctionType:
        """What takes some of its variables, and gives those that are wanted as they are afterwards.

        Raises:
            SyntaxError: it cannot stand alone.
        """
        whole = ast.parse(f"def statements({', '.join(given)}):\n    return locals()")
        defined = whole.body[0]
        assert isinstance(defined, ast.FunctionDef)
        defined.body[:0] = self.nodes
        made: Dict[str, Any] = {}
        code = compile(ast.fix_missing_locations(whole), self.path, "exec")
        exec(code, variables, made)
        run: Any = made["statements"]

        def giving(*values: Any) -> Dict[str, Any]:
            found = run(*values)
            return {name: found[name] for name in sorted(wanted) if name in found}

        functools.update_wrapper(giving, run)
        assert isinstance(giving, FunctionType)
        return giving


class Difference(NamedTuple):
    """What one version has in the place of something else."""

    old: Part
    new: Part
    read: Set[str]
    """The variables that one of them reads."""
    wanted: Set[str]
    """Those that both have to leave behind."""


class Statements(Function):
    """What one version has there, which takes and gives some variables."""

    def __init__(
        self, part: Part, variables: Dict[str, Any], difference: Difference, taken: Tuple[str, ...],
        wanted: AbstractSet[str], modules: List[nn.Module],
    ) -> None:  # fmt: skip
        super().__init__(part.function(variables, taken, wanted), modules)
        self.difference, self.taken, self.wanted = difference, taken, wanted


def statements_reached(request: TraceRequest, workspace: Workspace) -> Ran:
    """Run the program until all statements that are edited are reached; none, where other things are, or not all are.

    Raises:
        BaseException: what the program raises before that, or that there is no more time.
    """
    wanted = request.comparison
    assert wanted is not None
    differences = _differences(wanted, Loader(MODULE, wanted.path, workspace).get_source(MODULE))
    watch = _Watch(wanted, [(one, one.old) for one in differences or ()])
    ran = watched(request, workspace, watch) if differences else None
    return ran if ran is not None and len(watch.reached) == len(differences or ()) else Ran([], None)


def other_statements(request: TraceRequest, workspace: Workspace, before: Sequence[Called]) -> Ran:
    """What stands there in another workspace, given the same.

    Raises:
        BaseException: what the program raises before it comes there.
        LookupError: it does not come there.
    """
    assert request.comparison is not None
    differences = {id(one.model.difference): one.model.difference for one in before}
    watch = _Watch(request.comparison, [(one, one.new) for one in differences.values()])
    watched(request, workspace, watch)
    return Ran([Called(watch.other(one.model), one.inputs) for one in before], None)


def _differences(asked: Comparison, text: str) -> Optional[List[Difference]]:
    """None where not only such statements differ, or such that cannot stand alone."""
    edited = next((one.text for one in asked.edited if one.path == asked.path), text)
    try:
        old, new = ast.parse(text), ast.parse(edited)
    except SyntaxError:
        return None
    found: List[Difference] = []
    for one, other in _apart(old.body, new.body, asked.function.split(".")):
        if not one or not other or any(isinstance(part, _DEFINITIONS) for part in (*one, *other)):
            return None
        parts = Part(one, asked.path), Part(other, asked.path)
        try:
            for part in parts:
                part.function({}, [], set())
        except SyntaxError:  # `break`
            return None
        inside = {id(node) for part in one for node in ast.walk(part)}
        plain = {id(node) for one in ast.walk(old) if isinstance(one, ast.Assign) for node in one.targets}
        elsewhere = {node.id for node in ast.walk(old) if isinstance(node, ast.Name) and id(node) not in inside | plain}
        bound, read = [part.bound for part in parts], parts[0].read | parts[1].read
        wanted = (bound[0] & bound[1]) | ((bound[0] | bound[1]) & (elsewhere | read))
        found.append(Difference(*parts, read, wanted))
    return found


_Pair = Tuple[List[ast.stmt], List[ast.stmt]]


def _apart(old: Sequence[ast.stmt], new: Sequence[ast.stmt], within: Sequence[str]) -> List[_Pair]:
    """Statements of both versions in whose place the other one has something else; more imports are none.  Of functions
    and classes only the one is looked into that those names lead to."""
    one, other = ([part for part in body if not isinstance(part, (ast.Import, ast.ImportFrom))] for body in (old, new))
    alike = SequenceMatcher(None, [ast.dump(part) for part in one], [ast.dump(part) for part in other], autojunk=False)
    found: List[_Pair] = []
    codes = [code for code in alike.get_opcodes() if code[0] != "equal"]
    for tag, first, last, other_first, other_last in codes:
        inner: List[Tuple[_Pair, Sequence[str]]] = []
        if tag == "replace" and last - first == other_last - other_first == 1:
            inner = [*_inside(one[first], other[other_first], within)]
        for bodies, names in inner:
            found += _apart(*bodies, names)
        if not inner:
            more = tag != "replace"  # with what comes next: nothing cannot be run
            found.append((one[first : last + more], other[other_first : other_last + more]))
    if len(codes) > 1 and any(map(_makes, (part for pair in found[:-1] for part in pair[1]))):
        return [(one[codes[0][1] : codes[-1][2]], other[codes[0][3] : codes[-1][4]])]
    return found


def _makes(statement: ast.stmt) -> bool:
    """Whether it makes an object of a class, which cannot be compared but by what is done with it."""
    call = statement.value if isinstance(statement, ast.Assign) else None
    name = ast.unparse(call.func).rpartition(".")[2] if isinstance(call, ast.Call) else ""
    return name[:1].isupper()


def _inside(old: ast.stmt, new: ast.stmt, within: Sequence[str]) -> Iterator[Tuple[_Pair, Sequence[str]]]:
    """The statements in both, where they differ in nothing else."""
    heads = [ast.dump(_without_suites(one)) for one in (old, new)]
    if isinstance(old, _DEFINITIONS):
        if old.name != next(iter(within), "") or MODULE in within:
            return
        within = within[1:]
    for name in _SUITES if heads[0] == heads[1] else ():
        if getattr(old, name, None):
            yield (getattr(old, name), getattr(new, name)), within


def _read(nodes: Sequence[ast.stmt], bound: Set[str]) -> Set[str]:
    """What is read in a suite that is not `bound` before it, nor in it by then; a part of it may not run."""
    found: Set[str] = set()
    for one in nodes:
        suites = [getattr(one, name) for name in _SUITES if getattr(one, name, None)]
        head = _without_suites(one) if suites else one
        changed = {part.target.id for part in ast.walk(head)
                   if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name)}  # fmt: skip
        found |= (_names(head, ast.Load) | changed) - bound
        inner = bound | _names(head, ast.Store)
        for suite in suites:
            found |= _read(suite, set(inner))
        bound = bound if suites else inner
    return found


def _without_suites(statement: ast.stmt) -> ast.stmt:
    return type(statement)(**{name: [] if name in _SUITES else value for name, value in ast.iter_fields(statement)})


def _names(node: ast.AST, how: type) -> Set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, how)}


class _Watch:
    """Finds what they are given."""

    def __init__(self, wanted: Comparison, parts: Sequence[Tuple[Difference, Part]]) -> None:
        self.path, self.name, self.count = wanted.path, wanted.function.rpartition(".")[2], len(parts)
        self.at = {line: (difference, part) for difference, part in parts for line in part.lines}
        self.found: List[Called] = []
        self.reached: Dict[int, Tuple[Part, Dict[str, Any]]] = {}
        """With all variables, by the `id` of the difference."""
        self.kinds: Set[Tuple[int, Tuple[object, ...]]] = set()
        self.until = float("inf")

    def entered(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For `sys.settrace`."""
        if self._is_enough():
            raise Enough
        code = frame.f_code
        return self._stepped if code.co_filename == self.path and code.co_name == self.name else None

    def other(self, old: Statements) -> Statements:
        """The same of this version.

        Raises:
            LookupError: the program did not come there.
        """
        part, variables = self.reached[id(old.difference)]
        return Statements(part, variables, old.difference, old.taken, old.wanted, [*old.given])

    def _stepped(self, frame: FrameType, event: str, arg: Any) -> Any:
        place = self.at.get(frame.f_lineno) if event == "line" else None
        if place is not None:
            self._looked_at(*place, {**frame.f_globals, **frame.f_locals})
            if sum(one.model.difference is place[0] for one in self.found) == MAX_CALLS:
                self.at = {line: one for line, one in self.at.items() if one[0] is not place[0]}
        if self._is_enough():
            raise Enough
        return self._stepped

    def _is_enough(self) -> bool:
        late = time.monotonic() > self.until
        return len(self.reached) == self.count and (late or not self.at)

    def _looked_at(self, difference: Difference, part: Part, known: Dict[str, Any]) -> None:
        self.reached.setdefault(id(difference), (part, known))
        given = {name: known[name] for name in sorted(difference.read) if name in known}
        given = {name: value for name, value in given.items() if not isinstance(value, _NO_VALUES)}
        leaves = _pytree.tree_leaves(given)
        alike = id(difference), tuple(map(kind, leaves))
        if alike in self.kinds or any(hasattr(type(one), "__next__") for one in leaves):
            return
        self.kinds.add(alike)
        modules = list({id(one): one for item in leaves for one in modules_of(item)}.values())
        wanted = difference.wanted | {name for name, value in given.items() if isinstance(value, _MUTABLE)}
        model = Statements(part, known, difference, tuple(given), wanted, modules)
        self.found.append(Called(model, Inputs(tuple(given.values()), {})))
        self.until = min(self.until, time.monotonic() + SECONDS)
