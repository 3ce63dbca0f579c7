"""Coloured rectangles."""

import torch
from torch.utils.data import Dataset


class Rectangles(Dataset):
    def __init__(self, config, length=8):
        self.config, self.length = config, length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        size = self.config.image_size
        image = torch.rand(3, size, size, generator=generator)
        count = 1 + index % 3
        centre = torch.rand(count, 2, generator=generator) * (size - 1)
        extent = 6 + torch.rand(count, 2, generator=generator) * 40
        label = torch.randint(0, self.config.num_classes, (count, 1), generator=generator)
        return image, torch.cat([label.float(), centre, extent], dim=1)


def collate(batch):
    images, boxes = zip(*batch)
    rows = []
    for i, box in enumerate(boxes):
        number = torch.full((len(box), 1), float(i))
        rows.append(torch.cat([number, box], dim=1))
    return torch.stack(images), torch.cat(rows, dim=0)
