"""Which `nn.Module` is running: the stack of module calls, and what each class of the workspace took and gave."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Callable, Dict, List, Optional, Protocol, Tuple

import torch
from torch import nn

from fx_lsp.model.trace import ModuleUse
from fx_lsp.model.value import Value
from fx_lsp.worker import weights
from fx_lsp.worker.capture import own_calls
from fx_lsp.worker.capture.attempts import Layer, source_of
from fx_lsp.worker.capture.describe import describe
from fx_lsp.worker.capture.record import Current, Failed, Record, Use

CallListener = Callable[[FrameType, nn.Module, Tuple[Value, ...], Optional[Value]], None]
"""(frame of the caller, module, inputs, output)"""


class Watcher(Protocol):
    """Is told of every module call, of the workspace or not."""

    def enter(self, frame: FrameType, module: nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> None:
        """`frame` calls the module."""

    def leave(self, frame: FrameType, module: nn.Module, result: Any, failed: bool) -> None:
        """The module entered last returned `result`, or raised."""


class Repeats(Protocol):
    """Knows modules whose run would be a repetition."""

    left_out: int
    """How many."""
    regretted: bool
    """Something was left out that turned out to matter."""

    def begin(self, paths: Dict[int, str], modules: List[nn.Module]) -> None:
        """An outermost module is called; everything below it, with its paths by `id`."""

    def call(
        self, run: Callable[..., Any], module: nn.Module, path: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]
    ) -> Any:
        """What `run(module, *args, **kwargs)` gives."""


class ModuleStack:
    """Wraps `nn.Module.__call__`, and what classes have in its place, for the life of the process."""

    def __init__(self, is_ours: Callable[[str], bool], current: Current) -> None:
        self.is_ours, self.current = is_ours, current
        self.path = ""
        """Path of the running module below the outermost one; empty outside and for the outermost itself."""
        self.inside_library = False
        """Running inside a module class that is not the workspace's: its operations are not shown one by one."""
        self.depth = 0
        self.chosen = self.outside = False
        """Whether not all that happens is of interest, and whether only what is done outside of modules is."""
        self.listener: Optional[CallListener] = None
        self.ended: Callable[[Any], None] = lambda result: None
        """Is told of what each module of the workspace gives."""
        self.watcher: Optional[Watcher] = None
        self.repeats: Optional[Repeats] = None
        """Leaves out what is known, where that is wanted."""
        self._paths: Dict[int, str] = {}
        self._keep: List[nn.Module] = []
        self._library: Dict[type, bool] = {}

    def install(self) -> None:
        """Put the wrapper in place of `nn.Module.__call__`."""
        original: Callable[..., Any] = nn.Module.__call__
        stack = self

        def __call__(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
            return stack.run(original, self, args, kwargs)

        nn.Module.__call__ = __call__  # type: ignore[method-assign]
        own_calls.install(self.run, self.is_ours)

    def run(self, original: Callable[..., Any], module: nn.Module, args: Tuple[Any, ...], kwargs: Any) -> Any:
        """Call the module with the stack pushed."""
        outer = self.path, self.inside_library, self.depth
        shown = not self.inside_library
        library = self._is_library(type(module))
        if self.depth == 0:
            weights.are_no_data(args, kwargs)
            named = list(module.named_modules())
            self._paths = {id(child): name for name, child in named}
            if self.repeats is not None:
                self.repeats.begin(self._paths, [child for _, child in named])
            self._keep.append(module)  # ids stay unique while their modules live
        self.path = self._paths.get(id(module), self.path)
        self.inside_library, self.depth = library, self.depth + 1
        described = shown or not library
        inputs = tuple(filter(None, map(describe, (*args, *kwargs.values())))) if described else ()
        use = None if library else self._use(module, inputs)
        try:
            result = self._called(original, module, args, kwargs)
        except BaseException as error:
            self._failed(error, module, args, kwargs)
            raise
        finally:
            self.path, self.inside_library, self.depth = outer
        if not library:
            self.ended(result)
        if shown or use is not None:
            output = describe(result)
            if use is not None:
                use.output = output
            if shown and self.listener is not None:
                self.listener(sys._getframe(2), module, inputs, output)
        return result

    def close(self) -> None:
        """Nothing more of this run is of interest."""
        self.chosen = self.current.record.closed = True

    def passes_over(self) -> bool:
        """Whether what happens now is not of interest, where not everything is."""
        return self.current.record.closed or (self.outside and self.depth > 0)

    def holds(self, item: torch.Tensor) -> bool:
        """Whether it is a buffer of what runs, or a view of one: it moves when the model does."""
        with torch._C.DisableTorchFunction():
            buffers = nn.Module.buffers(self._keep[-1]) if self.depth else iter(())
            return any(one is item or one is item._base for one in buffers)

    def _failed(self, error: BaseException, module: nn.Module, args: Tuple[Any, ...], kwargs: Any) -> None:
        """Only the innermost module says something about the error."""
        record = self.current.record
        record.failed_inside = True
        if record.failed.error is not error:
            record.failed = Failed(error)
        if not record.failed.inside:
            record.failed.inside = True
            if self.inside_library:
                record.failed.layer = layer = Layer(module, args, kwargs)
                layer.owner, layer.attribute = self._owner(module)

    def _owner(self, module: nn.Module) -> Tuple[Optional[type], str]:
        """The class of the nearest module above it that is of the workspace, and the way from there."""
        names = self._paths.get(id(module), "").split(".")
        above: List[nn.Module] = [self._keep[-1]]
        for name in names[:-1]:
            inner = vars(above[-1])["_modules"].get(name)
            if not isinstance(inner, nn.Module):
                return None, ""
            above.append(inner)
        for depth in reversed(range(len(above) if names[-1] else 0)):
            if not self._is_library(type(above[depth])):
                return type(above[depth]), ".".join(names[depth:])
        return None, ""

    def _called(self, original: Callable[..., Any], module: nn.Module, args: Tuple[Any, ...], kwargs: Any) -> Any:
        """Run it, or leave it out when it is known what it would do."""
        if self.repeats is None:
            return self._watched(original, module, args, kwargs)
        return self.repeats.call(original, module, self.path, args, kwargs)

    def _watched(self, original: Callable[..., Any], module: nn.Module, args: Tuple[Any, ...], kwargs: Any) -> Any:
        watcher = self.watcher
        if watcher is None:
            return original(module, *args, **kwargs)
        frame = sys._getframe(4)
        watcher.enter(frame, module, args, kwargs)
        try:
            result = original(module, *args, **kwargs)
        except BaseException:
            watcher.leave(frame, module, None, failed=True)
            raise
        watcher.leave(frame, module, result, failed=False)
        return result

    def _use(self, module: nn.Module, inputs: Tuple[Value, ...]) -> Optional[Use]:
        """The entry of the module's class, if this is its first call."""
        uses = self.current.record.uses
        known = uses.get(type(module))
        use = uses[type(module)] = known or Use(module, self.path, inputs)
        self.current.record.used(use)
        return use if known is None else None

    def _is_library(self, cls: type) -> bool:
        if cls not in self._library:
            self._library[cls] = not self.is_ours(source_of(cls))
        return self._library[cls]


def module_uses(record: Record) -> Tuple[ModuleUse, ...]:
    """One entry per module class of the workspace that ran, in order of first call."""
    return tuple(
        ModuleUse(source_of(cls), cls.__qualname__, use.inputs, use.output, parameter_count(use.module), use.path,
                  use.calls)
        for cls, use in record.uses.items()
    )  # fmt: skip


def parameter_count(module: nn.Module) -> int:
    """Number of parameters below the module, shared ones once."""
    with torch._C.DisableTorchFunction():
        try:
            return sum(parameter.numel() for parameter in nn.Module.parameters(module))
        except (RuntimeError, ValueError):  # a lazy module that has not run has no sizes yet
            return 0
