"""Short-time energy of vowels through a fixed window, then a linear readout."""
import torch
import torch.nn as nn


class ShortTimeEnergy(nn.Module):
    def __init__(self, frame=64, hop=32):
        super().__init__()
        self.frame, self.hop = frame, hop
        window = torch.hann_window(frame)
        self.window = window / window.sum()

    def forward(self, speech):
        frames = speech.unfold(-1, self.frame, self.hop)
        return (frames.square() * self.window).sum(dim=-1)


class VowelNet(nn.Module):
    def __init__(self, samples=512, vowels=5):
        super().__init__()
        self.energy = ShortTimeEnergy()
        n = (samples - 64) // 32 + 1
        self.readout = nn.Linear(n, vowels)

    def forward(self, speech):
        return self.readout(self.energy(speech))


if __name__ == "__main__":
    torch.manual_seed(27)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = VowelNet()
    speech = torch.randn(3, 512)
    print(model(speech))
    print(sorted(model.state_dict()), device)
