"""EfficientNet-B0 for ten classes, on small pictures."""

import torch

from efficientnet_net import EfficientNet

if __name__ == "__main__":
    model = EfficientNet.from_name("efficientnet-b0", image_size=64, num_classes=10)
    images = torch.randn(4, 3, 64, 64)
    labels = torch.randint(0, 10, (4,))
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    print(loss.item())
