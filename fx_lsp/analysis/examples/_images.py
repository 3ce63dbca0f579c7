"""Stand-ins for images that lie on a disk: what a transform makes of one does not depend on which it is."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from fx_lsp.analysis.names import dotted

_MNIST, _CIFAR, _ANY = (1, 28, 28), (3, 32, 32), None

DATASETS: dict[str, tuple[int, int, int] | None] = {
    "MNIST": _MNIST, "FashionMNIST": _MNIST, "KMNIST": _MNIST, "EMNIST": _MNIST, "QMNIST": _MNIST,
    "CIFAR10": _CIFAR, "CIFAR100": _CIFAR, "SVHN": _CIFAR, "STL10": (3, 96, 96), "USPS": (1, 16, 16),
    "ImageFolder": _ANY, "ImageNet": _ANY, "Places365": _ANY, "Flowers102": _ANY, "Food101": _ANY, "DTD": _ANY,
    "StanfordCars": _ANY, "FGVCAircraft": _ANY, "OxfordIIITPet": _ANY, "Caltech101": _ANY, "Caltech256": _ANY,
    "SUN397": _ANY, "Imagenette": _ANY, "GTSRB": _ANY, "Country211": _ANY, "EuroSAT": (3, 64, 64),
}  # fmt: skip
"""Datasets of `torchvision` that give an image and the number of its class, and how large their images are."""

_UNSIZED = 256
"""Pixels of an image of any size: what is made of it must have a size of its own."""
_CROPS = frozenset(["CenterCrop", "RandomCrop", "RandomResizedCrop", "resize", "center_crop", "resized_crop"])


@dataclass(frozen=True, eq=False)
class StandIn:
    """A call to make instead, and the imports that it needs."""

    call: ast.Call
    imports: dict[str, ast.stmt]


def sample_data(name: str, node: ast.Call) -> StandIn | None:
    """`FakeData`, which makes up images, for a dataset of `torchvision` that reads them from a disk."""
    before, _, last = name.rpartition(".")
    if not before.startswith("torchvision") or last not in DATASETS:
        return None
    keywords = [k for k in node.keywords if k.arg in ("transform", "target_transform")]
    if last in ("ImageFolder", "CIFAR10", "CIFAR100", "MNIST") and not keywords:
        position = 1 if last == "ImageFolder" else 2
        keywords = [ast.keyword("transform", value) for value in node.args[position : position + 1]]
    size = DATASETS[last] or (3, _UNSIZED, _UNSIZED)
    sizes = ast.Tuple([ast.Constant(each) for each in size], ast.Load())
    call = ast.Call(ast.Name("FakeData", ast.Load()), [], [ast.keyword("image_size", sizes), *keywords])
    return StandIn(call, {"FakeData": ast.ImportFrom("torchvision.datasets", [ast.alias("FakeData")], 0)})


def opened(name: str, node: ast.Call) -> StandIn | None:
    """An empty image for one that is opened."""
    if name != "PIL.Image.open":
        return None
    size = ast.Tuple([ast.Constant(_UNSIZED), ast.Constant(_UNSIZED)], ast.Load())
    make = ast.Attribute(node.func.value, "new", ast.Load()) if isinstance(node.func, ast.Attribute) else None
    return StandIn(ast.Call(make, [ast.Constant("RGB"), size], []), {}) if make is not None else None


def sizes_are_made_up(nodes: Sequence[ast.AST]) -> bool:
    """Whether there is an image of no certain size, and nothing that gives it one."""
    calls = [node for root in nodes for node in ast.walk(root) if isinstance(node, ast.Call)]
    return any(map(_is_unsized, calls)) and not any(map(_gives_size, calls))


def _is_unsized(call: ast.Call) -> bool:
    name = (dotted(call.func) or "").rpartition(".")[2]
    if name == "FakeData":
        return any(ast.unparse(keyword.value) == f"(3, {_UNSIZED}, {_UNSIZED})" for keyword in call.keywords)
    return name == "new" and [ast.unparse(argument) for argument in call.args] == ["'RGB'", f"({_UNSIZED}, {_UNSIZED})"]


def _gives_size(call: ast.Call) -> bool:
    name = (dotted(call.func) or "").rpartition(".")[2]
    if name == "Resize":
        given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "size")]
        return any(isinstance(value, (ast.Tuple, ast.List)) for value in given)
    return name in _CROPS
