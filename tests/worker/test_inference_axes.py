"""Sizes that lists of a constructor bound, switches that do not go together, ranks that code takes apart."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.worker.test_inference import found, works

SOURCES = {
    "as many columns as a list has places": """
        class Net(nn.Module):
            def __init__(self, theta: int, axes_dim: List[int]):
                super().__init__()
                self.theta = theta
                self.axes_dim = axes_dim
            def forward(self, ids: Tensor) -> Tensor:
                out = []
                for i in range(ids.shape[-1]):
                    steps = torch.arange(0, self.axes_dim[i], 2, device=ids.device) / self.axes_dim[i]
                    out.append(torch.outer(ids[:, i].float(), 1.0 / self.theta**steps).cos())
                y = torch.cat(out, dim=-1)
                return y
    """,
    "the same within another": """
        def table(dim, pos, theta=10000.0):
            assert dim % 2 == 0
            steps = 1.0 / theta ** (torch.arange(0, dim, 2, device=pos.device) / dim)
            return torch.outer(pos, steps).cos()

        class Axes(nn.Module):
            def __init__(self, theta, axes_dim):
                super().__init__()
                self.theta, self.axes_dim = theta, axes_dim
            def forward(self, ids):
                parts = []
                for i in range(ids.shape[-1]):
                    parts.append(table(self.axes_dim[i], ids[:, i].float(), self.theta))
                return torch.cat(parts, dim=-1)

        class Net(nn.Module):
            def __init__(self, in_channels: int = 16, width: int = 56, axes: Tuple[int, ...] = (16, 20, 20)):
                super().__init__()
                self.fc = nn.Linear(in_channels, width)
                self.rope = Axes(theta=10000, axes_dim=axes)
                self.down = nn.Linear(width, width // 2)
            def forward(self, hidden_states, img_ids, txt_ids):
                x = self.down(self.fc(hidden_states))
                y = x * self.rope(torch.cat((txt_ids, img_ids), dim=0)).sum(0)
                return y
    """,
    "of what was computed all dims are named": """
        class Net(nn.Module):
            def __init__(self, dim, time_dim, visual_dim, patch_size):
                super().__init__()
                self.patch_size = patch_size
                self.modulation = nn.Linear(time_dim, 2 * dim)
                self.norm = nn.LayerNorm(dim)
                self.out_layer = nn.Linear(dim, math.prod(patch_size) * visual_dim)
            def forward(self, visual_embed: Tensor, time_embed: Tensor) -> Tensor:
                shift, scale = torch.chunk(self.modulation(time_embed), 2, dim=-1)
                shape = (scale.shape[0],) + (1,) * (visual_embed.ndim - 2) + (scale.shape[-1],)
                x = self.norm(visual_embed) * (scale.reshape(shape) + 1) + shift.reshape(shape)
                x = self.out_layer(x)
                batch, duration, height, width = x.shape[:4]
                p_t, p_h, p_w = self.patch_size
                y = x.view(batch, duration, height, width, -1, p_t, p_h, p_w)
                return y
    """,
    "noise as large as what it is for": """
        class Net(nn.Sequential):
            def __init__(self):
                super().__init__(
                    nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 64, 3, stride=2), nn.Conv2d(64, 64, 3, stride=2),
                    nn.Conv2d(64, 64, 3, stride=2), nn.GroupNorm(32, 64), nn.Conv2d(64, 8, 3, padding=1),
                )
            def forward(self, x, noise):
                for module in self:
                    if getattr(module, "stride", None) == (2, 2):
                        x = F.pad(x, (0, 1, 0, 1))
                    x = module(x)
                mean, log_variance = torch.chunk(x, 2, dim=1)
                stdev = log_variance.exp().sqrt()
                y = mean + stdev * noise
                return y
    """,
    "one of two lengths": """
        class Net(nn.Module):
            def __init__(self, d_model: int, num_queries: int, instances: bool = False):
                super().__init__()
                self.num_queries, self.instances = num_queries, instances
                self.queries = nn.Embedding(num_queries, d_model)
                self.some = nn.Embedding(4, d_model)
            def forward(self, tgt, memory):
                assert (tgt.shape[0] == self.num_queries) or (
                    self.instances and (tgt.shape[0] == self.some.num_embeddings)
                )
                y = tgt + self.queries.weight[:, None]
                return y * memory.mean(0)
    """,
    "a truth": """
        class Base(nn.Module):
            def forward(self, *args, **kwargs):
                return self.update(*args, **kwargs)

        class Net(Base):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)
            def update(self, imgs: Tensor, real: bool):
                y = self.conv(imgs)
                if real:
                    return y * 2
                return y
    """,
    "a switch that another default forbids": """
        class Net(nn.Module):
            def __init__(self, width=32, depth=4, window=2, keep_token: bool = True, whole=(1, 3)):
                super().__init__()
                windowed = [i for i in range(depth) if i not in whole]
                self.keep_token = keep_token
                if self.keep_token:
                    assert len(windowed) == 0, "no windows with the token"
                self.fc = nn.Linear(width, width)
            def forward(self, x):
                y = self.fc(x)
                return y
    """,
    "a row for all is joined to a row for all": """
        class Net(nn.Module):
            def __init__(self, lags: int, static: int, hidden: int):
                super().__init__()
                self.fc = nn.Linear(lags * 3 + static, hidden)
                self.embed = nn.Embedding(7, static)
            def forward(self, feat_cat, values, observed, times):
                static = self.embed(feat_cat)
                all_times = torch.cat([values.unsqueeze(-1), observed.unsqueeze(-1), times], dim=-1)
                rows = torch.cat([all_times.reshape(all_times.shape[0], -1), static], dim=-1)
                y = self.fc(rows)
                return y
    """,
}


@pytest.mark.parametrize("name", SOURCES)
def test_found(tmp_path: Path, name: str) -> None:
    works(tmp_path, SOURCES[name], found(tmp_path, SOURCES[name], "Net")["Net"])


ASKED = {
    "a shape in part, and a dtype": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv3d(3, 8, 3, padding=1)
            def forward(self, inputs):
                assert isinstance(inputs, torch.Tensor) and list(inputs.shape[2:]) == [27, 48, 3] and \\
                    inputs.dtype == torch.uint8, \\
                    "incorrect input type and/or shape"
                x = inputs.permute([0, 4, 1, 2, 3]).float()
                y = self.conv(x.div_(255.0))
                return y
    """,
    "a sequence of layers": """
        class Net(nn.Module):
            def __init__(self, model: Any, device):
                super().__init__()
                if not isinstance(model, nn.Sequential):
                    raise TypeError("`model` argument to `Net` must be of type `nn.Sequential`.")
                self.model = model
            def forward(self, x):
                y = self.model(x)
                return y
    """,
    "a parameter": """
        class Net(nn.Module):
            def __init__(self, proj_weight, k: int = 0):
                super().__init__()
                vocab, dim = proj_weight.shape
                self.fc = nn.Linear(dim, vocab)
                self.fc.weight = proj_weight
            def forward(self, x):
                y = self.fc(x)
                return y
    """,
}


@pytest.mark.parametrize("name", ASKED)
def test_asked_for(tmp_path: Path, name: str) -> None:
    source = "from typing import Any\n" + dedent(ASKED[name])
    works(tmp_path, source, found(tmp_path, source, "Net")["Net"])
