"""The parameters of a `forward`, and what is known of them before anything has run."""

from __future__ import annotations

import collections.abc
import inspect
import re
import typing
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import torch
from torch import nn

from fx_lsp.worker.inference.compared import compared_with
from fx_lsp.worker.inference.consumers import wants
from fx_lsp.worker.inference.corrections import value_of
from fx_lsp.worker.inference.documented import documented
from fx_lsp.worker.inference.groups import is_graph, of_nodes, places, with_keys
from fx_lsp.worker.inference.hinted import fitting, is_shape
from fx_lsp.worker.inference.inputs import BATCH, LENGTH, Group, Input, Inputs, Plain, Tensor, Way, alike, arguments
from fx_lsp.worker.inference.keyed import keys_looked_up
from fx_lsp.worker.inference.live import attribute, parameters_of_call, source_text
from fx_lsp.worker.inference.meaning import ANY, given_by_name
from fx_lsp.worker.inference.names import is_union, text_of
from fx_lsp.worker.inference.objects import Objects
from fx_lsp.worker.inference.signatures import inherited
from fx_lsp.worker.inference.stated import number, side_of

_MAIN = re.compile(
    r"(input_ids|pixel_values(_videos)?|input_features|input_values|x|inputs?|images?|img|hidden_states|inputs_embeds"
    r"|tokens)"
)
_HANDED_ON = ("input_ids", "pixel_values", "hidden_states")
"""What a `forward` that takes anything may hand on."""
_HEADS = ("head_dim", "attention_head_size", "head_size", "dim_head")
_LEVELS = ("n_levels", "num_levels", "num_feature_levels", "n_feature_levels")
_ANY_NUMBER = (collections.abc.Iterable, collections.abc.Sequence, collections.abc.Collection)
_OF_TORCH: Dict[Any, Tuple[str, ...]] = {
    torch.device: ("torch.device('cpu')",), torch.dtype: ("torch.float32",),
    torch.Size: ("(2, 64, 32, 32)", "(2, 16, 64)", "(2, 16)"),
}  # fmt: skip
"""Values of classes of torch's own."""


def distributions(cls: type) -> Iterator[Plain]:
    """Of torch's, those of a class that its name and what it has to be given make."""
    made = {
        "Normal": "f32[2, 16], torch.ones(2, 16)", "Categorical": "logits=f32[2, 16]",
        "Bernoulli": "logits=f32[2, 16]", "Laplace": "f32[2, 16], torch.ones(2, 16)",
        "Beta": "torch.ones(2, 16), torch.ones(2, 16)", "Gamma": "torch.ones(2, 16), torch.ones(2, 16)",
        "Poisson": "torch.ones(2, 16)", "OneHotCategorical": "logits=f32[2, 16]",
        "MultivariateNormal": "f32[2, 16], torch.eye(16)", "StudentT": "torch.ones(2, 16)",
    }  # fmt: skip
    for name, given in made.items():
        if issubclass(getattr(torch.distributions, name), cls):
            yield Plain(f"torch.distributions.{name}({given}, validate_args=False)")


def is_main(name: str) -> bool:
    """Whether an input of that name is what a model is for."""
    return _MAIN.fullmatch(name) is not None


class Forward:
    """The parameters of a module's `forward`, or of another method, and what may be given for each."""

    def __init__(self, instance: nn.Module, given: Dict[str, str], objects: Objects, way: Way) -> None:
        """`given` are the arguments that it was built with."""
        self.instance, self.objects, self.way = instance, objects, way
        method = getattr(type(instance), way.method)
        try:
            parameters = parameters_of_call(type(instance), way.method)
            hints = inherited(type(instance), way.method)
        except (TypeError, ValueError):
            parameters, hints = [], {}
        kinds = inspect.Parameter
        self.named = [p for p in parameters if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
        self.positional = tuple(p.name for p in self.named if p.kind is not kinds.KEYWORD_ONLY)
        asked = [p.name for p in self.named if p.default is kinds.empty or p.name in way.wanted]
        self.required = [name for name in asked if name not in way.given]
        self.more = any(p.kind is kinds.VAR_POSITIONAL for p in parameters)
        """Whether it hands on what it is given by place besides."""
        self.variadic = self.more and not self.named
        found = wants(instance, way.method)
        keyed = keys_looked_up(instance, way.method)
        side = side_of(instance, given)
        stated = documented(instance, hints, [p.name for p in self.named], way.method, given)
        self.width, self.levels = number(instance, _HEADS), number(instance, _LEVELS)
        self.open = any(p.kind is kinds.VAR_KEYWORD for p in parameters)
        optional = [p.name for p in self.named if p.name not in self.required]
        self.joined = [name for name in optional if _joined(type(instance), name)]
        """Inputs that may be left out, and that are joined to others where they are not."""
        self.options: Dict[str, List[Input]] = {}
        shapes = list(_of_shapes(given.values()))
        names = [parameter.name for parameter in self.named]
        tensors = [name for name in names if hints.get(name, torch.Tensor) is torch.Tensor and _is_tensor(name)]
        rows = places(tensors, source_text(method))
        graph = bool(rows) or is_graph(names, source_text(method))
        for parameter in self.named:
            want = found.get(parameter.name)
            hint = hints.get(parameter.name)
            options = list(_annotated(hint, parameter.name))
            if not options and parameter.default is kinds.empty:
                options = list(objects.of(hint, _by_hint))
            by_name = given_by_name(parameter.name)
            if want is not None and want.rank is None and set(want.dims) == {-1} and _rank(by_name) == 2:
                want.rank = max(2, want.least)
            if want is not None and want.dtype == "i64" and _is_mask(by_name):
                want.dtype = ""  # counted, or multiplied with
            if want is not None and by_name and isinstance(by_name[0], Tensor) and by_name[0].dtype == "i64":
                want.wrap = ""  # rows of ids, as edges are
            said = stated.get(parameter.name)
            if want is not None and want.rank is None and said is not None and len(said.shape) >= want.least:
                want.rank = len(said.shape)
            stated_kind = bool(options) and isinstance(options[0], (Plain, Group))
            if want is not None and want.known and not stated_kind:
                tensor = want.tensor(side)
                if not want.dtype and by_name and isinstance(by_name[0], Tensor) and not want.dims:
                    same = not want.rank or want.rank == len(by_name[0].shape) < 4
                    tensor = Tensor(by_name[0].dtype, by_name[0].shape if same else tensor.shape, tensor.wrap)
                if options and isinstance(options[0], Tensor) and options[0].wrap != "{0}":
                    options.insert(0, Tensor(tensor.dtype, tensor.shape, options[0].wrap))
                else:
                    options.insert(0, tensor)
            if options and shapes and isinstance(options[0], Tensor) and options[0].wrap[0] == "[":
                options.insert(0, shapes.pop(0))
            if said is not None and not stated_kind:
                options.insert(1 if want is not None and want.dims and not want.agrees(said.shape) else 0, said)
            by_levels = _by_levels(parameter.name, self.levels)
            usual = by_levels or fitting(by_name or (), hint)
            if hint is torch.Tensor and usual and str(usual[0]).isdigit():  # some of these numbers for each of a batch
                usual = (Tensor("f32", (BATCH,)), Tensor("i64", (BATCH,)), *usual)
            stands = bool(usual) and isinstance(usual[0], Plain)  # values count, not sizes
            if isinstance(hint, type) and (hint in _OF_TORCH or issubclass(hint, torch.distributions.Distribution)):
                options = list(_annotated(hint, parameter.name))
            elif stands and all(isinstance(value, Plain) for value in usual):
                options = list(usual)
            elif by_levels or (stands and (want is None or not (want.dtype or want.dims))):
                options = [*usual, *options, *ANY]
            else:
                options = [*options, *usual, *ANY]
            if _optional(hint) and parameter.default is kinds.empty:
                options.insert(1, Plain("None"))
            if want is not None and hint is not torch.Tensor and not stated_kind:
                levels = (tuple(enumerate(tensors)) for tensors in want.levels(side))
                options = [*(Group("[]", level) for level in levels), *options]
            if parameter.name in keyed and not stated_kind:
                options[:0] = with_keys(keyed[parameter.name], lambda key: [*(given_by_name(key) or ANY)])
            if want is None or not want.known:
                options[:0] = [Plain(text) for text in compared_with(source_text(method), parameter.name)]
            if graph and not is_shape(hint):
                options.insert(0, of_nodes(parameter.name, options[0], rows))
            if parameter.name == "t" and parameter is self.named[0] is not self.named[-1]:  # of a field, `f(t, x)`
                options.insert(0, Tensor("f32", ()))
            self.options[parameter.name] = self._fitted(options)

    def by_name(self, name: str) -> List[Input]:
        """What may be given for a name, of a parameter or of one of those within that take what is left over."""
        if name not in self.options:
            self.options[name] = self._fitted(given_by_name(name) or ANY)
        return self.options[name]

    def able(self, name: str, asked: str) -> List[Input]:
        """Objects of the workspace that do what an input is asked for."""
        return list(self.objects.able(type(self.instance), name, asked))

    def _fitted(self, options: Iterable[Input]) -> List[Input]:
        """Sines and cosines are as wide as a head; what is given beside other inputs is as large as these."""
        fitted = [_of_width(option, self.width) if self.width else option for option in options]
        beside = (
            [alike(option, self.way.like) for option in fitted if isinstance(option, Tensor)] if self.way.like else []
        )
        return list(dict.fromkeys([*beside, *fitted] if isinstance(fitted[0], Tensor) else [*fitted, *beside]))

    def main(self) -> List[str]:
        """The input to give where none is required."""
        named = attribute(self.instance, "main_input_name")
        names = [p.name for p in self.named]
        likely = [name for name in names if is_main(name)]
        return [name for name in dict.fromkeys([named, *likely, *names[:1]]) if name in self.options]

    def text(self, inputs: Inputs) -> str:
        """The arguments as they are written."""
        return ", ".join(map(str, inputs.values())) if self.variadic else arguments(inputs, self.positional)

    def starts(self) -> Iterator[Inputs]:
        """What to try first."""
        if self.variadic:
            yield from ({"x": value} for value in ANY[:4])
            return
        yield {**self.way.given, **{name: self.options[name][0] for name in self.required}}
        if not self.required and not self.way.given:
            for name in self.main()[:2]:
                yield {name: self.options[name][0]}
            for name in _HANDED_ON if self.open and not self.named else ():
                yield {name: self.by_name(name)[0]}


def _of_shapes(given: Iterable[str]) -> Iterator[Tensor]:
    """Lists of tensors, of which lists of their shapes are among what the module was built with; in batches."""
    for shapes in map(value_of, given):
        if isinstance(shapes, list) and len(set(map(str, shapes))) == 1 and isinstance(shapes[0], tuple):
            yield Tensor("f32", (BATCH, *shapes[0]), f"[{', '.join(['{0}'] * len(shapes))}]")


def _by_levels(name: str, levels: int) -> Tuple[Input, ...]:
    """What describes maps of features that lie in one sequence: of so many sizes, together as long as usual."""
    if levels < 2 or levels > LENGTH:
        return ()
    sizes = [(1, LENGTH // levels)] * (levels - 1)
    sizes.append((1, LENGTH - sum(width for _, width in sizes)))
    starts = [sum(width for _, width in sizes[:at]) for at in range(levels)]
    known = {
        "spatial_shapes": f"torch.tensor({[list(size) for size in sizes]})", "spatial_shapes_list": repr(sizes),
        "level_start_index": f"torch.tensor({starts})",
    }  # fmt: skip
    if name == "reference_points":
        return (Tensor("f32", (2, LENGTH, levels, 2)), Tensor("f32", (2, LENGTH, 1, 4)), Tensor("f32", (2, LENGTH, 4)))
    return (Plain(known[name]),) if name in known else ()


def _rank(options: Optional[Tuple[Input, ...]]) -> int:
    first = options[0] if options else None
    return len(first.shape) if isinstance(first, Tensor) and first.dtype == "f32" else 0


def _is_tensor(name: str) -> bool:
    """Whether its name says nothing else."""
    return isinstance((given_by_name(name) or ANY)[0], Tensor)


def _is_mask(options: Optional[Tuple[Input, ...]]) -> bool:
    first = options[0] if options else None
    return isinstance(first, Tensor) and first.dtype == "b8"


def _joined(cls: type, name: str) -> bool:
    text = text_of(cls)
    return bool(re.search(rf"\bif {name} is not None", text) and re.search(rf"\bcat\(\s*[\[(][^\])]*\b{name}\b", text))


def _optional(hint: Any) -> bool:
    return is_union(typing.get_origin(hint)) and type(None) in typing.get_args(hint)


def _of_width(option: Input, width: int) -> Input:
    """Sines and cosines are as wide as a head."""
    if isinstance(option, Tensor) and option.wrap == "({0}, {0})" and len(option.shape) == 3:
        return option.resized((*option.shape[:-1], width))
    return option


def _by_hint(hint: Any, name: str) -> Input:
    """What a member of an object is, by its annotation and its name."""
    known = [*_annotated(hint, name), *(given_by_name(name) or ()), *ANY]
    return next(one for one in known if hint is not torch.Tensor or (isinstance(one, Tensor) and one.wrap == "{0}"))


def _annotated(hint: Any, name: str) -> Iterator[Input]:
    """What an annotation asks for, where it asks for something else than one tensor."""
    text = hint if isinstance(hint, str) else ""
    origin, parts = typing.get_origin(hint), [a for a in typing.get_args(hint) if a is not type(None)]
    if is_union(origin):
        for part in parts if torch.Tensor not in parts else ():
            yield from _annotated(part, name)
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
    elif isinstance(hint, type) and hint in _OF_TORCH:
        yield from (Plain(text) for text in _OF_TORCH[hint])
    elif isinstance(hint, type) and issubclass(hint, torch.distributions.Distribution):
        yield from distributions(hint)
    elif origin in (list, tuple) and parts and (parts[0] is torch.Tensor):
        count = len(parts) if origin is tuple and Ellipsis not in parts else 2
        inner = ", ".join(["{0}"] * count)
        wrap = f"[{inner}]" if origin is list else f"({inner}{',' if count == 1 else ''})"
        single = Tensor(tensor.dtype, tensor.shape[1:]) if "image" in name and len(tensor.shape) == 4 else tensor
        yield Tensor(single.dtype, single.shape, wrap)
        yield Tensor(tensor.dtype, tensor.shape, wrap)
    elif hint in (list, tuple):
        yield Tensor(tensor.dtype, tensor.shape, "[{0}, {0}]" if hint is list else "({0}, {0})")
    elif origin in _ANY_NUMBER and parts and parts[0] is torch.Tensor:
        yield from (Tensor(tensor.dtype, tensor.shape, wrap) for wrap in ("[{0}]", "[{0}, {0}]"))
    elif origin in (list, tuple) and parts and parts[0] is int:
        count = len(parts) if origin is tuple and Ellipsis not in parts else 2
        yield Plain(f"({', '.join(['4'] * count)},)")
        yield Plain("(2, 16, 64)")
    elif origin in (list, tuple) and parts and parts[0] is str:
        yield Plain("['0', '1']" if origin is list else "('0', '1')")
    elif origin is dict and parts and parts[-1] is torch.Tensor:
        yield Tensor("f32", (2, 64, 32, 32), "{'0': {0}, '1': {0}, '2': {0}, '3': {0}}")
