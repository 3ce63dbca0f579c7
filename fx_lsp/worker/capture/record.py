"""What one run left behind, before it becomes facts; all observers write to the same record."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Callable, Dict, List, Optional, Set, Tuple, Union

from torch import nn

from fx_lsp.model.failure import Attempt
from fx_lsp.model.span import Span
from fx_lsp.model.value import Value
from fx_lsp.worker.capture.attempts import Layer

MAX_PATHS = 64
"""Module paths kept per distinct value."""
MAX_SEQUENCE = 4096
"""Values kept in order per site, to compare runs with."""


class Seen:
    """One distinct value or signature: how often, and under which module paths."""

    __slots__ = ("count", "module", "paths")

    def __init__(self, module: Optional[nn.Module] = None) -> None:
        self.count = 0
        self.paths: Dict[str, None] = {}
        self.module = module
        """The module called, for a module call."""

    def add(self, path: str) -> None:
        """Count one more occurrence under a module path."""
        self.count += 1
        if len(self.paths) < MAX_PATHS:
            self.paths[path] = None


Signature = Tuple[Tuple[Value, ...], Value, Optional[int], bool]
"""Inputs and output of an operation; which input the output is a view of; whether it made it not contiguous."""


class Called:
    """An operation at one place of the code."""

    __slots__ = ("calls", "form", "line", "signatures")

    def __init__(self, form: str, line: Optional[int], calls: Tuple[Span, ...]) -> None:
        self.form, self.line, self.calls = form, line, calls
        self.signatures: Dict[Signature, Seen] = {}


class Use:
    """The first call of a module class of the workspace."""

    __slots__ = ("calls", "inputs", "module", "output", "path")

    def __init__(self, module: nn.Module, path: str, inputs: Tuple[Value, ...]) -> None:
        self.module, self.path, self.inputs = module, path, inputs
        self.output: Optional[Value] = None
        self.calls = 0


Event = Tuple[Seen, str, Value, Optional[List[Value]]]
"""What was seen, under which module path, and for a binding the sequence that its value goes to."""

Place = Tuple[str, CodeType, int, Any]
"""File, code, instruction in it, and what was called.  Equal code of two files is equal: its file tells them apart."""


@dataclass
class Failed:
    """Where the last exception came from."""

    error: Optional[BaseException] = None
    operation: Optional[Attempt] = None
    layer: Optional[Layer] = None
    inside: bool = False
    """It has left a module, the innermost one."""


@dataclass
class Record:
    """Grows while a run goes on."""

    values: Dict[int, Dict[Value, Seen]] = field(default_factory=dict)
    """Per binding site its distinct values."""
    order: Dict[int, List[Value]] = field(default_factory=dict)
    """Per binding site its values as they came."""
    blocks: Set[int] = field(default_factory=set)
    """Blocks that ran."""
    mixed: Set[int] = field(default_factory=set)
    """Binding sites that at times held nothing with a tensor."""
    called: Dict[Place, Called] = field(default_factory=dict)
    uses: Dict[type, Use] = field(default_factory=dict)
    graph: Any = None
    """The graph that grows along, see `worker.graph`, when one is asked for and its module was called."""
    tape: Optional[List[Union[Event, Use]]] = None
    """What is seen as it comes, where somebody wants it."""
    failed_inside: bool = False
    """An exception left a module call: it happened in a forward, not in a constructor."""
    failed: Failed = field(default_factory=Failed)
    taken: Dict[Any, Any] = field(default_factory=dict)
    """What `worker.capture.lineage` tells of values that operations took, by place, operation and argument."""
    closed: bool = False
    """What comes now may be other than what the whole program makes: it is not shown."""
    pads: Set[Tuple[int, int]] = field(default_factory=set)
    """Numbers of ids that went into an embedding, each with its row for padding."""

    def copy(self) -> Record:
        """A record to go on from here without changing this one."""
        values = {site: dict(seen) for site, seen in self.values.items()}
        order = {site: list(sequence) for site, sequence in self.order.items()}
        copied = Record(values, order, set(self.blocks), set(self.mixed), dict(self.called), dict(self.uses))
        copied.tape = [] if self.tape is not None else None
        return copied

    def bound(self, site: int, value: Value, path: str) -> None:
        """Add one value of a binding."""
        at_site = self.values.setdefault(site, {})
        seen = at_site.get(value)
        if seen is None:
            seen = at_site[value] = Seen()
        self.count(seen, path, value, self.order.setdefault(site, []))

    def count(self, seen: Seen, path: str, value: Value, sequence: Optional[List[Value]] = None) -> None:
        """Count one occurrence; a sequence gets the value at its end."""
        seen.add(path)
        if self.tape is not None:
            self.tape.append((seen, path, value, sequence))
        if sequence is not None and len(sequence) < MAX_SEQUENCE:
            sequence.append(value)

    def used(self, use: Use) -> None:
        """A call of a module class."""
        use.calls += 1
        if self.tape is not None:
            self.tape.append(use)


class Current:
    """Holder of the record that is being written."""

    def __init__(self) -> None:
        self._record = Record()
        self._watcher: Callable[[Record], None] = lambda record: None

    @property
    def record(self) -> Record:
        """The one that is being written."""
        return self._record

    @record.setter
    def record(self, record: Record) -> None:
        self._record = record
        self._watcher(record)

    def watch(self, watcher: Callable[[Record], None]) -> None:
        """Tell `watcher` of this record and of each that takes its place."""
        self._watcher = watcher
        watcher(self._record)
