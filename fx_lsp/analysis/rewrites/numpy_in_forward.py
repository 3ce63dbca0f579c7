"""Numbers that go through NumPy leave the device and the graph.

Before:
    y = torch.from_numpy(np.tanh(x.detach().numpy()))
After:
    y = torch.tanh(x.detach())
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fx_lsp.analysis.actions import Changes
from fx_lsp.analysis.rewrites import Found, Rewrite
from fx_lsp.analysis.rewrites._conditions import statement_of
from fx_lsp.analysis.rewrites._flow import Definition, Flow, Key
from fx_lsp.analysis.rewrites._write import Unwritable, atom, spelled, without
from fx_lsp.model import syntax

_SAME = {name: name for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh",
                                 "cosh", "tanh", "arctan", "sqrt", "square", "abs", "sign", "floor", "ceil", "trunc",
                                 "round", "maximum", "minimum", "matmul", "logical_and", "logical_or", "isnan",
                                 "isfinite", "where")}  # fmt: skip
_NAMES = {**_SAME, "absolute": "abs", "clip": "clamp", "rint": "round", "negative": "neg"}
_OF_TENSORS = frozenset({"maximum", "minimum", "matmul", "logical_and", "logical_or"})
"""Take no plain numbers in torch."""
_BOUNDS = {"maximum": "min", "minimum": "max"}
_REDUCED = {name: name for name in ("mean", "sum", "argsort", "argmax", "argmin", "cumsum", "linalg.norm", "prod")} | {
    "max": "amax", "min": "amin", "amax": "amax", "amin": "amin",
}  # fmt: skip
"""Along an axis, which has to be named."""
_JOINED = {"concatenate": "cat", "stack": "stack"}
_WITHOUT_AXIS = frozenset({"mean", "sum", "argsort"})
"""Mean the same in both where none is: all numbers, the last axis."""
_NUMBER = ast.Constant | ast.UnaryOp | ast.USub
_KEYWORDS = {"axis": "dim", "keepdims": "keepdim"}
_BACK = frozenset({"torch.from_numpy", "torch.as_tensor", "torch.tensor"})
_OPERATORS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def find(flow: Flow) -> Iterator[Found]:
    """Calls that make tensors of what functions of NumPy make of tensors."""
    for node in ast.walk(flow.function):
        if not isinstance(node, ast.Call) or flow.file.dotted(node.func) not in _BACK:
            continue
        statement = statement_of(flow, node)
        inner = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if statement is None or inner is None:
            continue
        for alone in (True, False):
            try:
                yield from _written(flow, node, inner, statement, alone)
            except Unwritable:
                continue
            break


def _written(flow: Flow, node: ast.Call, inner: ast.expr, statement: ast.stmt, alone: bool) -> Iterator[Found]:
    """`alone`: variables that are used but once are written where that is.

    Raises:
        Unwritable: torch has no function that is surely the same, or a variable is another one by then.
    """
    torch, imported = spelled(flow.file, "torch")
    written = _Written(flow, statement, torch, alone)
    text = written.of(inner)
    if isinstance(flow.parents.get(id(node)), ast.Return | ast.Assign):
        text = _bare(text)
    if written.functions and written.tensors:
        gone = without(flow, written.through, statement)
        yield Found(node, ((flow.file.source.span(node), text), *written.stays(), *imported, *gone))


class _Written:
    """NumPy's functions as torch's, of the tensors themselves."""

    def __init__(self, flow: Flow, statement: ast.stmt, torch: str, alone: bool) -> None:
        self.flow, self.file, self.torch, self.alone = flow, flow.file, torch, alone
        self.read = self.put = statement
        """Where what is written now was read, and where it is put."""
        self.through: list[Definition] = []
        """Variables that are used for nothing else."""
        self.kept: dict[Key, tuple[ast.expr, str]] = {}
        """Variables that are used several times, with what they are bound to and what that becomes."""
        self.uses: Counter[Key] = Counter()
        self.functions = self.tensors = 0

    def of(self, node: ast.expr) -> str:
        """An expression.

        Raises:
            Unwritable: torch has no function that is surely the same, or a variable is another one by then.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return self.file.text(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"-{atom(self.of(node.operand))}"
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            self.functions += 1
            return f"({self.of(node.left)} {_OPERATORS[type(node.op)]} {self.of(node.right)})"
        if isinstance(node, ast.Name):
            return self._variable(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return self.file.text(node)  # what is no number is told by trying it
        if not isinstance(node, ast.Call) or "\n" in self.file.text(node):
            raise Unwritable
        name = self.file.dotted(node.func).removeprefix("numpy.")
        if name in _JOINED and len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple):
            return self._joined(name, node.args[0].elts, node.keywords)
        if name in _NAMES and self.file.dotted(node.func) == f"numpy.{name}" and not node.keywords:
            plain = [_is_number(self.flow, one) for one in node.args]
            if name in _BOUNDS and sorted(plain) == [False, True]:
                self.functions += 1
                tensor, bound = (self.of(node.args[plain.index(one)]) for one in (False, True))
                return f"{self.torch}.clamp({tensor}, {_BOUNDS[name]}={bound})"
            if not node.args or (name in _OF_TENSORS and any(plain)) or (name == "where" and all(plain[1:])):
                raise Unwritable
            self.functions += 1
            return f"{self.torch}.{_NAMES[name]}({', '.join(_bare(self.of(one)) for one in node.args)})"
        if name in _REDUCED and self.file.dotted(node.func) == f"numpy.{name}" and len(node.args) == 1:
            return self._along(name, node.args[0], node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _REDUCED and not node.args and not name:
            return self._along(node.func.attr, node.func.value, node)
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "numpy" or node.args or node.keywords:
            raise Unwritable
        self.tensors += 1
        tensor = _on_device(node.func.value)
        self._stays_the_same(one.id for one in ast.walk(tensor) if isinstance(one, ast.Name))
        return self.file.text(tensor)

    def stays(self) -> Changes:
        """What becomes of the statements of variables that are used several times.

        Raises:
            Unwritable: one is used for something else, too.
        """
        if any(self.flow.uses[key] != self.uses[key] for key in self.kept):
            raise Unwritable
        return tuple((self.file.source.span(value), _bare(text)) for value, text in self.kept.values())

    def _stays_the_same(self, names: Iterable[str]) -> None:
        if any(self.flow.variable(one, self.read).value != self.flow.variable(one, self.put).value for one in names):
            raise Unwritable

    def _along(self, name: str, of: ast.expr, call: ast.Call) -> str:
        """A function that goes along an axis, or a method."""
        given = [(_KEYWORDS.get(one.arg or "", ""), self.file.text(one.value)) for one in call.keywords]
        by_default = not given and name in _WITHOUT_AXIS
        along = by_default or any(key == "dim" and text != "None" for key, text in given)
        if not along or not all(key for key, _ in given):
            raise Unwritable
        self.functions += 1
        arguments = [self.of(of), *(f"{key}={text}" for key, text in given)]
        return f"{self.torch}.{_REDUCED[name]}({', '.join(arguments)})"

    def _joined(self, name: str, parts: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> str:
        """Several along an axis, the first one where none is named."""
        if any(one.arg != "axis" for one in keywords):
            raise Unwritable
        self.functions += 1
        along = "".join(f", dim={self.file.text(one.value)}" for one in keywords)
        return f"{self.torch}.{_JOINED[name]}([{', '.join(map(self.of, parts))}]{along})"

    def _variable(self, node: ast.Name) -> str:
        """What it was bound to, if it is used for nothing else; else its name, and its statement stays."""
        term, home = self.flow.variable(node.id, self.read), (self.read, self.put)
        found = self.flow.definitions.get(term.value)
        if found is None and _is_number(self.flow, node):
            self._stays_the_same([node.id])
            return node.id
        if found is None or not isinstance(found.statement, ast.Assign):
            raise Unwritable
        value = found.statement.value
        if self.alone and self.flow.defined(term) is not None:
            self.through.append(found)
            self.read = found.statement
            text = self.of(value)
        else:
            self._stays_the_same([node.id])
            self.uses[term.value] += 1
            text, known = node.id, term.value in self.kept
            self.read = self.put = found.statement
            if not known:
                self.kept[term.value] = value, ""  # before those that it is made of
                self.kept[term.value] = value, self.of(value)
        self.read, self.put = home
        return text


def _is_number(flow: Flow, node: ast.expr) -> bool:
    """Whether it is a plain one, or an argument that is one where it is not given."""
    if not isinstance(node, ast.Name):
        return all(isinstance(part, _NUMBER) for part in ast.walk(node))
    given = flow.function.args
    defaults = dict(zip([one.arg for one in given.args][::-1], given.defaults[::-1], strict=False))
    default = defaults.get(node.id)
    return isinstance(default, ast.Constant) and type(default.value) in (int, float)


def _bare(text: str) -> str:
    """Without the parentheses around all of it."""
    try:
        same = ast.dump(syntax.expression(text[1:-1])) == ast.dump(syntax.expression(text))
    except SyntaxError:
        return text
    return text[1:-1] if same else text


def _on_device(node: ast.expr) -> ast.expr:
    """Without the way to the processor."""
    func = node.func if isinstance(node, ast.Call) and not node.args and not node.keywords else None
    return _on_device(func.value) if isinstance(func, ast.Attribute) and func.attr == "cpu" else node


RULE = Rewrite("numpy-in-forward", "Use torch", find)
