"""Lists of tensors that go into lists of modules, constants that something is compared with, distributions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

CASES = {
    "maps of a pyramid": (
        """
        class Net(nn.Module):
            def __init__(self, in_channels, out_channels):
                super().__init__()
                self.lateral = nn.ModuleList([nn.Conv2d(c, out_channels, 1) for c in in_channels])
            def forward(self, inputs):
                assert len(inputs) == len(self.lateral)
                maps = [layer(x) for layer, x in zip(self.lateral, inputs)]
                for i in range(len(maps) - 1, 0, -1):
                    maps[i - 1] = maps[i - 1] + F.interpolate(maps[i], scale_factor=2.0)
                y = maps[0]
                return y
        """,
        "([f32[2, 3, 32, 32], f32[2, 3, 16, 16]])",
    ),
    "lists of which a message says how long, and a class that is no part of it": (
        """
        class Attention(nn.Module):
            def __init__(self, dim: int, window_size: list[int], shift_size: list[int]):
                super().__init__()
                if len(window_size) != 2 or len(shift_size) != 2:
                    raise ValueError("window_size and shift_size must be of length 2")
                self.window_size = window_size
                self.fc = nn.Linear(dim, dim)
            def forward(self, x):
                b, h, w, c = x.shape
                p, q = self.window_size
                return self.fc(x.view(b, h // p, p, w // q, q, c))

        class Net(nn.Module):
            def __init__(self, dim: int, window_size: list[int], shift_size: list[int], attention=Attention):
                super().__init__()
                self.attention = attention(dim, window_size, shift_size)
            def forward(self, x):
                y = self.attention(x)
                return y
        """,
        "shift_size=[64, 64])(f32[2, ",
    ),
    "maps by their number": (
        """
        class Net(nn.Module):
            def __init__(self, widths=(8, 12, 20)):
                super().__init__()
                self.convs = nn.ModuleList([nn.Conv2d(c, 4, 1) for c in widths])
            def forward(self, feats):
                outs = [conv(feats[i]) for i, conv in enumerate(self.convs)]
                y = outs[0] + F.interpolate(outs[1], scale_factor=2.0)
                return y + F.interpolate(outs[2], scale_factor=4.0)
        """,
        "([f32[2, 8, 32, 32], f32[2, 12, 16, 16], f32[2, 20, 8, 8]])",
    ),
    "vectors for each of several layers": (
        """
        class Net(nn.Module):
            def __init__(self, widths=(8, 12, 20)):
                super().__init__()
                self.parts = nn.ModuleList([nn.Linear(c, 4) for c in widths])
            def forward(self, x):
                total = 0
                for i in range(len(x)):
                    total = total + self.parts[i](x[i])
                return total
        """,
        ", 8], f32[2, 16, 12], f32[2, 16, 20]])",
    ),
    "one of a chain": (
        """
        class Net(nn.Module):
            def __init__(self, width, pooling):
                super().__init__()
                if pooling == "weighted":
                    self.q = nn.Linear(width, 1)
                elif pooling == "plain":
                    self.q = nn.Linear(width, 2)
                else:
                    raise NotImplementedError(pooling)
            def forward(self, x):
                y = self.q(x)
                return y
        """,
        "pooling='weighted'",
    ),
    "a number of a chain": (
        """
        class Net(nn.Module):
            def __init__(self, width, version):
                super().__init__()
                if version == 101:
                    self.fc = nn.Linear(width, 8)
                elif version in (202, 203):
                    self.fc = nn.Linear(width, 16)
                else:
                    raise ValueError()
            def forward(self, x):
                y = self.fc(x)
                return y
        """,
        "version=101",
    ),
    "a chain of another function": (
        """
        def norm_of(kind, width):
            if kind == "gn":
                return nn.GroupNorm(4, width)
            elif kind == "bn":
                return nn.BatchNorm2d(width)
            else:
                raise Exception("unknown")

        class Net(nn.Module):
            def __init__(self, width, norm_kind):
                super().__init__()
                self.norm = norm_of(norm_kind, width)
            def forward(self, x):
                y = self.norm(x)
                return y
        """,
        "norm_kind='gn'",
    ),
    "what a table has": (
        """
        WIDTHS = {"tiny": 8, "huge": 64}

        class Net(nn.Module):
            def __init__(self, flavour):
                super().__init__()
                if flavour not in WIDTHS:
                    raise ValueError("no such thing")
                self.fc = nn.Linear(WIDTHS[flavour], 4)
            def forward(self, x):
                y = self.fc(x)
                return y
        """,
        "flavour='tiny'",
    ),
    "a chain of returns in forward": (
        """
        class Net(nn.Module):
            def __init__(self, reduction):
                super().__init__()
                self.reduction = reduction
            def forward(self, pred, target):
                loss = (pred - target) ** 2
                if self.reduction == "mean":
                    return loss.mean()
                elif self.reduction == "sum":
                    return loss.sum()
                raise ValueError
        """,
        "reduction='mean'",
    ),
    "an annotated distribution": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(torch.ones(1))
            def forward(self, p: torch.distributions.Normal, q: torch.distributions.Normal):
                y = self.scale * torch.distributions.kl_divergence(p, q).sum()
                return y
        """,
        "torch.distributions.Normal(",
    ),
    "a distribution that nobody named": (
        """
        class Net(nn.Module):
            def forward(self, dist, target):
                y = -dist.log_prob(target)
                return y
        """,
        "torch.distributions.Normal(",
    ),
    "rates and kernels of a decoder": (
        """
        class Net(nn.Module):
            def __init__(self, channels, upsample_rates, upsample_kernel_sizes):
                super().__init__()
                self.ups = nn.ModuleList()
                for i, (u, k) in enumerate(zip(upsample_rates, upsample_kernel_sizes)):
                    one, other = channels // 2**i, channels // 2 ** (i + 1)
                    self.ups.append(nn.ConvTranspose1d(one, other, k, u, padding=(k - u) // 2))
            def forward(self, x):
                for up in self.ups:
                    x = up(F.leaky_relu(x))
                return x
        """,
        "channels=64",
    ),
    "sizes that are asserted": (
        """
        def compared(first, second):
            assert first.size(0) == second.size(0)
            assert first.size(1) == second.size(1) and first.size(1) == 5
            assert first.size(2) == second.size(2) and first.size(2) == 7
            return first.matmul(second.transpose(1, 2))

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(torch.ones(1))
            def forward(self, first, second):
                y = self.w * compared(first, second)
                return y
        """,
        "f32[2, 5, 7]",
    ),
    "sizes below which it raises": (
        """
        class Net(nn.Module):
            def __init__(self, points=24):
                super().__init__()
                self.points = points
                self.fc = nn.Linear(3, 4)
            def forward(self, cloud):
                if cloud.dim() != 3 or cloud.shape[1] != self.points or cloud.shape[2] != 3:
                    raise ValueError("bad cloud")
                y = self.fc(cloud)
                return y
        """,
        "f32[2, 24, 3]",
    ),
    "a whole shape that is asserted": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(torch.ones(1))
            def forward(self, ids, observation_masks, places):
                assert ids.ndim == 2
                batch, length = ids.shape
                assert observation_masks.shape == (batch, length, 1)
                assert places.shape == (batch, length)
                y = self.w * ids.unsqueeze(-1) * observation_masks
                return y
        """,
        ", 1]",
    ),
    "channels of heads that are folded into the batch": (
        """
        class Net(nn.Module):
            def __init__(self, width=64, heads=8):
                super().__init__()
                self.heads, self.each = heads, width // heads
            def forward(self, inputs: torch.Tensor):
                b, _, h, w = inputs.size()
                y = inputs.contiguous().view(b * self.heads, self.each, h, w)
                return y
        """,
        "f32[2, 64, 32, 32]",
    ),
    "parts that are not there": (
        """
        class Net(nn.Module):
            def __init__(self, count=2):
                super().__init__()
                self.count = count
                self.w = nn.Parameter(torch.ones(1))
            def forward(self, inputs, means):
                m = inputs.size(1)
                parts = [inputs - means[:, m * k : m * (k + 1)] for k in range(self.count)]
                y = self.w * sum(parts)
                return y
        """,
        "f32[2, 16, 64], f32[2, 32, 64]",
    ),
    "windows that are larger than what is cut": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, 8, 3, stride=8, padding=1)
            def forward(self, x):
                x = self.stem(x)
                b, c, h, w = x.shape
                y = x.view(b, c, h // 7, 7, w // 7, 7)
                return y
        """,
        "224, 224]",
    ),
    "keys of what takes the rest": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 4)
            def prepared(self, data):
                return data["x"] * 2
            def forward(self, **data):
                y = self.fc(self.prepared(data))
                return y
        """,
        "x=f32[",
    ),
    "a table that is asked whether it has a key": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 4)
            def forward(self, outputs):
                y = self.fc(outputs["logits"] if "logits" in outputs else outputs["scores"])
                return y
        """,
        "{'scores': f32[2, 16, 8], 'logits': f32[2, 16, 8]}",
    ),
    "a list of lists": (
        """
        class Net(nn.Module):
            def __init__(self, in_channel, mlp_list):
                super().__init__()
                self.blocks = nn.ModuleList()
                for i in range(len(mlp_list)):
                    convs, last = nn.ModuleList(), in_channel
                    for width in mlp_list[i]:
                        convs.append(nn.Conv1d(last, width, 1))
                        last = width
                    self.blocks.append(convs)
            def forward(self, x):
                y = [conv(x) for convs in self.blocks for conv in convs[:1]]
                return y
        """,
        "mlp_list=",
    ),
    "what is said to be required": (
        """
        def taken(given, name):
            if name not in given:
                raise TypeError(f"The required argument `{name}` is missing")
            return given[name]

        class Net(nn.Module):
            def __init__(self, width, **others):
                super().__init__()
                self.fc = nn.Linear(width, taken(others, "d_hidden"))
            def forward(self, x):
                y = self.fc(x)
                return y
        """,
        "d_hidden=",
    ),
    "what goes through a table that was empty": (
        """
        class Net(nn.Module):
            def __init__(self, observation_space, width=16):
                super().__init__()
                self.parts = nn.ModuleDict()
                for key, sub in observation_space.spaces.items():
                    self.parts[key] = nn.Linear(sub.shape[0], width)
            def forward(self, observations):
                y = torch.cat([part(observations[key]) for key, part in self.parts.items()], 1)
                return y
        """,
        "shape=(64,)",
    ),
    "eval that gives nothing": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 4)
            def eval(self):
                super().eval()
            def forward(self, x):
                y = self.fc(x)
                return y
        """,
        ", 8])",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_found(case: str, tmp_path: Path) -> None:
    source, part = CASES[case]
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)
    assert part in one.call, one


def test_the_rows_of_one_tensor_stay_one(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.ModuleList([nn.Linear(8, 4), nn.Linear(8, 4)])
        def forward(self, x: torch.Tensor):
            y = torch.stack([part(row) for part, row in zip(self.parts, x)])
            return y
    """
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)
    assert "[f32" not in one.call, one
