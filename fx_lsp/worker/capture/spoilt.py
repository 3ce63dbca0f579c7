"""Changes in place of what a backward pass needs, as torch itself finds them."""

from __future__ import annotations

from typing import Any, Dict, List, Set

import torch
from torch.utils import _pytree as pytree

_UNCHANGED = frozenset({"detach_", "requires_grad_", "squeeze_", "unsqueeze_", "transpose_", "t_", "share_memory_"})
CHANGED: Dict[Any, str] = {
    getattr(torch.Tensor, name): name
    for name in dir(torch.Tensor)
    if (name.endswith("_") and not name.endswith("__") and name not in _UNCHANGED) or name == "__setitem__"
}
"""Functions that change their first argument."""


def kept(node: Any) -> bool:
    """Whether a node of the backward pass keeps what has been changed since."""
    for name in dir(node):
        if name.startswith("_saved_"):
            try:
                getattr(node, name)
            except RuntimeError as error:
                if "modified by an inplace operation" in str(error):
                    return True
    return False


def spoilt(result: Any, nodes: List[Any], limit: int) -> Set[Any]:
    """Those of the nodes that the backward pass of a result goes through."""
    leaves = [one for one in pytree.tree_leaves(result) if isinstance(one, torch.Tensor)]
    waiting = [one.grad_fn for one in leaves if one.grad_fn is not None]
    seen: Set[Any] = set(waiting)
    found: Set[Any] = set()
    while waiting and len(seen) < limit:
        node = waiting.pop()
        if node in nodes:
            found.add(node)
        for inner, _ in node.next_functions:
            if inner is not None and inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return found
