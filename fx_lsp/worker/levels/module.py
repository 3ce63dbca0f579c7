"""Modules of torch as single nodes, as `torch.fx.symbolic_trace` shows them; functions between them."""

from __future__ import annotations

from torch import nn

from fx_lsp.worker.levels import Level


def is_leaf(module: nn.Module) -> bool:
    """As `torch.fx.Tracer.is_leaf_module`: a module of `torch.nn` that is no container."""
    home = type(module).__module__
    return home.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(module, nn.Sequential)


LEVEL = Level("module", "Modules", is_leaf)
