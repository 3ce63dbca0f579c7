import torch

from segment.config import TrainConfig
from segment.losses import total_loss
from segment.model import ResUNet


def make_batch(cfg):
    size = cfg.image_size
    images = torch.randn(cfg.batch_size, cfg.model.in_channels, size, size)
    masks = torch.randint(0, cfg.model.num_classes, (cfg.batch_size, size, size))
    return images, masks


def main():
    cfg = TrainConfig()
    model = ResUNet(cfg.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for step in range(3):
        images, masks = make_batch(cfg)
        logits, aux = model(images)
        loss = total_loss(logits, aux, masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
