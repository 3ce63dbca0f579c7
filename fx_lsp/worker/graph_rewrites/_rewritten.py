"""One rewrite of one model: traced, changed, written, and compared with what it was."""

from __future__ import annotations

import copy
import os
import time
from dataclasses import replace
from typing import Any, List

import torch
from torch import fx, nn

from fx_lsp.model.graph_rewrite import Rewritten
from fx_lsp.model.messages import TraceRequest
from fx_lsp.model.value import TensorType, concrete
from fx_lsp.worker.capture.describe import describe
from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.comparison.inputs import Inputs
from fx_lsp.worker.comparison.version import models
from fx_lsp.worker.compilers._told import told
from fx_lsp.worker.failures import Deadline
from fx_lsp.worker.graph_rewrites import Change, GraphRule, rules
from fx_lsp.worker.graph_rewrites._traced import arguments, dims, traced
from fx_lsp.worker.graph_rewrites._verified import verified
from fx_lsp.worker.graph_rewrites._written import Unwritable, written
from fx_lsp.worker.overlay import Workspace

SHARE = 0.6
"""Part of the time limit after which no check is begun."""
FIXED = 200
"""Characters of the arguments that are part of the graph."""


def rewritten(request: TraceRequest, workspace: Workspace) -> Rewritten:
    """What comes of the rewrite that is asked for.

    Raises:
        BaseException: what the example raises, or that there is no more time.
    """
    wanted, until, known = request.rewrite, time.monotonic() + request.seconds * SHARE, rules()
    rule = known.get(wanted.rule or min(known)) if wanted is not None else None
    if wanted is None or rule is None:
        return Rewritten(why=f"there is no such rewrite; there are {', '.join(known)}")
    called = models(request, workspace).called
    if not called:
        return Rewritten(why=f"this example does not call an instance of {wanted.name} itself", uncalled=True)
    try:
        found = _Rewriting(rule, *called[0], wanted.path, until).rewritten()
    except Unwritable as error:
        found = Rewritten(why=str(error))
    except _Untraced as error:
        said = told(error.args[0], Frames(workspace.prepared.sites.sources))
        why = f"torch.fx.symbolic_trace cannot go on: {said.message}"
        found = Rewritten(why=f"{why}. {said.hint}" if said.hint else why, span=said.span)
    return replace(found, rule=rule.id)


class _Untraced(Exception):
    """The model cannot be traced; the argument is why."""


class _Rewriting:
    def __init__(self, rule: GraphRule, model: nn.Module, inputs: Inputs, path: str, until: float) -> None:
        self.rule, self.model, self.inputs, self.until = rule, model, inputs, until
        self.source = os.path.basename(path)
        self.name = type(model).__name__

    def rewritten(self) -> Rewritten:
        """Both texts, if they hold.

        Raises:
            Unwritable: there is no such text.
            _Untraced: there is no such graph.
        """
        self.model.eval()
        args, kwargs = self.inputs.again()
        keys = tuple(self.model.state_dict())
        try:
            old = traced(self.model, args, kwargs)
        except Deadline:
            raise
        except Exception as error:  # user code may raise anything
            raise _Untraced(error) from error
        given = arguments(self.model, args, kwargs)
        new = fx.GraphModule(old.module, copy.deepcopy(old.module.graph), self.name)
        change = self.rule.apply(new, dims(old.module, [given[name] for name in old.names]))
        if not change.made:
            return Rewritten(why=self.rule.nothing)
        new.graph.lint()
        new.recompile()
        directive = self._directive([given[name] for name in old.names])
        before = written(old.module, self.name, Change(), keys, directive)
        after = written(new, self.name, change, keys, directive)
        done = verified(self.model, self.inputs, after, self.name, old.names, self.until)
        if done.why:
            return replace(done, why=f"it is not done, since {done.why}")
        fixed = ", ".join(f"{name} is {value!r}" for name, value in given.items() if name not in old.names)
        kind = f"`{self.name}` of {self.source}, as torch.fx traces it in `eval()`"
        kind = f"{kind}, where {fixed[:FIXED]}" if fixed else kind
        head = [f"{kind}: {self.rule.title[0].lower()}{self.rule.title[1:]}.", "", *self._says(done)]
        return replace(done, before=_headed(before, [f"{kind}."]), after=_headed(after, head), made=change.made)

    def _says(self, done: Rewritten) -> List[str]:
        """What was measured, and how it is used."""
        precision = "double" if done.dtype == "f64" else "single"
        apart = f"equal up to {done.difference:.1g}" if done.difference else "equal in every number"
        return [
            f"Compared in {done.checks} runs of old and new in {precision} precision, on other values, sizes and "
            f"weights: {apart}.",
            f"For inference only.  It needs nothing but torch, and loads the state dict of `{self.name}` as it is:",
            "",
            f"    model = {self.name}()",
            '    model.load_state_dict(torch.load("weights.pt"))',
        ]

    def _directive(self, given: List[Any]) -> str:
        """How the module is called, for fx-lsp; empty where more than tensors are wanted."""
        values = [describe(one) if type(one) is torch.Tensor else None for one in given]
        texts = [concrete(one) for one in values if isinstance(one, TensorType)]
        return f"{self.name}()({', '.join(texts)})" if len(texts) == len(given) else ""


def _headed(text: str, lines: List[str]) -> str:
    """With a docstring."""
    said = "\n".join(lines).replace("\\", "\\\\").replace('"""', "...")
    return f'"""{said}\n"""\n\n{text}' if len(lines) > 1 else f'"""{said}"""\n\n{text}'
