"""From live values to what FX nodes may have as arguments."""

from __future__ import annotations

import inspect
import operator
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

import torch
from torch import fx
from torch.nn.utils.rnn import PackedSequence

from fx_lsp.worker.capture.describe import MAX_DEPTH, PLAIN, field_of
from fx_lsp.worker.graph.counting import storage

if TYPE_CHECKING:
    from fx_lsp.worker.graph.recording import Recording

_PLAIN = (str, int, float, bool, complex, torch.dtype, torch.device, torch.memory_format, torch.layout)
_EMPTY = inspect.Parameter.empty
_FIRST = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}

Step = Tuple[Any, Any]
"""`operator.getitem` or `getattr`, and the key or the name."""


class Arguments:
    """Knows which node made which tensor."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.constants: Dict[str, Any] = {}
        """Attributes that the graph needs besides those of its module."""
        self._makers: Dict[int, Tuple[fx.Node, Tuple[Step, ...]]] = {}
        self._parts: Dict[Tuple[fx.Node, Step], fx.Node] = {}
        self._names: Optional[Dict[int, Tuple[str, str]]] = None
        self._keep: List[torch.Tensor] = []

    def of(self, value: Any, depth: int = MAX_DEPTH + 2) -> Any:
        """The argument that stands for `value`, which may make nodes for what it needs."""
        if value is None or value is ... or type(value) in _PLAIN:
            return value
        if isinstance(value, torch.Tensor):
            return self._node(value)
        if depth == 0:
            return self._constant(value, "_object")
        if isinstance(value, torch.Size):
            return tuple(value)
        if isinstance(value, PackedSequence):
            return self._recording.statement(PackedSequence, tuple(self.of(part, depth - 1) for part in value))
        if isinstance(value, (tuple, list)):
            parts = [self.of(part, depth - 1) for part in value]
            return parts if isinstance(value, list) else tuple(parts)
        if isinstance(value, dict):
            return {key: self.of(part, depth - 1) for key, part in dict.items(value)}
        if isinstance(value, slice):
            return slice(*(self.of(part, depth - 1) for part in (value.start, value.stop, value.step)))
        for plain in (bool, int, float, str):
            if isinstance(value, plain):
                return plain(value)
        if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", None) == 0:
            return value.item()
        fields = getattr(type(value), "__dataclass_fields__", None)
        if fields is not None and not isinstance(value, torch.nn.Module):
            return {name: self.of(field_of(value, name), depth - 1) for name in fields}
        return self._constant(value, "_object")

    def made(self, node: fx.Node, result: Any, steps: Tuple[Step, ...] = ()) -> None:
        """`node` made the tensors in `result`."""
        cls = type(result)
        if cls in PLAIN or len(steps) > MAX_DEPTH:
            return
        if issubclass(cls, torch.Tensor):
            self._makers[id(result)] = node, steps
            self._keep.append(result)  # the id of a tensor that is gone would be given to another
        elif issubclass(cls, (tuple, list)):
            for number, part in enumerate(result):
                self.made(node, part, (*steps, (operator.getitem, number)))
        elif issubclass(cls, dict):
            for key, part in dict.items(result):
                self.made(node, part, (*steps, (operator.getitem, key)))
        elif hasattr(cls, "__dataclass_fields__") and not issubclass(cls, torch.nn.Module):
            for name in cls.__dataclass_fields__:
                self.made(node, field_of(result, name), (*steps, (getattr, name)))

    def placeholders(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        """One node for each parameter of the root's `forward`, in its order."""
        try:
            bound = inspect.signature(self._recording.root.forward).bind(*args, **kwargs)
        except (TypeError, ValueError):  # it will raise the same when it is called; or it cannot be looked at
            for number, value in enumerate((*args, *kwargs.values())):
                self._placeholder(f"arg{number}", value, _EMPTY)
            return
        optional = False
        for name, parameter in bound.signature.parameters.items():
            star = _FIRST.get(parameter.kind, "")
            default = parameter.default
            if optional and default is _EMPTY and not star:
                default = None  # keyword-only: the graph's own signature has no such kind
            optional |= default is not _EMPTY
            self._placeholder(star + name, bound.arguments.get(name), _EMPTY if star else default)

    def _placeholder(self, target: str, value: Any, default: Any) -> None:
        if default is not _EMPTY and not isinstance(default, (type(None), *_PLAIN)):
            default = None
        node = self._recording.graph.placeholder(target, default_value=default)
        self._recording.note(node, value)
        self.made(node, value)

    def _node(self, tensor: torch.Tensor) -> fx.Node:
        maker = self._makers.get(id(tensor))
        if maker is None:
            return self._attribute(tensor)
        node, steps = maker
        for step in steps:
            part = self._parts.get((node, step))
            if part is None:
                part = self._recording.graph.call_function(step[0], (node, step[1]))
                self._recording.note(part, tensor if step is steps[-1] else None, like=node)
                self._parts[node, step] = part
            node = part
        self._makers[id(tensor)] = node, ()
        return node

    def _attribute(self, tensor: torch.Tensor) -> fx.Node:
        if self._names is None:
            self._names = _names(self._recording.root)
        name, source = self._names.get(id(tensor), ("", ""))
        if not name:
            unseen = storage(tensor) in self._recording.counter.made and not isinstance(tensor, torch.nn.Parameter)
            return self._constant(tensor, "_tensor_constant", "unseen" if unseen else "constant")
        node = self._recording.graph.create_node("get_attr", name)
        self._recording.note(node, tensor, source)
        self.made(node, tensor)
        return node

    def _constant(self, value: Any, prefix: str, source: str = "constant") -> fx.Node:
        taken = len(self.constants)
        while hasattr(self._recording.root, f"{prefix}{taken}"):
            taken += 1
        name = f"{prefix}{taken}"
        self.constants[name] = value
        node = self._recording.graph.create_node("get_attr", name)
        self._recording.note(node, value, source)
        self.made(node, value)
        return node


def _names(root: torch.nn.Module) -> Dict[int, Tuple[str, str]]:
    """Name and kind of every tensor that the module and those below it hold."""
    found: Dict[int, Tuple[str, str]] = {}
    for path, module in root.named_modules():
        kinds = ((module._parameters, "parameter"), (module._buffers, "buffer"), (vars(module), "constant"))
        for tensors, kind in kinds:
            for name, tensor in tensors.items():
                if isinstance(tensor, torch.Tensor):
                    found.setdefault(id(tensor), (f"{path}.{name}".lstrip("."), kind))
    return found
