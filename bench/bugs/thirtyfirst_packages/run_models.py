"""Runs the copied models once, small."""

import torch
from deeplab import ASPP, DeepLabHead
from densenet import DenseNet
from distilbert import DistilBertModel
from max_vit import MaxViT
from mixer import MlpMixer
from neo_mlp import NeoMLP
from pooling_vit import PoolingVisionTransformer
from transformers import DistilBertConfig


def test_mixer():
    model = MlpMixer(img_size=64, patch_size=16, num_blocks=2, embed_dim=128, num_classes=10)
    assert model(torch.randn(2, 3, 64, 64)).shape == (2, 10)


def test_pooling_vit():
    model = PoolingVisionTransformer(64, base_dims=(16, 16, 16), depth=(1, 1, 1), heads=(2, 4, 8), num_classes=10)
    assert model(torch.randn(2, 3, 64, 64)).shape == (2, 10)


def test_densenet():
    model = DenseNet(growth_rate=16, block_config=(2, 3, 2, 2), num_init_features=32, num_classes=10)
    assert model(torch.randn(2, 3, 64, 64)).shape == (2, 10)


def test_deeplab():
    head = DeepLabHead(512, 21)
    assert head(torch.randn(2, 512, 28, 28)).shape == (2, 21, 28, 28)
    assert ASPP(64, (6, 12, 18), 128)(torch.randn(2, 64, 28, 28)).shape == (2, 128, 28, 28)


def test_distilbert():
    config = DistilBertConfig(vocab_size=100, dim=192, n_heads=6, n_layers=2, hidden_dim=384)
    model = DistilBertModel(config)
    tokens = torch.randint(0, 100, (2, 20))
    assert model(tokens).last_hidden_state.shape == (2, 20, 192)


def test_neo_mlp():
    mlp = NeoMLP(dim_in=5, dim_hidden=7, dim_out=3, dim_model=64, depth=2)
    assert mlp(torch.randn(4, 5)).shape == (4, 3)


def test_max_vit():
    model = MaxViT(num_classes=10, dim_conv_stem=32, dim=64, dim_head=32, depth=(1, 1), window_size=4)
    assert model(torch.randn(2, 3, 64, 64)).shape == (2, 10)
