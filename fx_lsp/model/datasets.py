"""Data sets of pictures that `torchvision` reads from a disk: what a transform makes of a picture does not depend on
which one it is, so pictures of their size do as well."""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional, Tuple


class Pictures(NamedTuple):
    """What a data set consists of: pictures, each with the number of its class."""

    size: Optional[Tuple[int, int, int]]
    """Channels, height, width; None: of any."""
    train: int = 1000
    test: int = 1000
    """How many there are in its two parts."""
    classes: int = 0
    """0: not known, or not told."""
    data: str = ""
    """Dims of all pictures at once, which it has as `data`: a tensor without channels, an array with; empty: none."""


_ANY = Pictures(None)

DATASETS: Dict[str, Pictures] = {
    **dict.fromkeys(["MNIST", "FashionMNIST", "KMNIST", "QMNIST"], Pictures((1, 28, 28), 60_000, 10_000, data="NHW")),
    "EMNIST": Pictures((1, 28, 28), 112_800, 18_800, data="NHW"),
    "CIFAR10": Pictures((3, 32, 32), 50_000, 10_000, 10, "NHWC"),
    "CIFAR100": Pictures((3, 32, 32), 50_000, 10_000, 100, "NHWC"),
    "SVHN": Pictures((3, 32, 32), 73_257, 26_032),
    "STL10": Pictures((3, 96, 96), 5_000, 8_000),
    "USPS": Pictures((1, 16, 16), 7_291, 2_007),
    "EuroSAT": Pictures((3, 64, 64), 27_000, 27_000, 10),
    **dict.fromkeys(
        ["ImageFolder", "ImageNet", "Places365", "Flowers102", "Food101", "DTD", "StanfordCars", "FGVCAircraft",
         "OxfordIIITPet", "Caltech101", "Caltech256", "SUN397", "Imagenette", "GTSRB", "Country211"], _ANY),
}  # fmt: skip
"""By the name of the class in `torchvision.datasets`; sizes and numbers as its documentation says."""
