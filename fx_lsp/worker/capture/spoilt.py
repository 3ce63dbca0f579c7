"""Changes in place of what a backward pass needs, as torch itself finds them."""

from __future__ import annotations

from functools import wraps
from typing import Any, Dict, Iterable, List, Set

import torch
from torch.utils import _pytree as pytree

_UNCHANGED = frozenset({"detach_", "requires_grad_", "squeeze_", "unsqueeze_", "transpose_", "t_", "share_memory_"})
CHANGED: Dict[Any, str] = {
    getattr(torch.Tensor, name): name
    for name in dir(torch.Tensor)
    if (name.endswith("_") and not name.endswith("__") and name not in _UNCHANGED) or name == "__setitem__"
}
"""Functions that change their first argument."""


_INPUTS = frozenset(f"_saved_{name}" for name in ("input", "self", "mat1", "mat2", "other", "tensor1", "tensor2"))
"""What nodes of the backward pass call what they keep of their operands."""


HOOKED: List[bool] = []
"""Not empty in a process in which somebody packs what is kept: to look at that would run code of theirs."""


def notice_hooks() -> None:
    """From now on, in this process: `saved_tensors_hooks`, and checkpoints, which use them."""
    hooks = torch.autograd.graph.saved_tensors_hooks
    enter = hooks.__enter__
    if hasattr(enter, "__wrapped__"):
        return

    @wraps(enter)
    def noticed(self: Any) -> Any:
        HOOKED.append(True)
        return enter(self)

    hooks.__enter__ = noticed  # type: ignore[method-assign]


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


def keeping(x: torch.Tensor, made: Iterable[Any], limit: int) -> List[Any]:
    """Nodes that keep a tensor, of those by which others were made of it."""
    waiting = [one.grad_fn for one in made if isinstance(one, torch.Tensor) and one.grad_fn is not None]
    seen: Set[Any] = {x.grad_fn, *waiting}
    found: List[Any] = []
    if x.grad_fn in waiting:
        waiting.remove(x.grad_fn)
    storage = _storage(x) if waiting else 0
    while waiting and len(seen) < limit:
        node = waiting.pop(0)
        if storage and any(_storage(_saved(node, name)) == storage for name in _INPUTS):
            found.append(node)
        for inner, _ in node.next_functions:
            if inner is not None and inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return found


def _saved(node: Any, name: str) -> Any:
    """What a node keeps under that name; None for nothing, and for what was changed already."""
    try:
        return getattr(node, name, None)
    except RuntimeError:
        return None


def _storage(tensor: Any) -> int:
    """Which memory it lies in; 0 for none, as within `torch.vmap`."""
    if not isinstance(tensor, torch.Tensor):
        return 0
    try:
        return tensor.untyped_storage()._cdata
    except RuntimeError:  # also NotImplementedError
        return 0


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
