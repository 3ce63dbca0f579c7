"""Calls, operators and attributes as terms, where the trace shows that they are torch's."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from fx_lsp.analysis.names import dotted as written
from fx_lsp.analysis.rewrites._file import File, Function
from fx_lsp.analysis.rewrites._spelling import OPERATORS, infinity, spelt
from fx_lsp.analysis.rewrites._statements import named
from fx_lsp.analysis.rewrites._terms import Term, constant
from fx_lsp.analysis.source import blocks, bound_names, is_main_guard

_LAYERS = {"ReLU": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "SiLU": "silu", "Identity": "identity",
           "Softmax": "softmax", "LogSoftmax": "log_softmax", "Dropout": "dropout_layer"}  # fmt: skip
_LOSSES = {"NLLLoss": "nll_loss", "BCELoss": "binary_cross_entropy"}
"""Layers that are a function where nothing is said of how."""
_CAPTURES = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_NUMBERS = frozenset({"math.sqrt", "math.pow", "numpy.sqrt", "numpy.power"})


class Caller:
    """Builds the terms of one function."""

    def __init__(self, file: File | None, layers: Mapping[str, ast.Call], local: Mapping[str, ast.Call]) -> None:
        """`layers` of `self`, and those that are variables; without a file, what looks like a function of torch is one:
        in a pattern."""
        self.file, self.layers, self.local = file, layers, local

    def build(self, node: ast.expr, term: Callable[[ast.expr], Term]) -> Term:
        """The term of an expression that is no variable, given how to build those inside it."""
        if isinstance(node, ast.Call):
            return self._call(node, term)
        if isinstance(node, ast.BinOp):
            return self.operator(node.op, (term(node.left), term(node.right)), node)
        if isinstance(node, ast.UnaryOp):
            return self.operator(node.op, (term(node.operand),), node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.operator(node.ops[0], (term(node.left), term(node.comparators[0])), node)
        if isinstance(node, ast.Tuple | ast.List):
            return Term("tuple", tuple(map(term, node.elts)), node=node)
        if isinstance(node, ast.Subscript):
            return Term("getitem", (term(node.value), term(node.slice)), node=node)
        if isinstance(node, ast.Attribute):
            return self.attribute(node, term(node.value))
        inner = tuple(term(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))
        return Term(f"?{type(node).__name__}", inner, value=None if inner else ast.dump(node), node=node)

    def operator(self, op: ast.AST, operands: Sequence[Term], node: ast.expr) -> Term:
        """`+` and the like."""
        rank = self.file.rank(node) if self.file is not None else None
        return spelt(OPERATORS.get(type(op), f"?{type(op).__name__}"), operands, {}, rank, node)

    def attribute(self, node: ast.Attribute, of: Term) -> Term:
        """`x.mT`, and `self.scale` as it is."""
        if node.attr in ("T", "mT") and (self.file is None or self._is_matrix(node)):
            inner = of if of.node is not node else Term("name", value=_parent(of.value), node=node.value)
            return Term("transpose", (inner, constant(-2), constant(-1)), node=node)
        return of if of.node is node else Term(f".{node.attr}", (of,), node=node)

    def imported(self, node: ast.expr) -> Term:
        """A name of another module: `torch.float32`, `math.inf`."""
        dotted = self.file.dotted(node) if self.file is not None else ast.unparse(node)
        known = infinity(dotted)
        return constant(known, node) if known is not None else Term("text", value=dotted, node=node)

    def _is_matrix(self, node: ast.Attribute) -> bool:
        rank = self.file.rank(node) if self.file is not None else None
        return rank is not None and (node.attr == "mT" or rank == 2)

    def _call(self, node: ast.Call, term: Callable[[ast.expr], Term]) -> Term:
        if _asks_size(node) and isinstance(node.func, ast.Attribute) and (not self.file or not self.file.ran(node)):
            sizes = Term(".shape", (term(node.func.value),))
            return Term("getitem", (sizes, term(node.args[0])), node=node)
        op, receiver = self._function(node)
        args = [term(one) for one in ([receiver] if receiver is not None else []) + node.args]
        named = {one.arg or "**": term(one.value) for one in node.keywords}
        if not op:
            self_term = term(node.func) if receiver is None else None
            inner = ((self_term,) if self_term is not None else ()) + tuple(args)
            return Term("?call", inner, tuple(sorted(named.items())), node=node)
        if op == "float" and len(node.args) == 1:
            value = node.args[0]
            text = value.value.strip() if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
            if text in ("inf", "-inf"):
                return constant(float(text), node)
        if op in ("softmax", "log_softmax") and receiver is None and (layer := self._layer(node)) is not None:
            given = [*layer.args, *(one.value for one in layer.keywords if one.arg == "dim")]
            args += [term(given[0])] if given else []
        if op == "dropout_layer" or op.startswith("nn."):
            args.append(Term("text", value=ast.unparse(node.func), node=node.func))
        if op == "identity" and args:
            return Term("identity", tuple(args[:1]), node=node)
        return spelt(op, args, named, self.file.rank(node) if self.file is not None else None, node)

    def _function(self, node: ast.Call) -> tuple[str, ast.expr | None]:
        """Name of the function, and what it is called on as a method; no name for one that is not torch's."""
        func = node.func
        if self.file is None:
            dotted = ast.unparse(func)
            if dotted.startswith(("torch.", "F.", "math.")) or dotted == "float":
                return dotted.rpartition(".")[2], None
            return (func.attr, func.value) if isinstance(func, ast.Attribute) else ("", None)
        dotted = self.file.dotted(func)
        if dotted in _NUMBERS or (isinstance(func, ast.Name) and func.id == "float"):
            return dotted.rpartition(".")[2].replace("power", "pow") or "float", None
        operation = self.file.ran(node)
        if operation is None:
            return "", None
        if (layer := self._layer(node)) is not None and operation.form == "module":
            name = self.file.dotted(layer.func).rpartition(".")[2]
            made_here = isinstance(func, ast.Call)
            known = {**_LAYERS, **({} if layer.args or layer.keywords else _LOSSES)}
            op = "" if made_here and name == "Dropout" else known.get(name, f"nn.{name}")
            return (op, None) if operation.target == name else ("", None)
        if operation.form == "module" and operation.target == "Dropout" and written(func):
            return "dropout_layer", None
        if dotted == "einops.rearrange":
            return ("rearrange", None) if operation.target.endswith(".permute") else ("", None)
        if dotted == "einops.einsum":
            return ("named_einsum", None) if operation.target.endswith(".einsum") else ("", None)
        last = operation.target.rpartition(".")[2]
        if dotted.startswith("torch."):
            return (last, None) if dotted.rpartition(".")[2] == last else ("", None)
        if isinstance(func, ast.Attribute) and func.attr == last and operation.target.startswith("torch.Tensor."):
            return last, func.value
        return "", None

    def _layer(self, node: ast.Call) -> ast.Call | None:
        """What the layer that is called is made of: in `__init__`, or there."""
        func = node.func
        if isinstance(func, ast.Call) and self.file is not None and self.file.dotted(func.func).startswith("torch.nn."):
            return func
        return self.local.get(func.id) if isinstance(func, ast.Name) else own_layer(func, self.layers)


def own_layer(func: ast.expr, layers: Mapping[str, ast.Call]) -> ast.Call | None:
    """What `self.name` is made of, given what the class makes."""
    own = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self"
    return layers.get(func.attr) if own and isinstance(func, ast.Attribute) else None


def _asks_size(node: ast.Call) -> bool:
    """`x.size(0)`."""
    return isinstance(node.func, ast.Attribute) and node.func.attr == "size" and len(node.args) == 1


def _parent(key: tuple[str, tuple[int, ...]]) -> tuple[str, tuple[int, ...]]:
    """Of `x.mT` the variable `x`."""
    return key[0].rpartition(".")[0], key[1][:-1]


def local_layers(file: File, function: Function) -> dict[str, ast.Call]:
    """Layers of torch that a function makes in any case, and binds to a variable that is nothing else, by its name."""
    always = [*function.body, *(one for part in function.body if is_main_guard(part) for one in blocks(part))]
    bindings = [one for part in always if (one := named(part)) is not None]
    made = {name: value for name, value in bindings
            if isinstance(value, ast.Call) and file.dotted(value.func).startswith("torch.nn.")}  # fmt: skip
    bound = _bound(function) if made else Counter[str]()
    return {name: value for name, value in made.items() if bound[name] == 1}


def _bound(function: Function) -> Counter[str]:
    """How often each name is bound in it; more than once where that is somebody else's."""
    given = function.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    bound = Counter(one.arg for one in arguments if one is not None)
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function:
            bound.update(bound_names(node))
        shared = isinstance(node, ast.Global | ast.Nonlocal)
        others = node.names if shared else [getattr(node, "name", None)] if isinstance(node, _CAPTURES) else []
        bound.update(2 * [name for name in others if name is not None])
    return bound
