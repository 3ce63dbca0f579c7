"""Finding inputs that a module runs on."""

from __future__ import annotations

import heapq
import inspect
import itertools
import re
import time
import typing
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference.attempts import Attempt, TooLong, words
from fx_lsp.worker.inference.configurations import lacks
from fx_lsp.worker.inference.consumers import wants
from fx_lsp.worker.inference.demands import edits, key
from fx_lsp.worker.inference.documented import documented
from fx_lsp.worker.inference.inputs import SIDE, Input, Inputs, Plain, Tensor, arguments
from fx_lsp.worker.inference.meaning import ANY, given_by_name
from fx_lsp.worker.inference.names import is_union
from fx_lsp.worker.inference.signatures import hints_of

MAX_RUNS = 150
"""Runs of one module."""
MAX_EDITS = 14
"""Inputs tried after one failure."""

_MAIN = re.compile(
    r"(input_ids|pixel_values(_videos)?|input_features|input_values|x|inputs?|images?|img|hidden_states|inputs_embeds|tokens)"
)


@dataclass(frozen=True)
class Found:
    """Inputs, and how far the module came with them."""

    inputs: str
    attempt: Attempt
    limited: bool = False
    """Fake tensors cannot go on there, so it may well run."""

    @property
    def rank(self) -> Tuple[bool, bool, int]:
        """More is better."""
        operations = self.attempt.watch.operations
        return self.attempt.error is None and operations > 0, self.limited, operations


Call = Callable[[str], Attempt]
"""Calls the module with arguments, given as text."""


class Forward:
    """The parameters of a module's `forward`, and what may be given for each."""

    def __init__(self, instance: nn.Module, given: Dict[str, str]) -> None:
        """`given` are the arguments that it was built with."""
        self.instance = instance
        try:
            parameters = list(inspect.signature(type(instance).forward).parameters.values())[1:]
            hints = hints_of(type(instance).forward)
        except (TypeError, ValueError):
            parameters, hints = [], {}
        kinds = inspect.Parameter
        self.named = [p for p in parameters if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
        self.positional = tuple(p.name for p in self.named if p.kind is not kinds.KEYWORD_ONLY)
        self.required = [p.name for p in self.named if p.default is kinds.empty]
        self.variadic = any(p.kind is kinds.VAR_POSITIONAL for p in parameters) and not self.named
        found = wants(instance)
        side = _side(instance, given)
        stated = documented(instance, [p.name for p in self.named])
        self.width = width = _rotated(instance)
        self.open = any(p.kind is kinds.VAR_KEYWORD for p in parameters)
        self.options: Dict[str, List[Input]] = {}
        for parameter in self.named:
            want = found.get(parameter.name)
            options = list(_annotated(hints.get(parameter.name), parameter.name))
            if want is not None and want.known and not (options and isinstance(options[0], Plain)):
                tensor = want.tensor(side)
                by_name = given_by_name(parameter.name)
                if not want.dtype and by_name and isinstance(by_name[0], Tensor) and not want.dims:
                    tensor = Tensor(by_name[0].dtype, tensor.shape if want.rank else by_name[0].shape)
                if options and isinstance(options[0], Tensor) and options[0].wrap != "{0}":
                    options.insert(0, Tensor(tensor.dtype, tensor.shape, options[0].wrap))
                else:
                    options.insert(0, tensor)
            if (said := stated.get(parameter.name)) is not None and not (options and isinstance(options[0], Plain)):
                options.insert(1 if want is not None and want.dims else 0, said)
            usual = given_by_name(parameter.name) or ()
            stands = bool(usual) and isinstance(usual[0], Plain) and "(" in usual[0].text  # values count, not sizes
            options = list(usual) if stands else [*options, *usual, *ANY]
            options = [_of_width(option, width) for option in options] if width else options
            self.options[parameter.name] = list(dict.fromkeys(options))

    def by_name(self, name: str) -> List[Input]:
        """What may be given for a name, of a parameter or of one of those within that take what is left over."""
        if name not in self.options:
            self.options[name] = [_of_width(option, self.width) for option in (given_by_name(name) or ANY)]
        return self.options[name]

    def main(self) -> List[str]:
        """The input to give where none is required."""
        named = getattr(self.instance, "main_input_name", None)
        names = [p.name for p in self.named]
        likely = [name for name in names if _MAIN.fullmatch(name)]
        return [name for name in dict.fromkeys([named, *likely, *names[:1]]) if name in self.options]

    def text(self, inputs: Inputs) -> str:
        """The arguments as they are written."""
        return ", ".join(map(str, inputs.values())) if self.variadic else arguments(inputs, self.positional)

    def starts(self) -> Iterator[Inputs]:
        """What to try first."""
        if self.variadic:
            yield from ({"x": value} for value in ANY[:4])
            return
        yield {name: self.options[name][0] for name in self.required}
        if not self.required:
            for name in self.main()[:2]:
                yield {name: self.options[name][0]}


def find(forward: Forward, call: Call, limited: Callable[[], bool], seconds: float) -> Optional[Found]:
    """The inputs with which the module gets furthest; None when it was never called."""
    deadline = time.monotonic() + seconds
    order = itertools.count()
    queue: List[Tuple[int, int, int, Inputs]] = [(0, 0, next(order), inputs) for inputs in forward.starts()]
    seen = {key(inputs) for *_, inputs in queue}
    best: Optional[Found] = None
    for _ in range(MAX_RUNS):
        if not queue or (best is not None and time.monotonic() > deadline):
            break
        _, depth, _, inputs = heapq.heappop(queue)
        attempt = call(forward.text(inputs))
        found = Found(forward.text(inputs), attempt, limited() and attempt.error is not None)
        if best is None or found.rank > best.rank:
            best = found
        if attempt.error is None and (attempt.watch.operations or not forward.named):
            return found
        if found.limited and attempt.watch.operations > 3:
            return found
        if lacks(forward.instance, attempt.message):
            return found
        if isinstance(attempt.error, TooLong):
            depth += 3
        for place, change in enumerate(itertools.islice(_next(forward, attempt, inputs), MAX_EDITS)):
            if key(change) not in seen:
                seen.add(key(change))
                heapq.heappush(queue, (-attempt.watch.operations, depth + 1 + place // 3, next(order), change))
    return best


def _next(forward: Forward, attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """Other inputs to try after a failure, best first."""
    place = attempt.frame_of(lambda owner: owner is forward.instance, ("forward",))
    here = words(place[2]) if place is not None else []
    local = place[0].f_locals if place is not None else {}
    said = words(attempt.message)
    absent = [p.name for p in forward.named if p.name not in inputs or inputs[p.name] == Plain("None")]
    nothing = re.search(r"None|specify|provide|required|missing|must be|either", attempt.message)
    if nothing or attempt.error is None:
        wanted = [name for name in absent if name in said]
        inner = words(attempt.last_text())
        wanted += [name for name in inner if name in absent and local.get(name, 0) is None]
        wanted += [name for name in absent if name in here and local.get(name, 0) is None]
        for name in dict.fromkeys(wanted):
            yield {**inputs, name: forward.options[name][0]}
        if attempt.error is None or not wanted:
            for name in forward.main():
                if name in absent:
                    yield {**inputs, name: forward.options[name][0]}
    if forward.open and (match := re.search(r"missing \d+ required .*arguments?: (.*)", attempt.message)):
        left = [name for name in re.findall(r"'(\w+)'", match[1]) if name not in inputs]
        if left:
            yield {**inputs, **{name: forward.by_name(name)[0] for name in left}}
    if "not callable" in attempt.message:
        for name in (name for name in here if name in inputs):
            yield {**inputs, name: Plain("None")}
            yield {**inputs, name: Plain("lambda x, *a, **k: x")}
    suspects = [name for name in here if name in inputs] or [
        name for name in words(attempt.last_text()) if name in inputs
    ]
    yield from itertools.islice(edits(attempt, inputs, suspects), MAX_EDITS - 4)
    for name in suspects or list(inputs):
        if name in forward.options:
            options = forward.options[name]
            at = options.index(inputs[name]) + 1 if inputs[name] in options else 0
            for option in options[at : at + 3]:
                yield {**inputs, name: option}


def _rotated(instance: nn.Module) -> int:
    """The width of an attention head within, where it is said; 0 where it is not."""
    for module in instance.modules():
        for name in ("head_dim", "attention_head_size", "head_size", "dim_head"):
            if type(size := vars(module).get(name)) is int and size > 1:
                return size
    return 0


def _of_width(option: Input, width: int) -> Input:
    """Sines and cosines are as wide as a head."""
    if isinstance(option, Tensor) and option.wrap == "({0}, {0})" and len(option.shape) == 3:
        return option.resized((*option.shape[:-1], width))
    return option


def _side(instance: nn.Module, given: Dict[str, str]) -> int:
    """Height and width that an image model was made for, where it says so."""
    try:
        defaults = {p.name: p.default for p in inspect.signature(type(instance).__init__).parameters.values()}
    except (TypeError, ValueError):
        defaults = {}
    stated = {name: int(size) for name, text in given.items() if (size := text.strip("(").split(",")[0]).isdigit()}
    for owner in (stated, vars(instance), getattr(getattr(instance, "config", None), "__dict__", {}), defaults):
        for name in (
            "image_size",
            "img_size",
            "input_size",
            "image_height",
            "resolution",
            "input_shape",
            "spatial_size",
        ):
            value = owner.get(name)
            value = value[0] if isinstance(value, (tuple, list)) and value else value
            if type(value) is int and 0 < value <= 1024:
                return value
    return SIDE


def _annotated(hint: Any, name: str) -> Iterator[Input]:
    """What an annotation asks for, where it asks for something else than one tensor."""
    text = hint if isinstance(hint, str) else ""
    origin, parts = typing.get_origin(hint), [a for a in typing.get_args(hint) if a is not type(None)]
    if is_union(origin):
        if torch.Tensor not in parts and parts:
            yield from _annotated(parts[0], name)
        return
    by_name = given_by_name(name)
    tensor = next((v for v in by_name or () if isinstance(v, Tensor)), Tensor("f32", (2, 16, 64)))
    if hint is bool or text == "bool":
        yield from (Plain("False"), Plain("True"))
    elif hint is int or text == "int":
        yield from (Plain("4"), Plain("2"), Plain("8"), Plain("1"))
    elif hint is float or text == "float":
        yield from (Plain("0.5"), Plain("1.0"))
    elif hint is str or text == "str":
        yield Plain("'text'")
    elif origin in (list, tuple) and parts and (parts[0] is torch.Tensor):
        count = len(parts) if origin is tuple and Ellipsis not in parts else 2
        inner = ", ".join(["{0}"] * count)
        wrap = f"[{inner}]" if origin is list else f"({inner}{',' if count == 1 else ''})"
        single = Tensor(tensor.dtype, tensor.shape[1:]) if "image" in name and len(tensor.shape) == 4 else tensor
        yield Tensor(single.dtype, single.shape, wrap)
        yield Tensor(tensor.dtype, tensor.shape, wrap)
    elif origin in (list, tuple) and parts and parts[0] is int:
        count = len(parts) if origin is tuple and Ellipsis not in parts else 2
        yield Plain(f"({', '.join(['4'] * count)},)")
        yield Plain("(2, 16, 64)")
    elif origin is dict and parts and parts[-1] is torch.Tensor:
        yield Tensor("f32", (2, 64, 32, 32), "{'0': {0}, '1': {0}, '2': {0}, '3': {0}}")
