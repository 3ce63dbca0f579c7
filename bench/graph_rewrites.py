"""How many models of torchvision and timm have a graph whose batch norms can be folded, and what that does to time.

    python bench/graph_rewrites.py [NAME…]

Each model is built in a process of its own, rewritten as `fx-lsp graph --rewrite` does, checked in double precision on
its old state dict, and timed before and after.  Prints a line for each, and the totals.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from pathlib import Path

MODELS = (
    *(f"torchvision.models.{name}" for name in (
        "resnet18", "resnet50", "mobilenet_v2", "mobilenet_v3_small", "densenet121", "googlenet",
        "efficientnet_b0", "regnet_y_400mf", "shufflenet_v2_x1_0", "squeezenet1_0", "mnasnet1_0", "vgg11_bn",
        "convnext_tiny", "vit_b_16", "segmentation.fcn_resnet50", "segmentation.deeplabv3_resnet50",
        "segmentation.lraspp_mobilenet_v3_large", "video.r3d_18",
    )),
    *(f"timm.create_model:{name}" for name in (
        "resnet26", "efficientnet_lite0", "mobilenetv3_small_100", "repvgg_a0", "regnetx_002", "dla34",
        "hrnet_w18_small", "vit_tiny_patch16_224", "levit_128s",
    )),
)  # fmt: skip


def source(name: str) -> tuple[str, str]:
    """A file that builds the model, and its call."""
    maker, _, argument = name.partition(":")
    home, _, function = maker.rpartition(".")
    built = f"{function}({argument!r})" if argument else f"{function}(weights=None)"
    if "segmentation" in name:
        built = f"{function}(weights=None, weights_backbone=None)"
    size = "1, 3, 4, 56, 56" if "video" in name else "1, 3, 224, 224"
    return f"from {home} import {function}\nmodel = {built}.eval()\n", f"model(f32[{size}])"


def rewrite(name: str) -> str:
    """One line: what came of it."""
    import torch

    from fx_lsp.model.graph_rewrite import GraphRewrite
    from fx_lsp.model.messages import TraceRequest
    from fx_lsp.worker.run import run

    torch.set_num_threads(1)
    text, call = source(name)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.py")
        Path(path).write_text(text)
        wanted = GraphRewrite("fold-batch-norm", "", "")
        began = time.perf_counter()
        reply = run(TraceRequest(1, folder, path, call, seconds=200, rewrite=wanted))
        took = time.perf_counter() - began
        if reply.rewritten is None:
            return f"failed: {reply.failure.message if reply.failure else ''}"
        found = reply.rewritten
        if found.why:
            return f"none: {found.why}"
        shape = [int(size) for size in call[call.index("[") + 1 : -2].split(",")]
        times = [_time(one, torch.randn(shape)) for one in (found.before, found.after)]
    return (
        f"done: {len(found.made)} folded, {found.checks} checks, {found.dtype}, difference {found.difference:.1g}, "
        f"{1e3 * times[0]:.1f} -> {1e3 * times[1]:.1f} ms, made in {took:.1f} s"
    )


def _time(text: str, x: object) -> float:
    import torch

    namespace: dict[str, object] = {"__name__": "made"}
    exec(compile(text, "made", "exec"), namespace)
    kinds = [one for one in namespace.values() if isinstance(one, type) and issubclass(one, torch.nn.Module)]
    model = kinds[-1]()
    best = float("inf")
    with torch.no_grad():
        for _ in range(5):
            began = time.perf_counter()
            model(x)
            best = min(best, time.perf_counter() - began)
    return best


def main() -> None:
    """All of them, or those named."""
    counted: dict[str, int] = {}
    for name in sys.argv[1:] or MODELS:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            said = pool.apply(rewrite, (name,))
        counted[said.partition(":")[0]] = counted.get(said.partition(":")[0], 0) + 1
        print(f"{name:46} {said}", flush=True)
    print(counted)


if __name__ == "__main__":
    main()
