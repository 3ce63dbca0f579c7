"""What the probes saw: the distinct values of every binding, and which blocks ran."""

from __future__ import annotations

import builtins
import sys
from typing import Any, Callable, Dict, List, Tuple

import torch

from fx_lsp.model.trace import Binding, Reached, Variant
from fx_lsp.worker.capture import probes
from fx_lsp.worker.capture.describe import PLAIN, describe
from fx_lsp.worker.capture.modules import ModuleStack
from fx_lsp.worker.capture.record import Current, Record
from fx_lsp.worker.capture.sites import Sites

MAX_BARREN = 1000
"""Groups without a tensor after which no more groups are searched that are bound at the same place."""


class Bindings:
    """The probes' other end."""

    def __init__(self, stack: ModuleStack, current: Current) -> None:
        self.stack, self.current = stack, current
        self.busy = self._muted = False
        self._barren: Dict[int, int] = {}
        """Values of a site that held no tensor, while none has."""
        self._mixed: Callable[[int], None] = current.record.mixed.add

    def install(self) -> None:
        """Make the probes' built-ins report here, for the life of the process."""
        setattr(builtins, probes.BIND, self.bind)
        self.current.watch(self._writes_to)

    def _writes_to(self, record: Record) -> None:
        if not self._muted:
            setattr(builtins, probes.REACH, record.blocks.add)
        self._mixed = record.mixed.add

    def mute(self) -> None:
        """Nothing is recorded any more: what is only tried is not shown."""
        setattr(builtins, probes.BIND, lambda site, value: value)
        self._muted = True
        setattr(builtins, probes.REACH, lambda block: None)

    def bind(self, site: int, value: Any) -> Any:
        """Record what `site` was bound to, and give the value back."""
        if self.busy or (self.stack.chosen and self.stack.passes_over()):
            return value
        barren = self._barren.get(site, 0)
        if type(value) in PLAIN or (barren > MAX_BARREN and not issubclass(type(value), torch.Tensor)):
            self._mixed(site)
            return value
        self.busy = True  # a field may be a property of the workspace, with probes of its own
        try:
            found = describe(value)
        finally:
            self.busy = False
        if found is not None:
            self.current.record.bound(site, found, self.stack.path)
            self._barren[site] = -sys.maxsize
        else:
            self._barren[site] = barren + 1
            self._mixed(site)
        return value


def bindings(record: Record, sites: Sites) -> Tuple[Binding, ...]:
    """Every binding that held a tensor, in the order of the source."""
    found: List[Binding] = []
    for number, values in record.values.items():
        site = sites.bindings[number]
        variants = tuple(Variant(value, tuple(seen.paths), seen.count) for value, seen in values.items())
        found.append(Binding(site.span, site.name, site.role, variants, number in record.mixed))
    return tuple(sorted(found, key=lambda binding: binding.span))


def reached(record: Record, sites: Sites) -> Tuple[Reached, ...]:
    """Per file the statements never run, in functions that did run."""
    missed: Dict[str, List[int]] = {}
    for number, block in enumerate(sites.blocks):
        if block.entry in record.blocks and number not in record.blocks:
            missed.setdefault(block.path, []).extend(block.lines)
    return tuple(Reached(path, tuple(sorted(set(lines)))) for path, lines in sorted(missed.items()))
