"""CRNN (Shi et al., 2015) with a small spatial transformer in front and column attention on top."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Rectifier(nn.Module):
    """Predicts one affine map for each line and resamples the image with it."""

    def __init__(self, out_size):
        super().__init__()
        self.out_size = out_size
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 5, stride=2, padding=2),
            nn.ReLU(inplace=True),
            nn.Conv2d(8, 16, 3, stride=2, padding=1),
            nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d((2, 4)),
        )
        self.theta = nn.Linear(16 * 2 * 4, 6)
        nn.init.zeros_(self.theta.weight)
        with torch.no_grad():
            self.theta.bias.copy_(torch.tensor([1.0, 0.0, 0.0, 0.0, 1.0, 0.0]))

    def forward(self, x):
        theta = self.theta(self.features(x).flatten(1))
        grid = F.affine_grid(theta.view(-1, 2, 3), [x.size(0), 1, *self.out_size], align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)


class ResUnit(nn.Module):
    def __init__(self, c_in, c_out, stride=(1, 1)):
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.skip = None
        if c_in != c_out or stride != (1, 1):
            self.skip = nn.Conv2d(c_in, c_out, 1, stride=stride, bias=False)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        if self.skip is not None:
            x = self.skip(x)
        return F.relu(x + y)


class CRNN(nn.Module):
    def __init__(self, n_classes, size=(32, 128), channels=(16, 32, 64), hidden=48, layers=2):
        super().__init__()
        self.rectify = Rectifier(size)
        c1, c2, c3 = channels
        self.stem = nn.Conv2d(1, c1, 3, padding=1)
        self.stage1 = ResUnit(c1, c2, stride=(2, 2))
        self.stage2 = ResUnit(c2, c3, stride=(2, 2))
        self.stage3 = ResUnit(c3, c3, stride=(2, 1))
        self.rows = size[0] // 8
        self.column_score = nn.Conv2d(c3, 1, 1)
        self.rnn = nn.LSTM(c3, hidden, num_layers=layers, bidirectional=True, batch_first=True)
        self.norm = nn.LayerNorm(2 * hidden)
        self.head = nn.Linear(2 * hidden, n_classes)

    def columns(self, maps):
        """[b, c, h, w] to [b, w, c]: the rows are weighted by a learned attention."""
        b, c, h, w = maps.shape
        weight = self.column_score(maps).softmax(dim=2)
        return torch.einsum("bchw,bhw->bwc", maps, weight.squeeze(1))

    def forward(self, images):
        x = self.rectify(images)
        x = F.relu(self.stem(x))
        x = self.stage3(self.stage2(self.stage1(x)))
        seq, _ = self.rnn(self.columns(x))
        return self.head(self.norm(seq))


class CTCHead(nn.Module):
    def __init__(self, blank=0, smoothing=0.05):
        super().__init__()
        self.blank = blank
        self.smoothing = smoothing

    def forward(self, logits, targets, target_lengths):
        log_probs = logits.log_softmax(-1).transpose(0, 1)  # CTC wants time first
        t, b, _ = log_probs.shape
        input_lengths = torch.full((b,), t, dtype=torch.long)
        ctc = F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=self.blank, zero_infinity=True)
        return (1 - self.smoothing) * ctc - self.smoothing * log_probs.mean()

    @torch.no_grad()
    def decode(self, logits):
        best = logits.argmax(dim=-1)
        changed = torch.ones_like(best, dtype=torch.bool)
        changed[:, 1:] = best[:, 1:] != best[:, :-1]
        keep = changed & (best != self.blank)
        return [row[k] for row, k in zip(best, keep)]
