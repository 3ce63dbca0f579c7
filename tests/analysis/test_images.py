"""Data sets and images: how large a batch is, without the files."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.analysis.workspaces import found, workspace

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x
"""
LOOP = """
loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True, num_workers=4)
net = Net()
for step, (x, y) in enumerate(loader):
    out = net(x)
"""


def calls(text: str) -> list[tuple[str, str]]:
    head = "import torch\nfrom model import Net\nfrom torchvision import datasets, transforms\n"
    space = workspace({"model.py": NET, "train.py": head + dedent(text)})
    return [(example.setup, example.call) for example in found(space, "call")]


@pytest.mark.parametrize(
    "data",
    [
        "datasets.MNIST('data', train=True, transform=transforms.ToTensor()@)",
        "datasets.CIFAR10('data', True, transforms.ToTensor()@)",
        "datasets.ImageFolder('data', transforms.ToTensor()@)",
    ],
)
def test_a_dataset_of_images_is_made_without_a_download(data):
    ((setup, call),) = calls(f"data = {data.replace('@', ', download=True')}{LOOP}")
    assert f"data = {data.replace('@', '')}" in setup
    assert "num_workers" not in setup
    assert call in ("net(x)", "Net()(x)")


@pytest.mark.parametrize(
    "data",
    ["datasets.CocoDetection('data', 'instances.json', download=True)", "unknown.MNIST('data', download=True)"],
)
def test_any_other_download(data):
    assert calls(f"data = {data}{LOOP}") == []


def test_an_image_from_a_file():
    text = """
        from PIL import Image
        prepare = transforms.Compose([transforms.Resize(72), transforms.CenterCrop(64), transforms.ToTensor()])
        net = Net()
        image = prepare(Image.open("cat.jpg")).unsqueeze(0)
        net(image)
    """
    ((setup, call),) = calls(text)
    assert "Image.new('RGB', (256, 256))" in setup + call
    assert "open" not in setup + call
    assert calls(text.replace("transforms.CenterCrop(64), ", "")) == []


def test_tensors_in_a_dataset():
    text = "data = torch.utils.data.TensorDataset(torch.randn(9, 3), torch.zeros(9))" + LOOP
    ((setup, _),) = calls(text)
    assert "TensorDataset(torch.randn(9, 3), torch.zeros(9))" in setup


def test_a_dataset_that_makes_its_items():
    text = f"""
class Toy(torch.utils.data.Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return torch.randn(3, 16), index
data = Toy(){LOOP}"""
    ((setup, _),) = calls(text)
    assert "return (torch.randn(3, 16), index)" in setup


def test_pretrained_weights_are_left_out():
    text = (
        "import torchvision\nhead = torchvision.models.resnet18(pretrained=True)\nNet()(head(torch.ones(1, 3, 8, 8)))"
    )
    ((_, call),) = calls(text)
    assert "pretrained=False" in call
