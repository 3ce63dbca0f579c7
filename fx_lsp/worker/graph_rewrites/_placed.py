"""Members of members.  The source of `put` ends up in module files."""

from __future__ import annotations

import torch


def put(root: torch.nn.Module, name: str, item: object, kept: bool = True) -> None:
    """Set `root.layer1.0.conv1`, with what has to be there first; what is not kept is no part of the state dict."""
    *path, last = name.split(".")
    for part in path:
        if part not in dict(root.named_children()):
            root.add_module(part, torch.nn.Module())
        root = root.get_submodule(part)
    if isinstance(item, torch.nn.Parameter):
        root.register_parameter(last, item)
    elif isinstance(item, torch.Tensor):
        root.register_buffer(last, item, persistent=kept)
    elif isinstance(item, torch.nn.Module):
        root.add_module(last, item)
