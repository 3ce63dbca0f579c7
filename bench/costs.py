"""What `fx-lsp cost` says, against real runs: FLOPs, parameters, and the peak memory of a forward pass and of a step.

    python bench/costs.py                     ten models of examples/, ten of packages
    python bench/costs.py examples            the first ten
    python bench/costs.py examples gpt2 unet  some of them
    python bench/costs.py packages --python PATH     the others, with an interpreter that has the packages

A real run is measured by torch alone, on real tensors: `FlopCounterMode` (told of the processor's attention kernel, for
which torch has no formula), the sizes of the tensors that are there before the step, and the allocations and frees that
`torch.profiler` reports during it.  The step is the second one, so that Adam has its states.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

DEMO = (
    ("gpt2.py", "GPT"), ("resnet50.py", "ResNet"), ("unet.py", "UNet"), ("vit.py", "ViT"),
    ("lstm_classifier.py", "LSTMClassifier"), ("detector.py", "Detector"), ("diffusion_unet.py", "DiffusionUNet"),
    ("gat.py", "GAT"), ("moe.py", "MoEBlock"), ("gat.py", "GraphClassifier"),
)  # fmt: skip
PACKAGED = {
    "vit_pytorch": (("vit", "ViT"), ("deepvit", "DeepViT"), ("max_vit", "MaxViT")),
    "torchvision": (
        ("models/resnet", "ResNet"), ("models/mobilenetv3", "MobileNetV3"), ("models/convnext", "ConvNeXt"),
        ("models/densenet", "DenseNet"),
    ),
    "transformers": (
        ("models/gpt2/modeling_gpt2", "GPT2LMHeadModel"), ("models/bert/modeling_bert", "BertForMaskedLM"),
        ("models/llama/modeling_llama", "LlamaForCausalLM"),
    ),
}  # fmt: skip
FLOPS, MEMORY = 0.005, 0.10
"""How far from a real run they may be."""


def main() -> int:
    """1 where something is too far away."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="?", choices=("examples", "packages", "real"))
    parser.add_argument("words", nargs="*", help="only models in whose file one of these occurs")
    parser.add_argument("--python", help="interpreter with torch and the packages, used as it is")
    options = parser.parse_args()
    if options.which == "real":
        print(json.dumps(real(json.load(sys.stdin))))
        return 0
    print("| file | class | FLOPs forward | FLOPs of a step | parameters | peak forward | with SGD | with Adam |")
    print("|---|---|---|---|---|---|---|---|")
    failed = False
    if options.which != "packages":
        for file, name in _only(DEMO, options.words):
            failed |= compare(HERE.parent / "examples", file, name, options.python or sys.executable)
    if options.which != "examples":
        from bench.accuracy import interpreter, read, set_up, workspace

        set_up()
        packages = {name: read(name) for name in PACKAGED}
        python = options.python or interpreter(list(packages.values()))
        for package, models in PACKAGED.items():
            root = workspace(packages[package], python)
            for file, name in _only(models, options.words):
                failed |= compare(root, f"{packages[package].source}/{file}.py", name, python)
    return int(failed)


def _only(models: Iterable[tuple[str, str]], words: list[str]) -> list[tuple[str, str]]:
    return [one for one in models if not words or any(word in one[0] for word in words)]


def compare(root: Path, file: str, name: str, python: str) -> bool:
    """Print a row; whether it is too far away."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "fx_lsp.cli", "cost", f"{file}::{name}", "--format", "json", "--trust"]
    command += ["--no-cache", "--interpreter", python]
    answer = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if answer.returncode:
        print(f"| {file} | {name} | {answer.stderr.strip()[-300:]}")
        return True
    said = json.loads(answer.stdout)
    training = said["training"]
    mode = training["mode"] if training is not None else ""
    asked = json.dumps({"root": str(root), "mode": mode, **{key: said[key] for key in ("scope", "setup", "call")}})
    command = [python, str(HERE / "costs.py"), "real"]
    answer = subprocess.run(command, input=asked, env=environment, capture_output=True, text=True)
    if answer.returncode:
        print(f"| {file} | {name} | {answer.stderr.strip()[-300:]}")
        return True
    found = json.loads(answer.stdout.splitlines()[-1])
    pairs = [(said["forward"]["flops"], found["forward"], FLOPS), (said["forward"]["peak"], found["peak"], MEMORY)]
    if training is not None:
        pairs.insert(1, (training["flops"], found["step"], FLOPS))
        pairs += [(training["peak"][one], found[one], MEMORY) for one in ("sgd", "adam")]
    cells = [f"{is_:,} ({off(one, is_):+.2%})" for one, is_, _ in pairs]
    same = "exact" if said["parameters"] == found["parameters"] else "wrong"
    row = (Path(file).stem, name, cells[0], cells[1] if training else said["why"], f"{found['parameters']:,} ({same})")
    print("| " + " | ".join((*row, *(cells[2:] if training else cells[1:]))) + " |")
    sys.stdout.flush()
    return said["parameters"] != found["parameters"] or any(abs(off(one, is_)) > most for one, is_, most in pairs)


def off(said: int, found: int) -> float:
    """How far, as a part."""
    return said / found - 1 if found else float(said != found)


# -- the real run -----------------------------------------------------------------------------------------------------


def real(asked: dict[str, str]) -> dict[str, int]:
    """What one example costs, measured."""
    import torch
    from torch import nn

    from tests.reference.session import evaluate

    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)
    called: list[tuple[nn.Module, Any, Any]] = []
    call = nn.Module.__call__

    def watched(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        nn.Module.__call__ = call
        called.append((self, args, kwargs))
        try:
            return call(self, *args, **kwargs)
        finally:
            nn.Module.__call__ = watched

    nn.Module.__call__ = watched
    evaluate(asked["root"], asked["scope"], asked["setup"], asked["call"])
    nn.Module.__call__ = call
    model, args, kwargs = called[0]
    with torch.no_grad():
        forward = counted(lambda: model(*args, **kwargs))
        peak = measured(model, (args, kwargs), None, lambda: model(*args, **kwargs))
    if asked["mode"]:
        model.train(asked["mode"] == "train")
    found = {"forward": forward, "peak": peak, "parameters": sum(one.numel() for one in model.parameters())}
    if not asked["mode"]:
        return found

    def step(optimizer: Any = None) -> Any:
        model.zero_grad(set_to_none=True)
        result = model(*args, **kwargs)
        loss_of(result).backward()
        if optimizer is not None:
            optimizer.step()
        return result

    found["step"] = counted(step)
    for name, make in (("sgd", torch.optim.SGD), ("adam", torch.optim.Adam)):
        optimizer = make(model.parameters(), lr=1e-6)
        step(optimizer)
        model.zero_grad(set_to_none=True)
        found[name] = measured(model, (args, kwargs), optimizer, lambda one=optimizer: step(one))
    return found


def loss_of(result: Any) -> Any:
    """The scalars that depend on parameters, where all parameters that matter do; else everything that does."""
    import torch

    leaves = [one for one in tensors_of(result) if one.requires_grad]
    scalars = [one for one in leaves if one.dim() == 0]
    if scalars and len(scalars) < len(leaves) and behind(scalars) < behind(leaves):
        scalars = []
    return torch.stack([one.sum() for one in scalars or leaves]).sum() if len(leaves) > 1 else leaves[0].sum()


def tensors_of(result: Any) -> list[Any]:
    """Every tensor in it."""
    import torch

    if isinstance(result, torch.Tensor):
        return [result]
    if dataclasses.is_dataclass(result) and not isinstance(result, Mapping):
        result = vars(result)
    items = result.values() if isinstance(result, Mapping) else result if isinstance(result, (tuple, list)) else ()
    return [tensor for item in items for tensor in tensors_of(item)]


def behind(outputs: list[Any]) -> int:
    """How many leaves they depend on."""
    nodes, todo = set(), [one.grad_fn for one in outputs]
    while todo:
        node = todo.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            todo += [one for one, _ in node.next_functions]
    return sum(hasattr(node, "variable") for node in nodes)


def counted(work: Any) -> int:
    """Operations, as torch counts them."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode, flop_registry

    def of(name: str) -> Any:
        def formula(*args: Any, **kwargs: Any) -> int:
            return flop_registry[getattr(torch.ops.aten, name)](*args, **kwargs)

        vars(formula)["_get_raw"] = True  # it takes tensors
        return formula

    flash, backward = "_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_backward"
    kernels = {
        torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: of(flash),
        torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward: of(backward),
    }
    with FlopCounterMode(display=False, custom_mapping=kernels) as counter:
        work()
    return counter.get_total_flops()


def measured(model: Any, inputs: Any, optimizer: Any, work: Any) -> int:
    """The most bytes in use at once: what there is before, and what the profiler sees come and go."""
    import torch
    from torch.utils._pytree import tree_leaves

    there = [*model.parameters(), *model.buffers(), *tree_leaves(inputs)]
    there += [value for module in model.modules() for value in vars(module).values()]  # what a call before left
    if optimizer is not None:
        there += tree_leaves([list(state.values()) for state in optimizer.state.values()])
    storages = [one.untyped_storage() for one in there if isinstance(one, torch.Tensor)]
    now = peak = sum({one.data_ptr(): one.nbytes() for one in storages}.values())
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        result = work()
    del result
    profiler: Any = profile.profiler
    events = [one for one in profiler.kineto_results.events() if one.name() == "[memory]"]
    for event in sorted(events, key=lambda one: one.start_ns()):
        now += event.nbytes()
        peak = max(peak, now)
    return peak


if __name__ == "__main__":
    sys.exit(main())
