"""Statements of a program that stand outside of its functions, as functions of the variables that they read."""

from __future__ import annotations

import ast
import functools
import time
from difflib import SequenceMatcher
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import AbstractSet, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

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
        found: Set[str] = set()
        bound: Set[str] = set()
        for one in self.nodes:
            changed = {part.target.id for part in ast.walk(one)
                       if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name)}  # fmt: skip
            found |= (_names(one, ast.Load) | changed) - bound
            bound |= set() if any(hasattr(one, name) for name in _SUITES) else _names(one, ast.Store)
        return found

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

        @functools.wraps(run)
        def giving(**values: Any) -> Dict[str, Any]:
            found = run(**values)
            return {name: found[name] for name in sorted(wanted) if name in found}

        return giving  # type: ignore[return-value]


class Difference(NamedTuple):
    """What one version has in the place of something else."""

    old: Part
    new: Part
    wanted: Set[str]
    """The variables that both have to leave behind."""


class Statements(Function):
    """What one version has there, which takes and gives some variables."""

    difference: Difference
    taken: Tuple[str, ...] = ()
    wanted: AbstractSet[str] = frozenset()


def statements_reached(request: TraceRequest, workspace: Workspace) -> Ran:
    """Run the program until all statements that are edited are reached; none, where other things are, or not all are.

    Raises:
        BaseException: what the program raises before that, or that there is no more time.
    """
    wanted = request.comparison
    assert wanted is not None
    differences = _differences(wanted, Loader(MODULE, wanted.path, workspace).get_source(MODULE))
    watch = _Watch(wanted.path, [(one, one.old) for one in differences or ()])
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
    watch = _Watch(request.comparison.path, [(one, one.new) for one in differences.values()])
    watched(request, workspace, watch)
    return Ran([Called(watch.other(one.model), one.inputs) for one in before], None)


def _differences(wanted: Comparison, text: str) -> Optional[List[Difference]]:
    """None where not only such statements differ, or such that cannot stand alone."""
    edited = next((one.text for one in wanted.edited if one.path == wanted.path), text)
    old, new = ast.parse(text), ast.parse(edited)
    found: List[Difference] = []
    for one, other in _apart(old.body, new.body):
        if not one or not other or any(isinstance(part, _DEFINITIONS) for part in (*one, *other)):
            return None
        parts = Part(one, wanted.path), Part(other, wanted.path)
        try:
            for part in parts:
                part.function({}, [], set())
        except SyntaxError:  # `break`
            return None
        inside = {id(node) for part in one for node in ast.walk(part)}
        elsewhere = {node.id for node in ast.walk(old) if isinstance(node, ast.Name) and id(node) not in inside
                     and isinstance(node.ctx, ast.Load)}  # fmt: skip
        bound = [part.bound for part in parts]
        later = elsewhere | parts[0].read | parts[1].read
        found.append(Difference(*parts, (bound[0] & bound[1]) | ((bound[0] | bound[1]) & later)))
    return found


def _apart(old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> Iterator[Tuple[List[ast.stmt], List[ast.stmt]]]:
    """Statements of both versions in whose place the other one has something else; more imports are none."""
    one, other = ([part for part in body if not isinstance(part, (ast.Import, ast.ImportFrom))] for body in (old, new))
    alike = SequenceMatcher(None, [ast.dump(part) for part in one], [ast.dump(part) for part in other], autojunk=False)
    for tag, first, last, other_first, other_last in alike.get_opcodes():
        if tag == "equal":
            continue
        if tag == "replace" and last - first == other_last - other_first == 1:
            inner = [*_inside(one[first], other[other_first])]
            if inner:
                for bodies in inner:
                    yield from _apart(*bodies)
                continue
        more = tag != "replace"  # with what comes next: nothing cannot be run
        yield one[first : last + more], other[other_first : other_last + more]


def _inside(old: ast.stmt, new: ast.stmt) -> Iterator[Tuple[List[ast.stmt], List[ast.stmt]]]:
    """The statements in both, where they differ in nothing else."""
    heads = []
    for one in (old, new):
        shallow = type(one)(**{name: [] if name in _SUITES else value for name, value in ast.iter_fields(one)})
        heads.append(ast.dump(shallow))
    if heads[0] == heads[1] and not isinstance(old, _DEFINITIONS):
        yield from ((getattr(old, name), getattr(new, name)) for name in _SUITES if getattr(old, name, None))


def _names(node: ast.AST, how: type) -> Set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, how)}


class _Watch:
    """Finds what they are given."""

    def __init__(self, path: str, parts: Sequence[Tuple[Difference, Part]]) -> None:
        self.path, self.count = path, len(parts)
        self.at = {line: (difference, part) for difference, part in parts for line in part.lines}
        self.found: List[Called] = []
        self.reached: Dict[int, Tuple[Part, Dict[str, Any]]] = {}
        """With all variables, by the `id` of the difference."""
        self.kinds: Set[Tuple[int, Tuple[object, ...]]] = set()
        self.until = float("inf")

    def entered(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For `sys.settrace`."""
        code = frame.f_code
        return self._stepped if code.co_filename == self.path and code.co_name == MODULE else None

    def other(self, old: Statements) -> Statements:
        """The same of this version.

        Raises:
            LookupError: the program did not come there.
        """
        part, variables = self.reached[id(old.difference)]
        return _made(part, variables, old.difference, old.taken, old.wanted, [*old.given])

    def _stepped(self, frame: FrameType, event: str, arg: Any) -> Any:
        place = self.at.get(frame.f_lineno) if event == "line" else None
        if place is not None:
            self._looked_at(*place, frame.f_globals)
        if len(self.reached) == self.count and (
            len(self.found) >= MAX_CALLS * self.count or time.monotonic() > self.until
        ):
            raise Enough
        return self._stepped

    def _looked_at(self, difference: Difference, part: Part, variables: Dict[str, Any]) -> None:
        self.reached.setdefault(id(difference), (part, variables))
        read = difference.old.read | difference.new.read
        given = {name: variables[name] for name in sorted(read) if name in variables}
        given = {name: value for name, value in given.items() if not isinstance(value, _NO_VALUES)}
        leaves = _pytree.tree_leaves(given)
        alike = id(difference), tuple(map(kind, leaves))
        if alike in self.kinds or any(hasattr(type(one), "__next__") for one in leaves):
            return
        self.kinds.add(alike)
        modules = list({id(one): one for item in leaves for one in modules_of(item)}.values())
        wanted = difference.wanted | {name for name, value in given.items() if isinstance(value, _MUTABLE)}
        model = _made(part, variables, difference, tuple(given), wanted, modules)
        self.found.append(Called(model, Inputs((), given)))
        self.until = min(self.until, time.monotonic() + SECONDS)


def _made(
    part: Part,
    variables: Dict[str, Any],
    difference: Difference,
    taken: Tuple[str, ...],
    wanted: AbstractSet[str],
    given: Any,
) -> Statements:
    made = Statements(part.function(variables, taken, wanted), given)
    made.difference, made.taken, made.wanted = difference, taken, wanted
    return made
