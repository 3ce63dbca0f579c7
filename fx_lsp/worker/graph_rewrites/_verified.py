"""A module file is run beside the old model: what it computes with the old state dict decides."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Dict, Iterator, List, Tuple

import torch
from torch import nn

from fx_lsp.model.graph_rewrite import Rewritten
from fx_lsp.worker.capture.devices import OnProcessor
from fx_lsp.worker.capture.frames import message_of
from fx_lsp.worker.comparison.compare import DTYPES
from fx_lsp.worker.comparison.inputs import OWN, Draw, Inputs
from fx_lsp.worker.comparison.numbers import Apart, Result, difference
from fx_lsp.worker.comparison.weights import tensors_of
from fx_lsp.worker.failures import Deadline, sentence
from fx_lsp.worker.graph.counting import tensors_in
from fx_lsp.worker.graph_rewrites._traced import arguments

NOISE = 0.1
"""How far weights are moved: as they are made, many are zero or one, and so are the statistics of a batch norm."""


DOUBLED = 2
"""Times that a check may take as long as one before it: a size is doubled."""


def verified(model: nn.Module, inputs: Inputs, text: str, name: str, names: Tuple[str, ...], until: float) -> Rewritten:
    """How many runs were compared, and how far they are apart; or why the file is not the same.

    The model is changed: it gets other weights and another dtype.
    """
    namespace: Dict[str, Any] = {"__name__": "rewritten"}
    try:
        exec(compile(text, "<rewritten>", "exec", dont_inherit=True), namespace)
        new = namespace[name]()
    except Deadline:
        raise
    except Exception as error:
        return Rewritten(why=f"the new module cannot be built: {sentence(error, 0)}")
    model.eval()
    _move_weights(model)
    for dtype in DTYPES:
        for one in (model, new):
            one.to(dtype[1])
        for module, attribute, value in tensors_of(model):
            if value.is_floating_point():
                setattr(module, attribute, value.to(dtype[1]))
        try:
            _run(model, inputs, OWN, dtype[1], None)
        except Deadline:
            raise
        except Exception:  # not in this dtype: what the user's code raises is told by its trace
            continue
        try:
            new.load_state_dict({key: value.clone() for key, value in model.state_dict().items()})
        except RuntimeError as error:
            return Rewritten(why=f"the old state dict does not load: {message_of(error)}")
        return _checks(model, new, inputs, names, dtype, until)
    return Rewritten(why="the model does not run on real tensors with other weights")


def _checks(
    model: nn.Module, new: nn.Module, inputs: Inputs, names: Tuple[str, ...], dtype: Tuple[str, Any], until: float
) -> Rewritten:
    found, longest = Rewritten(dtype=dtype[0]), 0.0
    for draw in inputs.draws():
        began = time.monotonic()
        if found.checks and began + DOUBLED * longest > until:
            break
        try:
            old = _run(model, inputs, draw, dtype[1], None)
        except Deadline:
            raise
        except Exception:  # not a size or a value that it takes
            continue
        if not old.finite:
            continue
        try:
            apart = difference(old, _run(new, inputs, draw, dtype[1], (model, names)), dtype[0])
        except Deadline:
            raise
        except Apart as error:
            return replace(found, why=f"with {draw.says}, {error}")
        except Exception as error:
            return replace(found, why=f"with {draw.says}, it does not run: {sentence(error, 0)}")
        found = replace(found, checks=found.checks + 1, difference=max(found.difference, apart))
        longest = max(longest, time.monotonic() - began)
    return found if found.checks else replace(found, why="there were no finite numbers to compare")


def _run(model: nn.Module, inputs: Inputs, draw: Draw, dtype: torch.dtype, like: Any) -> Result:
    """The outputs; `like`: the old model and the names of its arguments that the new one takes."""
    args, kwargs, _ = inputs.drawn(draw, dtype)
    if like is not None:
        old, names = like
        given = arguments(old, args, kwargs)
        args, kwargs = tuple(given[name] for name in names), {}
    with _default(dtype), OnProcessor(), torch.no_grad():
        torch.manual_seed(draw.seed)
        results = tensors_in(model(*args, **kwargs))
    return Result([(f"output {number}", one.detach().clone()) for number, one in enumerate(results)], [], [])


def _move_weights(model: nn.Module) -> None:
    generator = torch.Generator().manual_seed(1)
    kept: List[Tuple[str, torch.Tensor]] = [
        (name, one) for name, one in model.state_dict().items() if isinstance(one, torch.Tensor)
    ]
    for name, one in kept:
        if one.is_floating_point():
            noise = NOISE * torch.randn(one.shape, generator=generator).to(one.dtype)
            one.add_(noise.abs() if name.endswith("running_var") else noise)


@contextmanager
def _default(dtype: torch.dtype) -> Iterator[None]:
    """What the code makes on the way is of the same dtype."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
