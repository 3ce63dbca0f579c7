import pytest
import torch

from detector import Detector, box_iou
from lstm_classifier import LSTMClassifier
from resnet50 import Bottleneck, ResNet, resnet50
from unet import UNet
from vit import ViT


def test_resnet_small_images():
    model = ResNet(Bottleneck, [1, 1, 1, 1], num_classes=10)
    x = torch.randn(2, 3, 64, 64)
    assert model(x).shape == (2, 10)


def test_resnet_features():
    features = resnet50().forward_features(torch.randn(1, 3, 96, 96))
    assert [f.shape[1] for f in features] == [256, 512, 1024, 2048]


@pytest.mark.parametrize("bilinear", [True, False])
def test_unet_keeps_size(bilinear):
    net = UNet(3, 2, base=16, bilinear=bilinear)
    assert net(torch.randn(1, 3, 90, 70)).shape == (1, 2, 90, 70)


def test_vit_mean_pooling():
    model = ViT(image_size=(64, 32), patch_size=8, num_classes=5, dim=64, depth=2, heads=2, mlp_dim=128, pool="mean")
    assert model(torch.randn(3, 3, 64, 32)).shape == (3, 5)


def test_lstm_lengths():
    model = LSTMClassifier(vocab_size=50, num_layers=1, dropout=0.0)
    lengths = torch.tensor([7, 3, 1])
    tokens = torch.randint(1, 50, (3, 7))
    assert model(tokens, lengths).shape == (3, 5)


def test_box_iou():
    boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 3.0, 3.0]])
    assert torch.allclose(box_iou(boxes, boxes).diagonal(), torch.ones(2))


def test_detector_batch():
    out = Detector(num_classes=3)(torch.rand(1, 3, 64, 64))
    assert set(out[0]) == {"boxes", "scores", "labels"}
