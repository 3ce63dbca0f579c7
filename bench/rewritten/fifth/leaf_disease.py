"""Small classifier of leaf photographs, trained for a few steps."""
import torch
import torch.nn as nn


def stage(c_in, c_out, depth, downsample):
    blocks = []
    for i in range(depth):
        step = 2 if downsample and i == 0 else 1
        blocks.append(nn.Conv2d(c_in if i == 0 else c_out, c_out, kernel_size=3, stride=step, padding=1))
        blocks.append(nn.BatchNorm2d(c_out))
        blocks.append(nn.ReLU(inplace=True))
    return nn.Sequential(*blocks)


class LeafNet(nn.Module):
    def __init__(self, n_diseases=5):
        super().__init__()
        self.low = stage(3, 8, 1, False)
        self.mid = stage(8, 16, 2, True)
        self.top = stage(16, 32, 1, True)
        self.squeeze = nn.AdaptiveAvgPool2d(1)
        self.classify = nn.Linear(32, n_diseases)

    def forward(self, photo):
        h = self.top(self.mid(self.low(photo)))
        return self.classify(self.squeeze(h).flatten(1))


def main():
    torch.manual_seed(4)
    net = LeafNet()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for step in range(3):
        photos, labels = torch.rand(8, 3, 24, 24), torch.randint(0, 5, (8,))
        loss = criterion(net(photos), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
