"""Pictures and captions that belong together: a small ResNet, a text transformer, a contrastive loss."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, kernel_size=3, stride=1, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = None
        if stride != 1 or in_planes != planes:
            self.downsample = nn.Sequential(
                nn.Conv2d(in_planes, planes, kernel_size=1, stride=stride, bias=False), nn.BatchNorm2d(planes)
            )

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + identity)


class ResNet(nn.Module):
    def __init__(self, num_blocks=(1, 2, 1), width=20):
        super().__init__()
        self.in_planes = width
        self.stem = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.layer1 = self._make_layer(width, num_blocks[0], stride=1)
        self.layer2 = self._make_layer(width * 2, num_blocks[1], stride=2)
        self.layer3 = self._make_layer(width * 4, num_blocks[2], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)

    def _make_layer(self, planes, blocks, stride):
        layers = []
        for s in [stride] + [1] * (blocks - 1):
            layers.append(BasicBlock(self.in_planes, planes, s))
            self.in_planes = planes
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(self.stem(x))))
        return self.avgpool(x).flatten(1)


class TextEncoder(nn.Module):
    def __init__(self, vocab=150, width=44, heads=4, layers=2, context=16):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab, width)
        self.positional_embedding = nn.Parameter(torch.randn(context, width) * 0.01)
        layer = nn.TransformerEncoderLayer(width, heads, dim_feedforward=4 * width, batch_first=True)
        self.transformer = nn.TransformerEncoder(layer, layers)
        self.ln_final = nn.LayerNorm(width)

    def forward(self, text):
        x = self.token_embedding(text) + self.positional_embedding[: text.shape[1]]
        x = self.transformer(x, src_key_padding_mask=text == 0)
        x = self.ln_final(x)
        return x[torch.arange(x.shape[0]), text.argmax(dim=-1)]


class CLIP(nn.Module):
    def __init__(self, embed_dim=36):
        super().__init__()
        self.visual = ResNet()
        self.text = TextEncoder()
        self.visual_projection = nn.Linear(80, embed_dim, bias=False)
        self.text_projection = nn.Parameter(torch.randn(44, embed_dim) * 44**-0.5)
        self.logit_scale = nn.Parameter(torch.ones([]) * np.log(1 / 0.07))

    def encode_image(self, image):
        return F.normalize(self.visual_projection(self.visual(image)), dim=-1)

    def encode_text(self, text):
        return F.normalize(self.text(text) @ self.text_projection, dim=-1)

    def forward(self, image, text):
        image_features, text_features = self.encode_image(image), self.encode_text(text)
        logits_per_image = self.logit_scale.exp() * image_features @ text_features.t()
        labels = torch.arange(logits_per_image.shape[0])
        return (F.cross_entropy(logits_per_image, labels) + F.cross_entropy(logits_per_image.t(), labels)) / 2


def train_step():
    model = CLIP()
    images, texts = torch.rand(5, 3, 32, 32), torch.randint(1, 150, (5, 12))
    loss = model(images, texts)
    loss.backward()


train_step()
