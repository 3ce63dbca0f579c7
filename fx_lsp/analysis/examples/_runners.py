"""Calls of libraries that run a model: `torch.onnx.export(model, x)` runs `model(x)`.

What each of them takes is the interface of its library; nothing else is known about them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from fx_lsp.analysis.examples._bound import Place
from fx_lsp.analysis.examples._instances import Instances
from fx_lsp.analysis.examples._sites import Site
from fx_lsp.analysis.examples._sizes import tensors
from fx_lsp.analysis.names import Definition, External


@dataclass(frozen=True)
class Runner:
    """Where a function gets the model and what it runs it on: positions and keywords of parameters."""

    inputs: tuple[int, tuple[str, ...]] = (-1, ())
    """An input, or several as a tuple, or by name as a dictionary."""
    kwargs: tuple[int, tuple[str, ...]] = (-1, ())
    rest: bool = False
    """Every argument after the model is an input."""
    size: tuple[int, tuple[str, ...]] = (-1, ())
    """The size of an input, or of several."""
    batch: int = 0
    """The batch that it puts in front of a size; 0 when the size says it."""
    model: tuple[str, ...] = field(default=("model", "module", "mod", "func", "net", "f"))


_ARGS = Runner((1, ("args", "example_inputs", "inputs", "input_to_model", "input_sample")), (2, ("kwargs",)))
_EXPORT = Runner((1, ("args",)), (-1, ("kwargs",)))
_REST = Runner(rest=True)
_SUMMARY = Runner((2, ("input_data",)), size=(1, ("input_size",)))

RUNNERS = {
    "torch.onnx.export": _EXPORT,
    "torch.onnx.utils.export": _EXPORT,
    "torch.onnx.dynamo_export": _REST,
    "torch.export.export": _ARGS,
    "torch.export.export_for_training": _ARGS,
    "torch.export.draft_export": _ARGS,
    "torch.jit.trace": Runner((1, ("example_inputs",)), (-1, ("example_kwarg_inputs",))),
    "torch.utils.checkpoint.checkpoint": _REST,
    "torch.autograd.gradcheck": Runner((1, ("inputs",))),
    "torch.func.functional_call": Runner((2, ("args",)), (3, ("kwargs",))),
    "torch.nn.utils.stateless.functional_call": Runner((2, ("args",)), (3, ("kwargs",))),
    "torch.nn.parallel.data_parallel": Runner((1, ("inputs",))),
    "torchinfo.summary": _SUMMARY,
    "torchview.draw_graph": Runner((1, ("input_data",)), size=(2, ("input_size",))),
    "torchsummary.summary": Runner(size=(1, ("input_size",)), batch=2),
    "torchsummaryX.summary": _REST,
    "pytorch_model_summary.summary": _REST,
    "torchstat.stat": Runner(size=(1, ("input_size",)), batch=1),
    "ptflops.get_model_complexity_info": Runner(size=(1, ("input_res",)), batch=1),
    "mmcv.cnn.get_model_complexity_info": Runner(size=(1, ("input_shape",)), batch=1),
    "thop.profile": Runner((1, ("inputs",))),
    "fvcore.nn.FlopCountAnalysis": Runner((1, ("inputs",))),
    "fvcore.nn.flop_count": Runner((1, ("inputs",))),
    "fvcore.nn.ActivationCountAnalysis": Runner((1, ("inputs",))),
    "calflops.calculate_flops": Runner((-1, ("args",)), (-1, ("kwargs",)), size=(1, ("input_shape",))),
    "deepspeed.profiling.flops_profiler.get_model_profile": Runner(
        (2, ("args",)), (3, ("kwargs",)), size=(1, ("input_shape",))
    ),
    "pthflops.count_ops": Runner((1, ("input",))),
    "hiddenlayer.build_graph": Runner((1, ("args",))),
    "torch_tensorrt.compile": Runner((-1, ("inputs", "arg_inputs"))),
}
"""By full name."""

METHODS = {
    "add_graph": Runner((1, ("input_to_model",))),
    "to_onnx": Runner((1, ("input_sample",))),
    "to_torchscript": Runner((-1, ("example_inputs",))),
}
"""By the name of the method: of a writer that gets the model, or of the model itself."""

_LAST = frozenset([name.rpartition(".")[2] for name in RUNNERS]) | METHODS.keys()
_OTHERS = Runner((-1, ("example_inputs", "example_input", "dummy_input", "dummy_inputs", "sample_input", "input_data")))
"""Whatever else gets a model and inputs that are called so."""


def instance_of(func: ast.expr) -> ast.expr:
    """The model of `model.forward`; anything else as it is."""
    return func.value if isinstance(func, ast.Attribute) and func.attr == "forward" else func


def run_of(instances: Instances, site: Site) -> tuple[ast.expr, ast.Call] | None:
    """The model that a call of a library runs, and the call of that model."""
    call, place = site.call, Place(site.source, site.owners, site.call.lineno)
    if not call.args and not call.keywords:
        return None
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    named = any(keyword.arg in _OTHERS.inputs[1] for keyword in call.keywords)
    if method and method not in _LAST and not named:
        return None  # most calls: nothing is looked up for them
    meaning, _ = instances.callee(place, call.func)
    if isinstance(meaning, Definition):
        return None
    name = meaning.name if isinstance(meaning, External) else ""
    known = RUNNERS.get(name) or METHODS.get(method)
    if known is None and not named:
        return None
    runner = known or _OTHERS
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    model = next((given[name] for name in runner.model if name in given), call.args[0] if call.args else None)
    if (
        method in METHODS
        and known is METHODS[method]
        and method != "add_graph"
        and isinstance(call.func, ast.Attribute)
    ):
        model = call.func.value
    if model is None or isinstance(model, ast.Starred):
        return None
    model = instance_of(model)
    inputs = _inputs(instances, place, runner, call.args, given)
    if inputs is None:
        return None
    return model, ast.copy_location(ast.Call(model, *inputs), call)


def _inputs(
    instances: Instances, place: Place, runner: Runner, args: Sequence[ast.expr], given: dict[str | None, ast.expr]
) -> tuple[list[ast.expr], list[ast.keyword]] | None:
    if runner.rest:
        keywords = [ast.keyword(name, value) for name, value in given.items() if name not in _OPTIONS]
        return (list(args[1:]), keywords) if len(args) > 1 else None
    positional: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    inputs = _given(args, given, runner.inputs)
    if inputs is not None:
        positional, keywords = _spread(instances, place, inputs)
    elif (size := _given(args, given, runner.size)) is not None:
        made = tensors(instances, place, size, _given(args, given, (-1, ("dtypes",))), runner.batch)
        if made is None:
            return None
        positional = made
    extra = _given(args, given, runner.kwargs)
    if extra is not None and not (isinstance(extra, ast.Constant) and extra.value is None):
        keywords = [*keywords, ast.keyword(None, extra)]
    return (positional, keywords) if positional or keywords else None


_OPTIONS = frozenset(["use_reentrant", "preserve_rng_state", "export_options", "show_input", "show_hierarchical"])
"""Keywords that are no inputs."""


def _given(
    args: Sequence[ast.expr], given: dict[str | None, ast.expr], where: tuple[int, tuple[str, ...]]
) -> ast.expr | None:
    position, names = where
    found = args[position] if 0 <= position < len(args) else next((given[n] for n in names if n in given), None)
    return None if isinstance(found, ast.Constant) and found.value is None else found


def _spread(instances: Instances, place: Place, inputs: ast.expr) -> tuple[list[ast.expr], list[ast.keyword]]:
    """Arguments out of what is handed over whole: a tensor, a tuple of them, or a dictionary."""
    value = instances.value(place, inputs)
    whole = inputs is not value
    if isinstance(value, ast.Dict):
        return [], [ast.keyword(None, inputs)]
    if not isinstance(value, (ast.Tuple, ast.List)):
        return [inputs], []
    if whole:
        return [ast.Starred(inputs, ast.Load())], []
    last = value.elts[-1] if value.elts else None
    if isinstance(last, ast.Dict):  # `export` takes what is given by name at the end of the tuple
        return value.elts[:-1], [ast.keyword(None, last)] if last.keys else []
    return list(value.elts), []
