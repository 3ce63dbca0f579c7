"""In `eval()` a batch norm is a product and a sum for each channel: the layer before it can do both.

Before:
    return self.norm(self.layer(x)).relu()
After:
    return self.layer(x).relu()
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any, Dict, Tuple

from torch import fx, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvTransposeNd

from fx_lsp.worker.graph_rewrites import Change, GraphRule
from fx_lsp.worker.graph_rewrites._folded import fold
from fx_lsp.worker.graph_rewrites._placed import put

_LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, _ConvTransposeNd)


def apply(module: fx.GraphModule, dims: Dict[str, int]) -> Change:
    """Every batch norm with running statistics whose input is a layer that nobody else calls or reads."""
    graph, made, rows = module.graph, list[str](), list[Tuple[Any, ...]]()
    calls = Counter(str(node.target) for node in graph.nodes if node.op == "call_module")
    for node in list(graph.nodes):
        norm, before = _module(module, node), node.args[0] if node.args else None
        layer = _module(module, before)
        if not isinstance(norm, _BatchNorm) or not isinstance(layer, _LAYERS) or norm.running_var is None:
            continue
        once = calls[node.target] == calls[before.target] == 1 and len(before.users) == 1
        if not once or dims.get(before.name) != layer.weight.dim():
            continue
        new = copy.deepcopy(layer)
        if new.bias is None:
            new.bias = nn.Parameter(layer.weight.new_zeros(norm.num_features))
        put(module, before.target, new)
        node.replace_all_uses_with(before)
        graph.erase_node(node)
        groups = layer.groups if isinstance(layer, _ConvTransposeNd) else 0
        made.append(f"{before.target} + {node.target}")
        rows.append((before.target, node.target, norm.eps, groups))
    return Change(tuple(made), fold, tuple(rows))


def _module(module: fx.GraphModule, node: Any) -> Any:
    is_call = isinstance(node, fx.Node) and node.op == "call_module" and len(node.all_input_nodes) == 1
    return module.get_submodule(str(node.target)) if is_call and not node.kwargs else None


RULE = GraphRule(
    "fold-batch-norm",
    "Fold batch norms into the layers before them",
    apply,
    "no batch norm reads a convolution or linear layer that nothing else uses",
)
