"""A compact convolutional transformer on small pictures, one step of training."""

import torch
import torch.nn.functional as F

from cct_net import CCT


def main():
    model = CCT(
        img_size=64,
        embedding_dim=128,
        n_conv_layers=1,
        kernel_size=7,
        stride=2,
        padding=3,
        num_layers=2,
        num_heads=4,
        mlp_ratio=2.0,
        num_classes=10,
        positional_embedding="learnable",
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    images, labels = torch.randn(4, 3, 64, 64), torch.randint(0, 10, (4,))
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
