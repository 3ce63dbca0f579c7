"""The graph of one module call, node by node as it runs.

What the graph says is what ran: sizes that Python computed are numbers in it, branches and loops are gone.  Its
parameters and buffers are those of the module, so that a `torch.fx.GraphModule` of both computes what the module did.
"""

from __future__ import annotations

import operator
import sys
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Dict, List, Optional, Set, Tuple

import torch
from torch import fx, nn

from fx_lsp.model.value import Value
from fx_lsp.worker.capture.describe import describe, tensor_type
from fx_lsp.worker.capture.frames import chain
from fx_lsp.worker.graph.arguments import Arguments
from fx_lsp.worker.graph.autocast import Autocast
from fx_lsp.worker.graph.calls import spell
from fx_lsp.worker.graph.counting import Counter, storage, tensors_in
from fx_lsp.worker.levels import Level

MAX_NODES = 60_000
"""Nodes of one graph; what runs after them is counted and left out."""

Site = Tuple[str, CodeType, int, Optional[int]]
"""Where in the workspace: file, code, instruction, line.  Code of two files may be equal, so the file is named too."""


@dataclass
class Scope:
    """One call of a module."""

    module: nn.Module
    path: str
    parent: int
    call: int
    site: Optional[Site]


@dataclass
class About:
    """What is known of a node besides the node itself."""

    scope: int
    value: Optional[Value] = None
    """Its output as it was then: what runs later may change the tensor."""
    site: Optional[Site] = None
    module: Optional[nn.Module] = None
    """The module that it calls."""
    source: str = ""
    parameters: int = 0
    flops: int = 0
    bytes: int = 0


@dataclass
class Recording:
    """A graph that grows while its module runs."""

    level: Level
    root: nn.Module
    counted: bool = True
    """Whether to watch what lies below the torch functions."""
    counter: Counter = field(default_factory=Counter)
    """Runs as long as the root does."""
    graph: fx.Graph = field(default_factory=fx.Graph)
    scopes: List[Scope] = field(default_factory=list)
    about: Dict[fx.Node, About] = field(default_factory=dict)
    running: List[int] = field(default_factory=list)
    """The scopes that run now, outermost first."""
    failed: Optional[fx.Node] = None
    """The last node, when what it raised ended the run."""
    done: bool = False
    omitted: int = 0

    def __post_init__(self) -> None:
        self.arguments = Arguments(self)
        self.autocast = Autocast(self)
        self.paths = {id(module): name for name, module in self.root.named_modules()}
        self._calls: Dict[int, int] = {}
        self._storages: Set[int] = set()
        self._muted = 0
        self._failures: List[Tuple[fx.Node, Optional[BaseException]]] = []
        self._states = {
            id(module): _state(module) for module in nn.Module.modules(self.root) if self.level.is_leaf(module)
        }
        self._site: Optional[Site] = None
        self._started: List[Tuple[Optional[nn.Module], Tuple[Any, ...], Dict[str, Any], int]] = []

    def module(self) -> fx.GraphModule:
        """The graph as a module that computes what the call did, with the parameters of the original."""
        attributes: Dict[str, Any] = dict(self.arguments.constants)
        for node in self.graph.nodes:
            if node.op == "call_module":
                attributes[node.target] = self.root.get_submodule(node.target)
            elif node.op == "get_attr" and node.target not in attributes:
                attributes[node.target] = operator.attrgetter(node.target)(self.root)
        return fx.GraphModule(attributes, self.graph)

    # -- modules ------------------------------------------------------------------------------------------------------

    def enter(self, module: nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any], site: Optional[Site]) -> None:
        """A module is called below the root, or is the root itself."""
        hidden = torch._C._functorch.peek_interpreter_stack() is not None
        if self._muted or (self.running and (hidden or self.is_leaf(module))):
            self._muted += 1
            if self._muted == 1:
                self._started.append((module if not hidden else None, args, kwargs, self.counter.flops))
            return
        number = self._calls.get(id(module), 0)
        self._calls[id(module)] = number + 1
        parent = self.running[-1] if self.running else -1
        path = self.paths.get(id(module))
        if path is None:  # it is no attribute of the root: in a plain list, or made on the way
            path = f"{self.scopes[parent].path}.<{type(module).__name__}>".lstrip(".")
        self.running.append(len(self.scopes))
        self.scopes.append(Scope(module, path, parent, number, site))
        if parent == -1:
            self.arguments.placeholders(args, kwargs)
            if self.counted:
                self.counter.__enter__()

    def leave(self, result: Any, site: Optional[Site], failed: bool) -> None:
        """The module that was entered last returned `result`, or raised."""
        if self._muted:
            self._muted -= 1
            if not self._muted:
                module, args, kwargs, before = self._started.pop()
                if module is None:  # inside a transform, on values that no graph has
                    return
                self.autocast.follow()
                spelled = "call_module", self.paths[id(module)], args, kwargs
                node = self._add(spelled, result, site, self.counter.flops - before, failed)
                if node is not None:
                    self.about[node].module = module
                    self.about[node].source = type(module).__name__
            return
        self.running.pop()
        if not self.running:
            if self.counted:
                self.counter.__exit__(None, None, None)
            self.done = True
            self._settle_failures(sys.exc_info()[1] if failed else None)
            if not failed and not self.omitted:
                self.autocast.leave()
                node = self.graph.output(self.arguments.of(result))
                self.about[node] = About(0, described(result), site)

    def is_leaf(self, module: nn.Module) -> bool:
        """Whether a call of it is one node: the root has it, and it is as it was when the root was called."""
        return self._states.get(id(module), ()) == _state(module) if self.level.is_leaf(module) else False

    # -- functions ----------------------------------------------------------------------------------------------------

    @property
    def listens(self) -> bool:
        """Whether functions that run now belong into the graph."""
        return bool(self.running) and not self._muted and torch._C._functorch.peek_interpreter_stack() is None

    def called(
        self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], result: Any, site: Optional[Site], flops: int,
        failed: bool,
    ) -> None:  # fmt: skip
        """A torch function ran, and cost `flops`."""
        made = tensors_in(result)
        if not made and not failed and not (result is None and (tensors_in(args) or func in _STATEMENTS)):
            return  # a size, a dtype, a number: it is in the arguments of what follows
        self.autocast.follow()
        self._add(spell(func, args, kwargs), result, site, flops, failed)

    def _add(self, spelled: Any, result: Any, site: Optional[Site], flops: int, failed: bool) -> Optional[fx.Node]:
        if len(self.graph.nodes) >= MAX_NODES:
            self.omitted += 1
            return None
        op, target, args, kwargs = spelled
        self._site = site
        node = self.graph.create_node(op, target, self.arguments.of(tuple(args)), self.arguments.of(dict(kwargs)))
        about = self.about[node] = About(self.running[-1], described(result), site, flops=flops)
        if failed:
            self._failures.append((node, sys.exc_info()[1]))
        else:
            about.bytes = self._new_bytes(result)
            self.arguments.made(node, result)
        return node

    def note(self, node: fx.Node, value: Any, source: str = "", like: Optional[fx.Node] = None) -> None:
        """What is known of a node that no call of the code made; it stands where the node `like` does."""
        if like is not None:
            self.about[node] = About(self.about[like].scope, described(value), self.about[like].site)
            return
        parameters = value.numel() if source == "parameter" and isinstance(value, torch.Tensor) else 0
        scope = self.running[-1] if self.running else 0
        self.about[node] = About(scope, described(value), self._site, source=source, parameters=parameters)

    def statement(self, func: Any, args: Tuple[Any, ...]) -> fx.Node:
        """A call of no tensor."""
        node = self.graph.call_function(func, args)
        self.about[node] = About(self.running[-1] if self.running else 0)
        return node

    def _settle_failures(self, error: Optional[BaseException]) -> None:
        """Keep the node that raised what ended the run, and nothing after it; what was caught is no part of it."""
        ending = {id(one) for one in chain(error)} if error is not None else set()
        fatal = [node for node, raised in self._failures if id(raised) in ending]
        self.failed = fatal[-1] if fatal else None
        after = False
        caught = {node for node, _ in self._failures} - {self.failed}
        for node in reversed([*self.graph.nodes] if self._failures else []):
            after = after or node is self.failed
            if node in caught or (self.failed is not None and not after):
                self.graph.erase_node(node)
                del self.about[node]

    def _new_bytes(self, result: Any) -> int:
        new = 0
        for tensor in tensors_in(result):
            number = storage(tensor)
            if number and number in self.counter.made and number not in self._storages:
                new += tensor.untyped_storage().nbytes()
            self._storages.add(number)
        return new


def _state(module: nn.Module) -> Tuple[Any, ...]:
    """What a call of the module depends on besides its arguments; another one where code swaps it."""
    tensors = (*module.parameters(), *module.buffers())
    return (*map(id, tensors), *(one.training for one in nn.Module.modules(module)))


def described(result: Any) -> Optional[Value]:
    """As `describe`, with the strides of a tensor."""
    return tensor_type(result, layout=True) if isinstance(result, torch.Tensor) else describe(result)


_STATEMENTS = frozenset({torch._C._set_grad_enabled})
"""Functions that return nothing and take no tensor, but change what comes after."""
