"""Episodes: `way` classes with `shot` images to learn from and `query` images to tell apart."""

import torch
from torch.utils.data import DataLoader, Dataset, Sampler


class Glyphs(Dataset):
    def __init__(self, classes=20, per_class=12, size=28):
        self.images = torch.rand(classes * per_class, size, size)
        self.labels = torch.arange(classes).repeat_interleave(per_class)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i].unsqueeze(0), self.labels[i]


class EpisodeSampler(Sampler):
    def __init__(self, labels, way, per_class, episodes):
        self.labels, self.way, self.per_class, self.episodes = labels, way, per_class, episodes

    def __len__(self):
        return self.episodes

    def __iter__(self):
        for _ in range(self.episodes):
            chosen = torch.randperm(int(self.labels.max()) + 1)[: self.way]
            picks = []
            for c in chosen:
                places = torch.where(self.labels == c)[0]
                picks.append(places[torch.randperm(len(places))[: self.per_class]])
            yield torch.cat(picks).tolist()


def episodes(way=5, shot=2, query=3, count=2):
    data = Glyphs()
    return DataLoader(data, batch_sampler=EpisodeSampler(data.labels, way, shot + query, count))
