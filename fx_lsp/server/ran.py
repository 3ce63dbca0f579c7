"""What was run, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.comparison import Comparison, Overlay
from fx_lsp.model.costs import CostRequest
from fx_lsp.model.example import PROGRAMS, Search
from fx_lsp.model.graph_rewrite import GraphRewrite
from fx_lsp.model.messages import GraphRequest, TraceReply
from fx_lsp.model.naming import Naming


class Cancelled(Exception):
    """The run was cancelled by a newer edit."""


@dataclass(frozen=True)
class Trial:
    """An edit that is tried."""

    edited: tuple[Overlay, ...]
    comparison: Comparison | None = None
    """Where it has to compute the same as before."""


@dataclass(frozen=True)
class Key:
    """What was run: two examples written alike are one run."""

    scope: str
    setup: str
    call: str
    graph: GraphRequest | None = None
    """Not for the facts, but for a graph."""
    search: Search | None = None
    """Not to run an example, but to find some."""
    trial: Trial | None = None
    """Not for the facts, but for what an edit would make of them."""
    compilers: tuple[str, ...] = ()
    """Not for the facts, but for what stops these compilers of torch."""
    rewrite: GraphRewrite | None = None
    """Not for the facts, but for a graph that is rewritten."""
    naming: Naming | None = None
    """For the facts with names of dims, of an example that ran."""
    costs: CostRequest | None = None
    """Not for the facts, but for what the example costs."""

    @property
    def asked(self) -> bool:
        """Whether somebody asked for it by hand: no plan names it."""
        return self.graph is not None or self.trial is not None or self.rewrite is not None

    @property
    def single(self) -> bool:
        """Whether it is run without company."""
        study = bool(self.compilers) or self.naming is not None or self.costs is not None
        return self.asked or self.search is not None or study or self.call in PROGRAMS

    @classmethod
    def of(cls, trace: Trace) -> Key:
        """The key of a trace that ran."""
        return cls(trace.example.scope, trace.example.setup, trace.call, search=trace.example.search)


@dataclass(frozen=True)
class Ran:
    """A run that ended."""

    reply: TraceReply
    reach: frozenset[str]
    """Files that it has facts about."""
    digests: tuple[tuple[str, str], ...]
    """The files it read and the hash of each; empty: it never said, so it depends on every file."""
    aside: bool = False
    """It did not end: the worker did, too often."""

    def reads(self, path: str) -> bool:
        """Whether an edit of `path` makes it out of date."""
        return not self.digests or any(path == read for read, _ in self.digests)


Outcome = tuple[Trace, Ran]
"""An example with its answer, and the run that the answer comes from."""


def reach(key: Key, reply: TraceReply) -> frozenset[str]:
    """Files that the run has facts about, its scope first of all."""
    paths = {key.scope}
    paths.update(binding.span.path for binding in reply.bindings)
    paths.update(operation.span.path for operation in reply.operations)
    paths.update(use.path for use in reply.modules)
    paths.update(reached.path for reached in reply.reached)
    if reply.failure is not None:
        paths.update(span.path for span in (reply.failure.span, *reply.failure.calls) if span is not None)
    return frozenset(paths)
