import numpy as np
import torch
from seriesnet import SeriesConfig, SeriesNet
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, cfg, length=200):
        self.cfg = cfg
        t = np.arange(length, dtype=np.float32)
        self.values = np.stack([np.sin(t / (5 + i)) for i in range(cfg.enc_in)], axis=1)
        self.marks = np.stack([np.cos(2 * np.pi * t / p) for p in (24, 168, 12, 60)], axis=1).astype(np.float32)

    def __len__(self):
        return len(self.values) - self.cfg.seq_len - self.cfg.pred_len + 1

    def __getitem__(self, i):
        begin, end = i + self.cfg.seq_len, i + self.cfg.seq_len + self.cfg.pred_len
        return (
            self.values[i:begin],
            self.marks[i:begin],
            self.marks[begin - self.cfg.label_len : end],
            self.values[begin:end],
        )


def train(cfg):
    loader = DataLoader(Windows(cfg), batch_size=8, shuffle=True, drop_last=True)
    model = SeriesNet(cfg)
    criterion = torch.nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step, (x, x_mark, y_mark, y) in enumerate(loader):
        optimizer.zero_grad()
        pred = model(x, x_mark, y_mark)
        loss = criterion(pred, y)
        loss.backward()
        optimizer.step()
        if step == 1:
            break


if __name__ == "__main__":
    train(SeriesConfig())
