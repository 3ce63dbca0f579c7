"""Parameters of the constructors of layers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from fx_lsp.analysis.source import Source, walk

_RECURRENT = ("input_size", "hidden_size", "num_layers")
_CONV = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups")
PARAMETERS = {
    "Linear": ("in_features", "out_features"),
    "Bilinear": ("in1_features", "in2_features", "out_features"),
    **{f"Conv{dims}d": _CONV for dims in (1, 2, 3)},
    **{f"ConvTranspose{dims}d": (*_CONV[:5], "output_padding", "groups") for dims in (1, 2, 3)},
    **{f"{name}Norm{dims}d": ("num_features",) for name in ("Batch", "Instance") for dims in (1, 2, 3)},
    "SyncBatchNorm": ("num_features",),
    "LayerNorm": ("normalized_shape",),
    "RMSNorm": ("normalized_shape",),
    "GroupNorm": ("num_groups", "num_channels"),
    **{f"{name}{cell}": _RECURRENT[: 2 if cell else 3] for name in ("RNN", "LSTM", "GRU") for cell in ("", "Cell")},
    "Embedding": ("num_embeddings", "embedding_dim"),
    "EmbeddingBag": ("num_embeddings", "embedding_dim"),
    "MultiheadAttention": ("embed_dim", "num_heads"),
    **{f"Transformer{name}": ("d_model", "nhead") for name in ("", "EncoderLayer", "DecoderLayer")},
    **{f"{name}Pool{dims}d": ("kernel_size", "stride", "padding") for name in ("Max", "Avg") for dims in (1, 2, 3)},
    "Softmax": ("dim",),
    "LogSoftmax": ("dim",),
    "Flatten": ("start_dim", "end_dim"),
    "Unflatten": ("dim", "unflattened_size"),
    **{f"Dropout{dims}": ("p",) for dims in ("", "1d", "2d", "3d")},
    **{name: () for name in ("Sequential", "ModuleList", "ModuleDict", "range", "isinstance", "super")},
}
"""Parameters of each constructor that are given by place."""
SIZES = frozenset(
    {"in_features", "out_features", "in_channels", "out_channels", "num_features", "num_channels", "normalized_shape",
     "input_size", "hidden_size", "embed_dim", "embedding_dim", "in1_features", "in2_features", "kdim", "vdim",
     "d_model"}
)  # fmt: skip
"""Those that are numbers of features."""
NO_SIZES = frozenset({name for names in PARAMETERS.values() for name in names} - SIZES | {"bias", "dropout", "eps"})
"""Those that are something else."""


def called(call: ast.Call) -> str:
    """Last part of the name of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def arguments(call: ast.Call) -> list[ast.expr]:
    """What is given by place, then what is given by name."""
    return [*call.args, *(one.value for one in call.keywords)]


def layer_of(source: Source, call: ast.Call) -> str:
    """The class of the layer that a call makes, itself or as a `partial` or a function of the file."""
    name = called(call)
    for statement in source.tree.body if source.tree is not None and name not in PARAMETERS else ():
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            bound = statement.targets[0]
            made = statement.value.args[:1]
            if isinstance(bound, ast.Name) and bound.id == name and called(statement.value) == "partial" and made:
                return getattr(made[0], "attr", getattr(made[0], "id", name))
        if isinstance(statement, ast.FunctionDef) and statement.name == name:
            values = [one.value for one in walk(statement) if isinstance(one, ast.Return)]
            return next((called(one) for one in values if isinstance(one, ast.Call)), name)
    return name


def parameters_of(source: Source, call: ast.Call) -> tuple[str, ...]:
    """Those that a call that makes a layer gives by place."""
    name, functions = layer_of(source, call), source.tree.body if source.tree is not None else []
    known = PARAMETERS.get(name, ())
    for function in functions if name != called(call) else ():
        if isinstance(function, ast.FunctionDef) and function.name == called(call):
            inner = next(one for one in walk(function) if isinstance(one, ast.Call) and called(one) == name)
            return passed_on(function, inner, known)
    return known


def passed(call: ast.Call, names: Sequence[str]) -> dict[str, ast.expr]:
    """What a call gives to each parameter; these are the `names` of those that it gives by place."""
    named = {one.arg: one.value for one in call.keywords if one.arg is not None}
    return {**dict(zip(names, call.args, strict=False)), **named}


def passed_on(function: ast.FunctionDef, call: ast.Call, names: Sequence[str]) -> tuple[str, ...]:
    """What the parameters of a function are called by what it calls, whose own parameters have these names."""
    known = {node.id: name for name, node in passed(call, names).items() if isinstance(node, ast.Name)}
    return tuple(known.get(one.arg, one.arg) for one in function.args.args)


def passed_to(function: ast.FunctionDef) -> list[str]:
    """Its parameters that a call gives by place: not `self`."""
    names = [one.arg for one in function.args.args]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names
