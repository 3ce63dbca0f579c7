"""Weights that nothing reads: they are saved, moved and decayed, and training on several devices waits for their
gradient; mostly a layer was forgotten.

    self.norm1 = nn.LayerNorm(512)
    self.norm2 = nn.LayerNorm(512)
    ...
    x = x + self.mlp(self.norm1(x))  # twice

Instead: call it, or do not make it.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from fx_lsp.analysis.diagnostics import Rule
from fx_lsp.analysis.diagnostics._flows import file_of
from fx_lsp.analysis.names import dotted
from fx_lsp.analysis.rewrites._class import is_closed, module_of, reads
from fx_lsp.analysis.rewrites._file import File, bound
from fx_lsp.analysis.snapshot import Problem, Snapshot

_WEIGHTED = frozenset({
    "Linear", "Bilinear", "Embedding", "EmbeddingBag", "Parameter", "LayerNorm", "GroupNorm", "RMSNorm", "BatchNorm1d",
    "BatchNorm2d", "BatchNorm3d", "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "MultiheadAttention",
    "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer", "TransformerDecoderLayer", "PReLU",
    "Sequential", "ModuleList", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
})  # fmt: skip
_ALL = frozenset({"children", "named_children", "modules", "named_modules", "_modules", "_parameters", "__dict__",
                  "vars", "named_parameters", "state_dict"})  # fmt: skip
"""What reaches every layer without its name."""


def find(snapshot: Snapshot, shown: Container[str]) -> Iterator[Problem]:
    """One problem for each layer that no line of the file names, in a class that is nobody's base and whose `forward`
    came to its end."""
    uses = [
        use
        for trace in snapshot.traces
        if not trace.older and trace.reply.failure is None
        for use in trace.reply.modules
        if use.path == snapshot.path and use.output is not None
    ]
    ended, weighted = {use.name for use in uses}, {use.name for use in uses if use.parameters}
    file = file_of(snapshot) if ended else None
    owners = {id(owner): owner for _, owner in file.functions() if owner is not None} if file is not None else {}
    for owner in owners.values():
        if file is None or file.names.get(id(owner)) not in ended:
            continue
        for target, layer in _made(file, owner):
            known = layer in weighted or (layer.startswith("torch.nn.") and layer.rpartition(".")[2] in _WEIGHTED)
            if not known or _is_read(file, owner, target.attr) or not _is_plain(file, owner):
                continue
            if not reads(file, owner, target.attr) and is_closed(file, owner) and not _is_in_path(file, target.attr):
                what = "a parameter" if layer.endswith(".Parameter") else f"a `{layer.rpartition('.')[2]}`"
                message = f"`self.{target.attr}` is {what} that nothing uses"
                yield Problem(file.source.span(target), "warning", RULE.id, message)


def _made(file: File, owner: ast.ClassDef) -> Iterator[tuple[ast.Attribute, str]]:
    """What `__init__` makes in any case and binds once: the attribute, and the class by its dotted name; not what is
    there on purpose, to have a parameter at all: `self.dummy`, or in a class that is called so."""
    inits = [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    for statement in inits[0].body if len(inits) == 1 else ():
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:  # else it has another name
            continue
        for target, value in bound(statement):
            if (
                isinstance(target, ast.Attribute)
                and getattr(target.value, "id", "") == "self"
                and isinstance(value, ast.Call)
            ):
                if "dummy" in f"{owner.name} {target.attr}".lower() or _is_empty(file.dotted(value.func), value):
                    continue
                first, last = owner.lineno, owner.end_lineno or owner.lineno
                if sum(first <= one.lineno <= last for one in file.stores(target.attr)) == 1:
                    yield target, module_of(file, value) or file.dotted(value.func) or (dotted(value.func) or "")


def _is_empty(layer: str, call: ast.Call) -> bool:
    """Whether it is a list of layers without any: it has no weights."""
    return layer in ("torch.nn.ModuleList", "torch.nn.Sequential") and not call.args and not call.keywords


def _is_read(file: File, owner: ast.ClassDef, name: str) -> bool:
    """Whether the class itself reads it: mostly, and quick to see."""
    last = owner.end_lineno or owner.lineno
    reads = (one.lineno for one in file.attributes.get(name, ()) if isinstance(one.ctx, ast.Load))
    return any(owner.lineno <= line <= last for line in reads)


def _is_in_path(file: File, name: str) -> bool:
    """Whether a text of the file is a path to such an attribute: `{"head.decoder.bias": "head.bias"}` ties the two."""
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith(f".{name}")
        for node in (ast.walk(file.source.tree) if file.source.tree is not None else ())
    )


def _is_plain(file: File, owner: ast.ClassDef) -> bool:
    """Whether nothing but its own text uses what it makes: it inherits from torch, and reads no layers at once."""
    names = {
        getattr(node, "attr", getattr(node, "id", ""))
        for function in owner.body
        if not (isinstance(function, ast.FunctionDef) and "init" in function.name)
        for node in ast.walk(function)
    }
    plain = all(file.dotted(base) == "torch.nn.Module" for base in owner.bases) and not names & _ALL
    return plain and not _goes_over_parameters(owner)


def _goes_over_parameters(owner: ast.ClassDef) -> bool:
    """Whether `forward` takes more of `self.parameters()` than the first, for its device or dtype."""
    inside = [
        node
        for function in owner.body
        if isinstance(function, ast.FunctionDef) and function.name == "forward"
        for node in ast.walk(function)
    ]
    calls = [one for one in inside if isinstance(one, ast.Call)]
    subscripts = [one for one in inside if isinstance(one, ast.Subscript)]
    takers = [*subscripts, *(one for one in calls if dotted(one.func) == "next")]
    first = [part for one in takers for part in ast.walk(one)]
    return any(one not in first for one in calls if dotted(one.func) == "self.parameters")


RULE = Rule(id="unused-parameters", title="Weights that nothing reads", find=find)
