import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.rows = np.loadtxt(path, delimiter=",", dtype=np.float32)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.from_numpy(self.rows[i, :-1]), int(self.rows[i, -1])


class Net(nn.Module):
    def __init__(self, features=8):
        super().__init__()
        self.fc1 = nn.Linear(features, 64)
        self.fc2 = nn.Linear(64, 3)

    def forward(self, x):
        h = torch.relu(self.fc1(x))
        return self.fc2(h)


if __name__ == "__main__":
    train = Rows("train.csv")
    loader = DataLoader(train, batch_size=32, shuffle=True)
    net = Net()
    opt = torch.optim.Adam(net.parameters())
    criterion = nn.CrossEntropyLoss()
    for epoch in range(10):
        for x, y in loader:
            out = net(x)
            loss = criterion(out, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
