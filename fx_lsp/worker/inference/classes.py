"""Inputs of classifiers: a `Linear` gives features in the last dim, a loss takes classes in dim 1, so that what is both
has two dims."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference.live import integer, keeps_shape
from fx_lsp.worker.inference.shapes import KEPT, Shapes
from fx_lsp.worker.inference.wants import Want

_LOSSES = frozenset({"cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss"})
_OVER = frozenset({"softmax", "log_softmax"})
_KEEPING = frozenset({"relu", "gelu", "dropout", "silu", "tanh", "sigmoid", "elu", "leaky_relu"})
_LOSS = (nn.CrossEntropyLoss, nn.NLLLoss)
_SOFTMAX = (nn.Softmax, nn.LogSoftmax)


class Classes(Shapes):
    """Follows the features that layers make of the parameters of a method, through its variables."""

    globals: Dict[str, Any]
    """Of the method."""

    def __init__(self, instance: Any, names: List[str]) -> None:
        self.features: Dict[str, str] = {}
        """Of a variable that holds more than one feature in its last dim, the parameter that they are made of, in which
        only the last dim is another."""
        self.shares: Dict[str, str] = {}
        """The same of those that were put through a softmax over dim 1."""
        self.read: Counter[str] = Counter()
        """How often each variable is read in the method."""
        super().__init__(instance, names)

    def forget(self, name: str) -> None:
        """Of a variable that is bound to something else."""
        self.features.pop(name, None)
        self.shares.pop(name, None)

    def classified(self, statement: ast.stmt) -> Iterator[Tuple[str, Want]]:
        """What a statement tells of parameters that are features, or numbers of classes; binds what it assigns."""
        value = getattr(statement, "value", None)
        if not isinstance(value, ast.expr):
            return
        for call in self._losses(value):
            held = self._features(call.args[0]) or self._shares(call.args[0])
            label = self.origin(call.args[1]) if len(call.args) > 1 else None
            if held is not None:
                yield held, Want(rank=2)
            if label is not None:
                yield label, Want(rank=1 if held is not None else None, dtype="i64")
        given = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
        held = self._shares(given) if isinstance(statement, ast.Return) else None
        if held is not None and self.read[getattr(given, "id", "")] <= 1:  # what is read besides are weights
            yield held, Want(rank=2)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        if isinstance(target, ast.Name):
            found = self._features(value), self._shares(value)
            self.forget(target.id)
            for names, one in zip((self.features, self.shares), found):
                if one is not None:
                    names[target.id] = one

    def _losses(self, value: Optional[ast.AST]) -> List[ast.Call]:
        calls = [one for one in ast.walk(value) if isinstance(one, ast.Call)] if value is not None else []
        return [one for one in calls if one.args and self._is_loss(one)]

    def _is_loss(self, call: ast.Call) -> bool:
        made = call.func.func if isinstance(call.func, ast.Call) else call.func  # `nn.CrossEntropyLoss()(x, y)`
        known = self.globals.get(made.id) if isinstance(made, ast.Name) else torch
        named = _name(made) in _LOSSES and str(getattr(known, "__module__", "torch")).startswith("torch")
        return named or isinstance(self.module(call.func), _LOSS)

    def _shares(self, value: ast.expr) -> Optional[str]:
        """Whose features a softmax over dim 1 is of."""
        if isinstance(value, ast.Name):
            return self.shares.get(value.id)
        if not isinstance(value, ast.Call):
            return None
        module = self.module(value.func)
        if isinstance(module, _SOFTMAX):
            return self._features(value.args[0]) if module.dim == 1 and value.args else None
        if isinstance(module, nn.Sequential) and isinstance(module[-1] if len(module) else None, _SOFTMAX):
            over = module[-1].dim == 1 and bool(value.args) and _makes_features(module[:-1])
            return self._made_of(value.args[0]) if over else None
        if _name(value.func) not in _OVER:
            return None
        over = [integer(one) for one in value.args] + [integer(one.value) for one in value.keywords if one.arg == "dim"]
        return next(filter(None, map(self._features, _operands(value))), None) if 1 in over else None

    def _features(self, value: ast.expr) -> Optional[str]:
        """The parameter that the value is features of, more than one."""
        if isinstance(value, ast.Name):
            return self.features.get(value.id)
        if not isinstance(value, ast.Call):
            return None
        module = self.module(value.func)
        if isinstance(module, nn.Module) and value.args:
            if _makes_features(module):
                return self._made_of(value.args[0])
            return self._features(value.args[0]) if keeps_shape(module) else None
        return next(filter(None, map(self._features, _operands(value))), None) if _keeps(value) else None

    def _made_of(self, value: ast.expr) -> Optional[str]:
        return self._features(value) or self.origin(value)


def _makes_features(module: nn.Module) -> bool:
    """Whether it makes several features of the last dim, and touches no other one."""
    if isinstance(module, nn.Linear):
        return module.out_features > 1
    parts = list(module) if isinstance(module, nn.Sequential) else []
    layers = [part for part in parts if not keeps_shape(part)]
    return bool(layers) and all(isinstance(part, nn.Linear) for part in layers) and layers[-1].out_features != 1


def _operands(call: ast.Call) -> List[ast.expr]:
    """Of `F.relu(x)` and `x.relu()`, what may be the tensor."""
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    return [*call.args[:1], *owner]


def _keeps(call: ast.Call) -> bool:
    return _name(call.func) in _KEEPING or _name(call.func) in KEPT


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
