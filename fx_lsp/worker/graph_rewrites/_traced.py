"""A model as a graph by `torch.fx.Tracer`, for all sizes of its inputs."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import torch
from torch import fx, nn
from torch.fx import _symbolic_trace

from fx_lsp.worker.graph.counting import tensors_in
from fx_lsp.worker.graph_rewrites._spelled import spelled


class Traced(NamedTuple):
    """A graph that computes what the model does in `eval()`."""

    module: fx.GraphModule
    names: Tuple[str, ...]
    """Of its inputs; what else the example gives, or leaves out, is part of the graph."""


def traced(model: nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Traced:
    """The graph; arguments without a tensor are what they are here.

    Raises:
        Exception: Python code of the model cannot go on without values.
    """
    given = arguments(model, args, kwargs)
    tracer = _Tracer(model, args, kwargs)
    _unwrap()
    graph = tracer.trace(model)
    for node in graph.nodes:
        node.type = None  # annotations are the model's names
    return Traced(fx.GraphModule(model, graph, type(model).__name__), tuple(_inputs(given)))


def _unwrap() -> None:
    """Trace into functions of packages that are wrapped: they are not there where only torch is.

    For a process of its own.
    """
    wrapped = _symbolic_trace._wrapped_fns_to_patch
    for place, name in [*wrapped]:
        function = wrapped[place, name].get(name)
        if not (getattr(function, "__module__", None) or "torch").startswith(("torch.", "builtins", "math")):
            del wrapped[place, name]


def arguments(model: nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """By name; those of `*args` are numbered."""
    bound = inspect.signature(model.forward).bind(*args, **kwargs)
    found: Dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            found.update({f"{name}_{number}": one for number, one in enumerate(value)})
        elif kind is inspect.Parameter.VAR_KEYWORD:
            found.update(value)
        else:
            found[name] = value
    return found


def _inputs(given: Dict[str, Any]) -> List[str]:
    return [name for name, value in given.items() if tensors_in(value)]


class _Tracer(fx.Tracer):
    """Its leaves are the layers that can be written as code; its inputs are the arguments with tensors."""

    proxy_buffer_attributes = True  # else what is computed from a buffer would be a constant

    def __init__(self, model: nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        super().__init__()
        self._model, self._args, self._kwargs = model, args, kwargs
        self._leaves = {id(one) for one in model.modules() if one is not model and spelled(one) is not None}

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        """Whether a call of it is one node."""
        return id(m) in self._leaves

    def create_args_for_root(
        self, root_fn: Callable[..., Any], is_module: bool, concrete_args: Any = None
    ) -> Tuple[Any, List[Any]]:
        """One placeholder for each argument with a tensor."""
        given = arguments(self._model, self._args, self._kwargs)
        proxies = {name: self.create_proxy("placeholder", name, (), {}) for name in _inputs(given)}
        taken = iter({**given, **proxies}.values())
        bound = inspect.signature(self._model.forward).bind(*self._args, **self._kwargs)
        for name, value in bound.arguments.items():
            kind = bound.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(next(taken) for _ in value)
            elif kind is inspect.Parameter.VAR_KEYWORD:
                bound.arguments[name] = {key: next(taken) for key in value}
            else:
                bound.arguments[name] = next(taken)

        def forward(root: nn.Module) -> Any:
            return root_fn(root, *bound.args, **bound.kwargs)

        return forward, [self._model]


def dims(module: fx.GraphModule, inputs: List[Any]) -> Dict[str, int]:
    """Number of dims of the tensor that each node gives, by its name."""
    watched = _Dims(module)
    with torch.no_grad():
        watched.run(*inputs)
    return watched.found


class _Dims(fx.Interpreter):
    def __init__(self, module: fx.GraphModule) -> None:
        super().__init__(module)
        self.found: Dict[str, int] = {}

    def run_node(self, n: fx.Node) -> Any:
        """Run it, and look at what it gives."""
        result = super().run_node(n)
        if isinstance(result, torch.Tensor):
            self.found[n.name] = result.dim()
        return result
