"""What a `forward` does first with each of its parameters, read from its source and the modules of a live instance."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference.inputs import BATCH, LENGTH, SIDE, WIDTH, Tensor

MAX_DEPTH = 6
"""Modules within modules that are looked into."""


@dataclass
class Want:
    """What is known of an input; a dim is counted from the front or, negative, from the end."""

    rank: Optional[int] = None
    least: int = 0
    """Smallest possible rank."""
    dtype: str = ""
    dims: Dict[int, int] = field(default_factory=dict)
    multiple: int = 1
    """Height and width are a multiple of this."""

    def add(self, other: Want) -> None:
        """What is known already stays."""
        if self.rank is None:
            self.rank = other.rank
        self.least, self.dtype = max(self.least, other.least), self.dtype or other.dtype
        self.multiple = max(self.multiple, other.multiple)
        for place, size in other.dims.items():
            self.dims.setdefault(place, size)

    @property
    def known(self) -> bool:
        """Whether it says anything."""
        return bool(self.rank or self.dtype or self.dims or self.least)

    def tensor(self, side: int = SIDE) -> Tensor:
        """The simplest tensor that fits."""
        rank = self.rank or self._likely()
        side = -(-side // self.multiple) * self.multiple
        shape = {
            0: [], 1: [BATCH], 2: [BATCH, LENGTH if self.dtype == "i64" else WIDTH], 3: [BATCH, LENGTH, WIDTH],
            4: [BATCH, 3, side, side], 5: [BATCH, 3, 8, side, side],
        }.get(rank, [BATCH] * (rank - 1) + [WIDTH])  # fmt: skip
        for place, size in self.dims.items():
            if -rank <= place < rank:
                shape[place] = size
        return Tensor(self.dtype or "f32", tuple(shape))

    def _likely(self) -> int:
        if self.dtype == "i64":
            return max(2, self.least)
        return max([3, self.least, *(place + 1 if place >= 0 else -place for place in self.dims)])


def wants(instance: nn.Module) -> Dict[str, Want]:
    """Per parameter of the instance's `forward`, what the code does first with it."""
    return _Reader().forward(instance, 0)


def wanted_by(module: nn.Module, depth: int = 0) -> Want:
    """What a module takes as its first input."""
    return _Reader().module(module, depth)


class _Reader:
    def forward(self, instance: nn.Module, depth: int) -> Dict[str, Want]:
        function = _source(type(instance).forward)
        if function is None or depth > MAX_DEPTH:
            return {}
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)][1:]
        names += [a.arg for a in function.args.kwonlyargs]
        code = inspect.unwrap(type(instance).forward)
        walk = _Walk(self, instance, getattr(code, "__globals__", {}), names, depth)
        for statement in function.body:
            walk.statement(statement)
        return walk.found

    def module(self, module: nn.Module, depth: int) -> Want:
        """What a module takes as its first input."""
        want = _of_torch(module)
        if want is not None:
            return want
        if isinstance(module, nn.Sequential):
            found = Want()
            for child in module:
                found.add(self.module(child, depth + 1))
                if not _keeps_shape(child):
                    break
            return found
        pattern = getattr(module, "pattern", None)
        if isinstance(pattern, str) and "->" in pattern:  # a layer of einops
            return of_pattern(pattern.split("->")[0], getattr(module, "axes_lengths", {}))
        if isinstance(module, (nn.ModuleList, nn.ModuleDict)) or type(module).__module__.startswith("torch."):
            return Want()
        found_here = self.forward(module, depth + 1)
        return next(iter(found_here.values()), Want())


class _Walk:
    """Goes through the body of a function in the order of its text."""

    def __init__(self, reader: _Reader, instance: Any, globals_: Dict[str, Any], names: List[str], depth: int) -> None:
        self.reader, self.depth, self.globals = reader, depth, globals_
        self.found = {name: Want() for name in names}
        self.alias = {name: name for name in names}
        """Names that still hold the input, or something of its shape."""
        self.live: Dict[str, Any] = {"self": instance}

    def statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Return)) and not isinstance(statement, ast.Return):
            return
        if isinstance(statement, ast.For):
            self.expression(statement.iter)
            self._bind(statement.target, self._first_of(statement.iter))
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
        if isinstance(statement, ast.Assign):
            self._assigned(statement.targets, statement.value)

    def _body(self, body: List[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def _assigned(self, targets: List[ast.expr], value: ast.expr) -> None:
        whole = self._origin(value)
        for target in targets:
            if isinstance(target, ast.Tuple):
                count = len(target.elts)
                held = self._shape_of(value)
                if held is not None:
                    starred = any(isinstance(element, ast.Starred) for element in target.elts)
                    self.found[held].add(Want(least=count - 1) if starred else Want(rank=count))
                for element in target.elts:
                    if isinstance(element, ast.Name):
                        self.alias.pop(element.id, None)
            elif isinstance(target, ast.Name):
                self.alias.pop(target.id, None)
                if whole is not None:
                    self.alias[target.id] = whole
                self.live.pop(target.id, None)
                if (module := self._module(value)) is not None:
                    self.live[target.id] = module

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.live.pop(target.id, None)
            self.alias.pop(target.id, None)
            if isinstance(value, nn.Module):
                self.live[target.id] = value
        elif isinstance(target, ast.Tuple):
            parts = list(value) if isinstance(value, (nn.ModuleList, tuple, list)) else [None] * len(target.elts)
            for element, part in zip(target.elts, parts):
                self._bind(element, part)

    def _first_of(self, iterated: ast.expr) -> Any:
        """The first element of `self.layers`, also through `enumerate` and `zip`."""
        if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.args:
            firsts = [self._first_of(argument) for argument in iterated.args]
            return {"enumerate": (0, firsts[0]), "zip": tuple(firsts)}.get(iterated.func.id)
        held = self._module(iterated)
        try:
            return next(iter(held)) if isinstance(held, (nn.ModuleList, nn.Sequential)) else None
        except StopIteration:
            return None

    def expression(self, expression: ast.expr) -> None:
        """Note what is done with inputs in it, inner expressions first."""
        for child in ast.iter_child_nodes(expression):
            if isinstance(child, ast.expr):
                self.expression(child)
            elif isinstance(child, ast.keyword):
                self.expression(child.value)
        if isinstance(expression, ast.Call):
            self._call(expression)
        elif isinstance(expression, ast.Subscript):
            held = self._shape_of(expression.value)
            index = _integer(expression.slice)
            if held is not None and index is not None:
                self.found[held].add(Want(least=index + 1 if index >= 0 else -index))

    def _call(self, call: ast.Call) -> None:
        module = self._module(call.func)
        given = [(None, value) for value in call.args] + [(k.arg, k.value) for k in call.keywords]
        if isinstance(module, nn.Module):
            self._into_module(module, given)
            return
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        first = self._origin(call.args[0]) if call.args else None
        if name in ("rearrange", "reduce", "repeat", "unpack") and first is not None and len(call.args) > 1:
            pattern = call.args[1]
            if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str):
                lengths = {k.arg: size for k in call.keywords if k.arg and (size := self._number(k.value))}
                self.found[first].add(of_pattern(pattern.value.split("->")[0], lengths))
        elif name == "einsum" and call.args and isinstance(call.args[0], ast.Constant):
            for part, value in zip(str(call.args[0].value).split("->")[0].split(","), call.args[1:]):
                held = self._origin(value)
                if held is not None and "." not in part:
                    self.found[held].add(Want(rank=len(part.split()) if " " in part.strip() else len(part.strip())))
        elif name in _WEIGHTED and first is not None and len(call.args) > 1:
            weight = self._value(call.args[1])
            if isinstance(weight, torch.Tensor):
                self.found[first].add(_WEIGHTED[name](weight))
        elif name in ("max_pool2d", "avg_pool2d", "adaptive_avg_pool2d", "pixel_shuffle", "unfold") and first:
            self.found[first].add(Want(rank=4))
        elif name == "one_hot" and first is not None:
            self.found[first].add(Want(dtype="i64"))
        elif isinstance(call.func, ast.Attribute) and (held := self._origin(call.func.value)) is not None:
            if name in ("permute",) and len(call.args) > 1:
                self.found[held].add(Want(rank=len(call.args)))
            elif name in ("transpose", "flatten", "unsqueeze", "mean", "sum", "chunk", "squeeze"):
                places = [place for value in call.args if (place := _integer(value)) is not None]
                least = max([0, *(place + 1 if place >= 0 else -place for place in places)])
                self.found[held].add(Want(least=least - (name == "unsqueeze")))
        elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and self.depth < MAX_DEPTH:
            self._into_method(call, given)

    def _into_method(self, call: ast.Call, given: List[Tuple[Optional[str], ast.expr]]) -> None:
        """`self.embed(x)`: a method of the same module."""
        assert isinstance(call.func, ast.Attribute)
        owner = self._module(call.func.value)
        function = _source(getattr(type(owner), call.func.attr, None)) if isinstance(owner, nn.Module) else None
        if function is None:
            return
        names = [a.arg for a in function.args.args][1:]
        code = inspect.unwrap(getattr(type(owner), call.func.attr))
        inner = _Walk(self.reader, owner, getattr(code, "__globals__", {}), names, self.depth + 1)
        inner._body(function.body)
        self._hand_down(inner.found, names, given)

    def _into_module(self, module: nn.Module, given: List[Tuple[Optional[str], ast.expr]]) -> None:
        inner = self.reader.forward(module, self.depth + 1) if _is_own(module) else {}
        if given and given[0][0] is None and (held := self._origin(given[0][1])) is not None:
            self.found[held].add(self.reader.module(module, self.depth + 1))
        if inner:
            self._hand_down(inner, list(inner), given)
        elif isinstance(module, nn.MultiheadAttention):
            for _, value in given[:3]:
                if (held := self._origin(value)) is not None:
                    self.found[held].add(Want(rank=3, dims={-1: module.embed_dim}))

    def _hand_down(self, inner: Dict[str, Want], names: List[str], given: List[Tuple[Optional[str], ast.expr]]) -> None:
        for number, (keyword, value) in enumerate(given):
            held = self._origin(value)
            name = keyword or (names[number] if number < len(names) else None)
            if held is not None and name in inner:
                self.found[held].add(inner[name])

    def _origin(self, value: ast.expr) -> Optional[str]:
        """The parameter whose shape the value has."""
        if isinstance(value, ast.Name):
            return self.alias.get(value.id)
        if isinstance(value, ast.BinOp) and not isinstance(value.op, ast.MatMult):
            return self._origin(value.left) or self._origin(value.right)
        if isinstance(value, ast.Call):
            module = self._module(value.func)
            if isinstance(module, nn.Module) and value.args and _keeps_shape(module):
                return self._origin(value.args[0])
            if isinstance(value.func, ast.Attribute) and value.func.attr in (
                "float",
                "to",
                "contiguous",
                "clone",
                "type",
                "type_as",
                "detach",
                "long",
            ):
                return self._origin(value.func.value)
            name = value.func.attr if isinstance(value.func, ast.Attribute) else ""
            if name in ("relu", "gelu", "dropout", "silu", "tanh", "sigmoid", "normalize") and value.args:
                return self._origin(value.args[0])
        return None

    def _shape_of(self, value: ast.expr) -> Optional[str]:
        if isinstance(value, ast.Attribute) and value.attr == "shape":
            return self._origin(value.value)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "size":
            return self._origin(value.func.value) if not value.args else None
        return None

    def _module(self, value: ast.expr) -> Any:
        found = self._value(value)
        return found if isinstance(found, nn.Module) else None

    def _value(self, value: ast.expr) -> Any:
        """What names, attributes and constant subscripts of live modules are."""
        if isinstance(value, ast.Name):
            return self.live.get(value.id)
        if isinstance(value, ast.Attribute):
            owner = self._value(value.value)
            if isinstance(owner, nn.Module):
                return owner.__dict__.get(value.attr, _part(owner, value.attr))
            return None
        if isinstance(value, ast.Subscript):
            owner, index = self._value(value.value), _integer(value.slice)
            if (
                isinstance(owner, (nn.ModuleList, nn.Sequential))
                and index is not None
                and -len(owner) <= index < len(owner)
            ):
                return owner[index]
        return None

    def _number(self, value: ast.expr) -> Optional[int]:
        found = value.value if isinstance(value, ast.Constant) else self._value(value)
        return found if type(found) is int else None


def _part(owner: nn.Module, name: str) -> Any:
    for parts in (owner._modules, owner._parameters, owner._buffers):
        if name in parts:
            return parts[name]
    return None


def of_pattern(left: str, lengths: Any) -> Want:
    """The left side of an einops pattern: `b c (h p1) (w p2)`."""
    known = dict(lengths) if isinstance(lengths, (dict, tuple, list)) and lengths else {}
    axes = re.findall(r"\([^)]*\)|\S+", left.replace("...", " ... "))
    if "..." in axes or "*" in axes:
        return Want(least=len(axes) - 1)
    want = Want(rank=len(axes))
    for place, axis in enumerate(axes):
        names = axis.strip("()").split()
        sizes = [known.get(name, int(name) if name.isdigit() else 0) for name in names]
        product = 1
        for size in sizes:
            product *= size or 1
        if all(sizes) and sizes:
            want.dims[place] = product
        elif len(names) > 1 and product > 1:
            want.dims[place] = product * (8 if place == 1 and len(axes) == 5 and product < 4 else 4)
    return want


def _of_torch(module: nn.Module) -> Optional[Want]:
    for kinds, make in _KINDS:
        if isinstance(module, kinds):
            return make(module)
    name = type(module).__name__
    match = re.search(r"(?:Conv|Pool|BatchNorm|InstanceNorm|Pad|Unpool|Dropout|ConvTranspose)([123])d", name)
    if match and type(module).__module__.startswith("torch."):
        rank = int(match[1]) + 2
        size = getattr(module, "in_channels", None) or getattr(module, "num_features", None)
        exact = None if name == "BatchNorm1d" or name.startswith("Dropout") else rank
        least = getattr(module, "kernel_size", 1)
        least = max(least) if isinstance(least, tuple) else least
        multiple = (
            least
            if name.startswith("Conv") and getattr(module, "stride", 1) == getattr(module, "kernel_size", 0)
            else 1
        )
        return Want(rank=exact, dims={1: size} if size else {}, multiple=multiple if isinstance(multiple, int) else 1)
    return None


_KINDS: Tuple[Tuple[Any, Any], ...] = (
    (nn.Linear, lambda m: Want(dims={-1: m.in_features})),
    ((nn.Embedding, nn.EmbeddingBag), lambda m: Want(dtype="i64")),
    (nn.LayerNorm, lambda m: Want(dims={place - len(m.normalized_shape): size for place, size in enumerate(m.normalized_shape)})),
    (nn.GroupNorm, lambda m: Want(dims={1: m.num_channels})),
    (nn.MultiheadAttention, lambda m: Want(rank=3, dims={-1: m.embed_dim})),
    (nn.RNNBase, lambda m: Want(rank=3, dims={-1: m.input_size})),
    (nn.RNNCellBase, lambda m: Want(rank=2, dims={-1: m.input_size})),
    ((nn.TransformerEncoderLayer, nn.TransformerDecoderLayer), lambda m: Want(rank=3, dims={-1: m.self_attn.embed_dim})),
    ((nn.TransformerEncoder, nn.TransformerDecoder), lambda m: Want(rank=3, dims={-1: m.layers[0].self_attn.embed_dim})),
    (nn.Transformer, lambda m: Want(rank=3, dims={-1: m.d_model})),
    ((nn.Upsample, nn.PixelShuffle, nn.PixelUnshuffle, nn.Unfold), lambda m: Want(rank=4)),
    (nn.Bilinear, lambda m: Want(dims={-1: m.in1_features})),
)  # fmt: skip
if hasattr(nn, "RMSNorm"):
    _KINDS += (
        (
            nn.RMSNorm,
            lambda m: Want(
                dims={place - len(m.normalized_shape): size for place, size in enumerate(m.normalized_shape)}
            ),
        ),
    )

_WEIGHTED = {
    "linear": lambda w: Want(dims={-1: w.shape[-1]}),
    "embedding": lambda w: Want(dtype="i64"),
    "matmul": lambda w: Want(dims={-1: w.shape[-2]} if w.ndim > 1 else {}),
    "conv1d": lambda w: Want(rank=3, dims={1: w.shape[1]}),
    "conv2d": lambda w: Want(rank=4, dims={1: w.shape[1]}),
    "conv3d": lambda w: Want(rank=5, dims={1: w.shape[1]}),
}


def _keeps_shape(module: nn.Module) -> bool:
    name = type(module).__name__
    return bool(
        re.search(r"Norm|Dropout|Drop|Identity|ReLU|GELU|SiLU|Tanh|Sigmoid|Act|Swish|ELU|Softplus|Mish", name)
    ) and not list(child for child in module.children() if isinstance(child, nn.Linear))


def _is_own(module: nn.Module) -> bool:
    return not type(module).__module__.startswith("torch.")


def _integer(node: ast.expr) -> Optional[int]:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if type(value) is int else None


def _source(function: Any) -> Optional[ast.FunctionDef]:
    """The definition in its own text; None when that cannot be had."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError):
        return None
    node = tree.body[0] if tree.body else None
    return node if isinstance(node, ast.FunctionDef) else None


def statements(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """All statements of a function."""
    for node in ast.walk(function):
        if isinstance(node, ast.stmt):
            yield node
