"""Organs in scans: a residual U-Net in three dims, with the steps of a trainer in the module."""

from typing import Sequence, Tuple, Union

import torch
from torch import Tensor, nn


class Convolution(nn.Sequential):
    def __init__(self, in_channels: int, out_channels: int, strides: int = 1, is_transposed: bool = False, last: bool = False):
        super().__init__()
        conv: nn.Module
        if is_transposed:
            conv = nn.ConvTranspose3d(
                in_channels, out_channels, kernel_size=3, stride=strides, padding=1, output_padding=strides - 1
            )
        else:
            conv = nn.Conv3d(in_channels, out_channels, kernel_size=3, stride=strides, padding=1)
        self.add_module("conv", conv)
        if not last:
            self.add_module("norm", nn.InstanceNorm3d(out_channels, affine=True))
            self.add_module("act", nn.PReLU())


class ResidualUnit(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, strides: int = 1, subunits: int = 2):
        super().__init__()
        self.conv = nn.Sequential()
        schannels, sstrides = in_channels, strides
        for su in range(subunits):
            self.conv.add_module(f"unit{su}", Convolution(schannels, out_channels, sstrides))
            schannels, sstrides = out_channels, 1
        self.residual: nn.Module = nn.Identity()
        if strides != 1 or in_channels != out_channels:
            kernel, padding = (3, 1) if strides != 1 else (1, 0)
            self.residual = nn.Conv3d(in_channels, out_channels, kernel, strides, padding)

    def forward(self, x: Tensor) -> Tensor:
        res = self.residual(x)
        return self.conv(x) + res


class SkipConnection(nn.Module):
    def __init__(self, submodule: nn.Module, dim: int = 1):
        super().__init__()
        self.submodule = submodule
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([x, self.submodule(x)], dim=self.dim)


class UNet(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, channels: Sequence[int], strides: Sequence[int]):
        super().__init__()
        self.model = self._block(in_channels, out_channels, channels, strides, True)

    def _block(self, inc: int, outc: int, channels: Sequence[int], strides: Sequence[int], top: bool) -> nn.Module:
        c, s = channels[0], strides[0]
        if len(channels) > 2:
            sub = self._block(c, c, channels[1:], strides[1:], False)
            upc = c * 2
        else:
            sub = ResidualUnit(c, channels[1])
            upc = c + channels[1]
        down = ResidualUnit(inc, c, s)
        up = nn.Sequential(Convolution(upc, outc, s, is_transposed=True), ResidualUnit(outc, outc, subunits=1))
        return nn.Sequential(down, SkipConnection(sub), up)

    def forward(self, x: Tensor) -> Tensor:
        return self.model(x)


class DiceCE(nn.Module):
    def __init__(self, classes: int):
        super().__init__()
        self.classes = classes
        self.ce = nn.CrossEntropyLoss()

    def forward(self, logits: Tensor, label: Tensor) -> Tensor:
        probs = logits.softmax(dim=1)
        onehot = nn.functional.one_hot(label.squeeze(1), self.classes).permute(0, 4, 1, 2, 3).float()
        intersection = (probs * onehot).sum(dim=(2, 3, 4))
        total = probs.sum(dim=(2, 3, 4)) + onehot.sum(dim=(2, 3, 4))
        dice = 1 - (2 * intersection + 1) / (total + 1)
        return dice[:, 1:].mean() + self.ce(logits, label.squeeze(1))


class OrganSegmenter(nn.Module):
    def __init__(self, classes: int = 4, channels: Tuple[int, ...] = (8, 16, 32), lr: float = 1e-3):
        super().__init__()
        self.hparams = {"classes": classes, "lr": lr}
        self.net = UNet(1, classes, channels, strides=(2, 2))
        self.loss = DiceCE(classes)
        self.volume_head = nn.Linear(classes, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)

    def _shared_step(self, batch: dict) -> Tuple[Tensor, Tensor]:
        image, label = batch["image"], batch["label"]
        logits = self(image)
        loss = self.loss(logits, label)
        volumes = self.volume_head(logits.mean(dim=(2, 3, 4)))
        truth = nn.functional.one_hot(label.flatten(1), self.hparams["classes"]).float().mean(dim=1)
        return loss + nn.functional.l1_loss(volumes.softmax(-1), truth), logits

    def training_step(self, batch: dict, batch_idx: int) -> Tensor:
        loss, _ = self._shared_step(batch)
        return loss

    def validation_step(self, batch: dict, batch_idx: int) -> Tensor:
        _, logits = self._shared_step(batch)
        pred = logits.argmax(dim=1, keepdim=True)
        return (pred == batch["label"]).float().mean()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=self.hparams["lr"])


class Scans(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> dict:
        image = torch.randn(1, 16, 16, 16)
        return {"image": image, "label": torch.randint(0, 4, (1, 16, 16, 16))}


def fit(module: OrganSegmenter, loader) -> None:
    optimizer = module.configure_optimizers()
    for batch_idx, batch in enumerate(loader):
        loss = module.training_step(batch, batch_idx)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    module.eval()
    with torch.no_grad():
        print(module.validation_step(batch, 0))


if __name__ == "__main__":
    fit(OrganSegmenter(), torch.utils.data.DataLoader(Scans(), batch_size=2))
