"""Data sets of pictures without their files.  The package that has them stands in a folder of its own here, with the
classes as that package writes them: what they are made of need not be installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.tracing import annotated, trace

VISION = """
from PIL import Image

class Both:
    def __init__(self, transform, target_transform):
        self.transform, self.target_transform = transform, target_transform
    def __call__(self, picture, target):
        return self.transform(picture), target

class VisionDataset:
    def __init__(self, root, transforms=None, transform=None, target_transform=None):
        self.root, self.transform = root, transform
        self.transforms = Both(transform, target_transform) if transform else transforms

class MNIST(VisionDataset):
    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform)
        if download:
            raise AssertionError("there is no network")
        raise RuntimeError("Dataset not found. You can use download=True to download it")
    def __getitem__(self, index):
        raise AssertionError("there are no files")
    def __len__(self):
        return len(self.data)

class CIFAR10(MNIST):
    pass

class ImageFolder(VisionDataset):
    def __init__(self, root, transform=None):
        super().__init__(root, transform=transform)
        raise FileNotFoundError(root)
    def __getitem__(self, index):
        return self.samples[index]
    def __len__(self):
        return len(self.samples)
"""
IMAGES = """
class Picture:
    def __init__(self, mode, size):
        self.mode, self.size = mode, size
def new(mode, size):
    return Picture(mode, size)
"""
FILES = {
    "torchvision/__init__.py": "",
    "torchvision/datasets/__init__.py": VISION,
    "PIL/__init__.py": "",
    "PIL/Image.py": IMAGES,
}
NET = """
import torch
from torch.utils.data import DataLoader
from torchvision import datasets

def whole(picture):
    return torch.zeros(1 if picture.mode == "L" else 3, *picture.size[::-1])

def cut(picture):
    return whole(picture)[:, :8, :8]

class Net(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        return y
"""


@pytest.fixture(autouse=True)
def packages(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of the workspace."""
    folder = tmp_path_factory.mktemp("packages")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(folder)


def batch(tmp_path: Path, data: str, more: str = "") -> str:
    """What `y` is for a batch of four of the data set."""
    setup = f"data = {data}\n{more}\nx = next(iter(DataLoader(data, batch_size=4)))[0]"
    reply = trace(tmp_path, NET, "Net()(x)", setup=setup)
    assert reply.failure is None, reply.failure
    return next(line for line in annotated(reply, tmp_path / "model.py").split("\n") if "x * 2" in line).strip()


@pytest.mark.parametrize(
    ("data", "size"),
    [
        ("datasets.MNIST('data', download=True, transform=whole)", "4, 1, 28, 28"),
        ("datasets.CIFAR10('data', False, whole)", "4, 3, 32, 32"),
        ("datasets.ImageFolder('data', cut)", "4, 3, 8, 8"),
    ],
)
def test_a_batch(tmp_path: Path, data: str, size: str) -> None:
    assert batch(tmp_path, data) == f"y⟦f32[{size}]⟧ = x * 2"


def test_items_in_another_order_than_they_have(tmp_path: Path) -> None:
    setup = "data = datasets.MNIST('data', transform=whole)\nx = next(iter(DataLoader(data, 4, shuffle=True)))[0]"
    split = "data, other = torch.utils.data.random_split(data, [50_000, 10_000])\nassert len(other) == 10_000\nx ="
    for text in (setup, setup.replace("x =", split)):
        reply = trace(tmp_path, NET, "Net()(x)", setup=text)
        assert (reply.failure, reply.engine, reply.fallback) == (None, "fake", "")


def test_how_many_there_are_and_what_they_are_all_together(tmp_path: Path) -> None:
    made = "datasets.CIFAR10('data', False, whole)"
    batch(tmp_path, made, "assert len(data) == len(data.targets) == 10_000 and len(data.classes) == 10")
    batch(tmp_path, made, "assert data.data.shape == (10_000, 32, 32, 3)")
    batch(tmp_path, "datasets.MNIST('data', transform=whole)", "assert data.data.shape == (60_000, 28, 28)")


@pytest.mark.parametrize("data", ["datasets.ImageFolder('data', whole)", "datasets.ImageFolder('data')"])
def test_pictures_of_no_certain_size_are_not_made_up(tmp_path: Path, data: str) -> None:
    failure = trace(tmp_path, NET, "Net()(x)", setup=f"x = {data}[0][0]").failure
    assert failure is not None
    assert (failure.error, failure.proven) == ("FileNotFoundError", False)


def test_a_data_set_that_is_made_while_its_file_is_imported(tmp_path: Path) -> None:
    source = f"{NET}\ndata = datasets.MNIST('data', download=True, transform=whole)\n"
    reply = trace(tmp_path, source, "Net()(next(iter(DataLoader(data, batch_size=4)))[0])")
    assert "y⟦f32[4, 1, 28, 28]⟧" in annotated(reply, tmp_path / "model.py")
