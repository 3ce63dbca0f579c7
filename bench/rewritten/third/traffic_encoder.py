import torch
import torch.nn as nn


class SensorEncoder(nn.Module):
    """Embeds the readings of all the sensors at one time."""

    def __init__(self, n_sensors: int, dim: int):
        super().__init__()
        self.fc1 = nn.Linear(n_sensors, 2 * dim)
        self.fc2 = nn.Linear(2 * dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, reading):
        h = torch.relu(self.fc1(reading))
        return self.norm(self.fc2(h))


class SequenceModel(nn.Module):
    def __init__(self, n_sensors: int, dim: int):
        super().__init__()
        self.encoder = SensorEncoder(n_sensors, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, readings):
        steps = []
        for t in range(readings.shape[1]):
            emb = self.encoder(readings[:, t, :])
            steps.append(emb)
        seq = torch.stack(steps, dim=1)

        out, last = self.rnn(seq)
        return out, last.squeeze(0)


class HorizonHead(nn.Module):
    def __init__(self, dim, n_sensors, horizon):
        super().__init__()
        self.horizon = horizon
        self.n_sensors = n_sensors
        self.fc = nn.Linear(dim, horizon * n_sensors)

    def forward(self, state):
        return self.fc(state).view(-1, self.horizon, self.n_sensors)


class TrafficModel(nn.Module):
    def __init__(self, n_sensors=9, dim=16, horizon=3):
        super().__init__()
        self.sequence = SequenceModel(n_sensors, dim)
        self.head = HorizonHead(dim, n_sensors, horizon)

    def forward(self, readings):
        out, state = self.sequence(readings)
        return self.head(state), out


TrafficModel()(torch.randn(4, 7, 9))
