import torch
from torch import nn
import torch.nn.functional as F

def conv_norm_act(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv3d(cin, cout, kernel_size=3, stride=stride, padding=1, bias=False),
        nn.InstanceNorm3d(cout, affine=True),
        nn.LeakyReLU(0.01, inplace=True),
    )

class SqueezeExcite(nn.Module):
    def __init__(self, ch, r=4):
        super().__init__()
        self.fc1 = nn.Linear(ch, ch // r)
        self.fc2 = nn.Linear(ch // r, ch)

    def forward(self, x):
        s = x.mean(dim=(2, 3, 4))
        s = torch.sigmoid(self.fc2(F.relu(self.fc1(s))))
        return x * s[:, :, None, None, None]

class EncoderStage(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.c1 = conv_norm_act(cin, cout, stride)
        self.c2 = conv_norm_act(cout, cout)
        self.se = SqueezeExcite(cout)

    def forward(self, x):
        return self.se(self.c2(self.c1(x)))

class DecoderStage(nn.Module):
    def __init__(self, cin, cskip):
        super().__init__()
        self.up = nn.ConvTranspose3d(cin, cskip, kernel_size=2, stride=2)
        self.merge = nn.Sequential(conv_norm_act(cskip * 2, cskip), conv_norm_act(cskip, cskip))

    def forward(self, x, skip):
        x = self.up(x)
        x = torch.cat((x, skip), dim=1)
        return self.merge(x)

class DeepUNet3D(nn.Module):
    """Returns [full, half, quarter] logits when training, only the full ones in eval mode."""

    def __init__(self, in_ch, n_classes, widths=(8, 16, 24, 32)):
        super().__init__()
        self.encoder = nn.ModuleList()
        prev = in_ch
        for i, w in enumerate(widths):
            self.encoder.append(EncoderStage(prev, w, stride=1 if i == 0 else 2))
            prev = w
        self.decoder = nn.ModuleList(
            DecoderStage(deep, skip) for deep, skip in zip(widths[:0:-1], widths[-2::-1])
        )
        self.heads = nn.ModuleList(nn.Conv3d(w, n_classes, 1) for w in widths[-2::-1])

    def forward(self, x):
        skips = []
        for stage in self.encoder:
            x = stage(x)
            skips.append(x)
        x = skips.pop()
        outs = []
        for stage, head in zip(self.decoder, self.heads):
            x = stage(x, skips.pop())
            outs.append(head(x))
        outs = outs[::-1]
        return outs if self.training else outs[0]
