"""Water level of a river, hours ahead."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class RiverWindows(Dataset):
    """Windows of a long record: `length` hours of rain and level, and the level after them."""

    def __init__(self, hours, length=24, ahead=6):
        super().__init__()
        self.length = length
        self.ahead = ahead
        rain = torch.rand(hours).pow(6) * 10
        flow = torch.zeros(hours)
        for hour in range(1, hours):
            flow[hour] = 0.95 * flow[hour - 1] + 0.1 * rain[hour - 1]
        self.record = torch.stack([rain, flow], dim=1)
        self.mean = torch.mean(self.record, dim=0)
        self.std = torch.std(self.record, dim=0)

    def __len__(self):
        return len(self.record) - self.length - self.ahead

    def __getitem__(self, start):
        end = start + self.length
        scaled = (self.record[start : end + self.ahead] - self.mean) / self.std
        return scaled[: self.length], scaled[-1, 1]


class LevelModel(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.level = nn.Linear(hidden, 1)

    def forward(self, window):
        _, last = self.rnn(window)
        return self.level(last[0]).squeeze(-1)


if __name__ == "__main__":
    torch.manual_seed(33)
    loader = DataLoader(RiverWindows(400), batch_size=64, shuffle=True)
    model = LevelModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(2):
        losses = []
        for window, level in loader:
            loss = nn.functional.mse_loss(model(window), level)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: {sum(losses) / len(losses):.4f}")
