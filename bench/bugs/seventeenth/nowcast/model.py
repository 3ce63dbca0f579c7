import torch
import torch.nn as nn

from nowcast import settings
from nowcast.cells import ConvLSTM


def per_frame(module, clip):
    b, t = clip.shape[:2]
    out = module(clip.reshape(b * t, *clip.shape[2:]))
    return out.reshape(b, t, *out.shape[1:])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnns = nn.ModuleList()
        self.downs = nn.ModuleList()
        for layer in settings.ENCODER:
            self.rnns.append(ConvLSTM(layer["in"], layer["hidden"], layer["kernel"]))
            self.downs.append(nn.Conv2d(layer["hidden"], layer["hidden"], 3, stride=2, padding=1))

    def forward(self, clip):
        states = []
        for rnn, down in zip(self.rnns, self.downs):
            clip, state = rnn(clip)
            states.append(state)
            clip = per_frame(down, clip)
        return clip[:, -1], states


class Forecaster(nn.Module):
    def __init__(self, frames):
        super().__init__()
        self.frames = frames
        self.rnns = nn.ModuleList()
        self.ups = nn.ModuleList()
        for layer in settings.DECODER:
            self.ups.append(nn.ConvTranspose2d(layer["in"], layer["in"], 4, stride=2, padding=1))
            self.rnns.append(ConvLSTM(layer["in"], layer["hidden"], layer["kernel"]))
        self.head = nn.Conv2d(settings.DECODER[-1]["hidden"], 1, 1)

    def forward(self, last, states):
        clip = last.unsqueeze(1).expand(-1, self.frames, -1, -1, -1)
        for up, rnn, state in zip(self.ups, self.rnns, reversed(states)):
            clip = per_frame(up, clip)
            clip, _ = rnn(clip, state)
        return per_frame(self.head, clip)


class Nowcaster(nn.Module):
    def __init__(self, frames_out=settings.FRAMES_OUT):
        super().__init__()
        self.encoder = Encoder()
        self.forecaster = Forecaster(frames_out)

    def forward(self, clip):
        last, states = self.encoder(clip)
        return self.forecaster(last, states)


class BalancedLoss(nn.Module):
    """Heavy rain weighs more."""

    def __init__(self, thresholds=(0.1, 0.3, 0.6), weights=(1.0, 2.0, 5.0, 10.0)):
        super().__init__()
        self.register_buffer("thresholds", torch.tensor(thresholds))
        self.register_buffer("weights", torch.tensor(weights))

    def forward(self, predicted, target):
        level = torch.bucketize(target, self.thresholds)
        weight = self.weights[level]
        return (weight * (predicted - target).abs()).mean()
