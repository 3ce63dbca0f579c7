"""Other inputs and arguments that a failure asks for, beyond the sizes of one operation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

SOURCES = {
    "features that are added before a norm": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.LayerNorm(261)
            def forward(self, x):
                b, *axes, _ = x.shape
                assert len(axes) == 2, "an image is needed"
                x = torch.cat((x, x.new_zeros(b, *axes, 258)), dim=-1)
                x = rearrange(x, "b ... d -> b (...) d")
                y = self.norm(x)
                return y
        """,
        ", 3]",
    ),
    "as long as the positions that are learned": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv1 = nn.Conv1d(20, 8, 3, stride=2, padding=1)
                self.conv2 = nn.Conv1d(8, 8, 3, stride=2, padding=1)
                self.positions = nn.Embedding(150, 8)
            def forward(self, input_features):
                x = self.conv2(self.conv1(input_features)).permute(0, 2, 1)
                y = x + self.positions.weight
                return y
        """,
        "f32[2, 20, 600]",
    ),
    "what a constructor hands on": (
        """
        class Inner(nn.Module):
            def __init__(self, *, dim, depth):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x

        class Net(nn.Module):
            def __init__(self, dim, **kwargs):
                super().__init__()
                self.inner = Inner(dim=dim, **kwargs)
            def forward(self, x):
                y = self.inner(x)
                return y
        """,
        "depth=",
    ),
    "what is joined to tokens of a layer": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.tokens = nn.Parameter(torch.ones(5, 48))
            def forward(self, image_embeddings, sparse_prompts):
                tokens = self.tokens.repeat(image_embeddings.shape[0], sparse_prompts.shape[1], 1, 1)
                y = torch.cat([tokens, sparse_prompts], dim=2)
                return y
        """,
        ", 5, 48]",
    ),
    "what a constructor sorts by prefixes": (
        """
        def sorted_by(prefix, given):
            chosen = {name: value for name, value in given.items() if name.startswith(prefix)}
            inner = {name[len(prefix):]: value for name, value in chosen.items()}
            return inner, {name: value for name, value in given.items() if name not in chosen}

        class Inner(nn.Module):
            def __init__(self, *, dim, depth, heads=8):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x

        class Net(nn.Module):
            def __init__(self, *, dim, **kwargs):
                super().__init__()
                enc, kwargs = sorted_by('enc_', kwargs)
                dec, kwargs = sorted_by('dec_', kwargs)
                self.words = nn.Embedding(dec.pop('num_tokens'), dim)
                self.encoder, self.decoder = Inner(dim=dim, **enc), Inner(dim=dim, **dec, **kwargs)
            def forward(self, src):
                y = self.decoder(self.encoder(self.words(src)))
                return y
        """,
        "dec_depth=",
    ),
    "a product with all dims turned": (
        """
        class Net(nn.Module):
            def forward(self, image_features, text_features, logit_scale):
                y = logit_scale * image_features @ text_features.T
                labels = torch.arange(y.shape[0])
                return F.cross_entropy(y, labels) + F.cross_entropy(y.T, labels)
        """,
        "Net()(f32[2, 64], f32[2, 64]",
    ),
    "channels that are divided": (
        """
        class Net(nn.Module):
            def __init__(self, in_channels, reduction=16):
                super().__init__()
                self.squeeze = nn.Conv2d(in_channels, in_channels // reduction, 1)
                self.excite = nn.Conv2d(in_channels // reduction, in_channels, 1)
            def forward(self, x):
                y = self.excite(self.squeeze(x).relu()).sigmoid()
                return x * y
        """,
        "Net(in_channels=64)",
    ),
    "a skip that may be left out": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.up = nn.Conv2d(6, 12, 1)
                self.mix = nn.Conv2d(20, 4, 3)
            def forward(self, x, skip: Optional[Tensor] = None):
                x = F.interpolate(self.up(x), scale_factor=2.0)
                if skip is not None:
                    x = torch.cat([x, skip], dim=1)
                y = self.mix(x)
                return y
        """,
        "f32[2, 8, 64, 64]",
    ),
    "features of several sizes": (
        """
        class Net(nn.Module):
            def __init__(self, encoder_channels: List[int]):
                super().__init__()
                self.lateral = nn.ModuleList([nn.Conv2d(c, 16, 1) for c in encoder_channels])
            def forward(self, features: List[Tensor]):
                levels = [conv(x) for conv, x in zip(self.lateral, features)]
                y = levels[-1]
                for x in levels[-2::-1]:
                    y = F.interpolate(y, scale_factor=2.0) + x
                return y
        """,
        "f32[2, 64, 16, 16]",
    ),
    "features of several sizes, each with its own channels": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lateral = nn.ModuleList([nn.Conv2d(c, 16, 1) for c in (12, 20, 36, 68)])
            def forward(self, features: List[Tensor]):
                levels = [conv(x) for conv, x in zip(self.lateral, features)]
                y = levels[3]
                for x in levels[-2::-1]:
                    y = F.interpolate(y, scale_factor=2.0) + x
                return y
        """,
        "f32[2, 68, 4, 4]",
    ),
    "as many places in a picture as were expected": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.patches = nn.Conv2d(3, 8, 16, 16)
            def forward(self, pixel_values):
                x = self.patches(pixel_values).flatten(2)
                if x.shape[-1] != 196:
                    raise ValueError(f"Expected patches in the shape (batch, 8, 196), but got shape {tuple(x.shape)}")
                return x
        """,
        "f32[2, 3, 224, 224]",
    ),
    "a multiple of a number": (
        """
        class Net(nn.Module):
            def forward(self, input_values):
                length = input_values.shape[-1]
                if length % 1920:
                    raise ValueError(f"`input_values` length {length} is not a multiple of 1920.")
                y = input_values.unflatten(-1, (-1, 1920))
                return y
        """,
        "1920]",
    ),
    "what is bound only where something is given": (
        """
        class Net(nn.Module):
            def forward(self, x, offsets: Optional[Tensor] = None):
                if offsets is not None:
                    before = x
                    x = x + offsets
                y = before * 2 + x
                return y
        """,
        "Net()(f32[2, 16, 64], f32[2, 16, 64])",
    ),
    "ids of words, though everything may be left out": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(50, 8)
            def forward(self, labels: Optional[Tensor] = None, ids: Optional[Tensor] = None):
                x = self.words(ids)
                return x
        """,
        "ids=i64[2, 16]",
    ),
    "a device, a dtype, a size": (
        """
        class Net(nn.Module):
            def forward(self, shape: torch.Size, device: "torch.device | str", dtype: torch.dtype):
                batch, _, height, width = shape
                mask = torch.zeros((batch, height, width), device=device, dtype=torch.bool)
                y = (~mask).cumsum(1, dtype=dtype)
                return y
        """,
        "torch.device('cpu'), torch.float32",
    ),
    "a key of a table": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.ways = {"sliding": 2.0, "full": 1.0}
                self.fc = nn.Linear(8, 8)
            def forward(self, x, layer):
                y = self.fc(x)
                return y * self.ways[layer]
        """,
        "'sliding'",
    ),
    "as many ends of a text in each": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(50, 8)
                self.fc = nn.Linear(8, 2)
            def forward(self, input_ids):
                x = self.words(input_ids)
                ends = input_ids.eq(2)
                if len(torch.unique_consecutive(ends.sum(1))) > 1:
                    raise ValueError("All examples must have as many ends")
                y = x[ends, :].view(x.size(0), -1, x.size(-1))[:, -1, :]
                return self.fc(y)
        """,
        "Net()(i64[2, ",
    ),
    "a picture that is padded on all sides": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv3d(4, 8, 3)
            def forward(self, x):
                pads = (1, 1, 1, 1, 2, 0)
                y = self.conv(F.pad(x, pads, mode="replicate"))
                return y
        """,
        "f32[2, 4, ",
    ),
    "what it keeps for the next call, and fails": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.last = None
                self.conv = nn.Conv1d(5, 8, 3)
            def forward(self, x):
                if self.last is not None:
                    x = torch.cat((self.last, x), dim=2)
                self.last = x
                y = self.conv(x)
                return y
        """,
        "f32[2, 5, ",
    ),
    "one condition for each of a batch": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(24, 64)
                self.norm = nn.LayerNorm(32)
            def forward(self, x, conditioning: Tensor):
                scale, shift = self.linear(conditioning).chunk(2, dim=1)
                y = self.norm(x) * (1 + scale)[:, None, :] + shift[:, None, :]
                return y
        """,
        "f32[2, 24]",
    ),
    "another default than the one that does not go with the rest": (
        """
        class Net(nn.Module):
            def __init__(self, heads: int = 4, width: int = 40, channels: int = 48, norm: nn.Module = None):
                super().__init__()
                self.into = nn.Linear(channels, heads * width)
                self.out, self.norm = nn.Linear(heads * width, heads * width), norm or nn.Identity()
            def forward(self, x):
                y = self.out(self.into(x)) + self.norm(x)
                return y
        """,
        "channels=160",
    ),
    "sizes of pictures, one for each of a batch": (
        """
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.project = nn.Linear(2 * dim, dim)
                self.dim = dim
            def forward(self, original_size: Tensor):
                '''Embeds.

                Args:
                    original_size (`torch.Tensor`): of the picture
                '''
                angles = original_size.flatten()[:, None] * torch.ones(self.dim)
                y = self.project(angles.view(original_size.size(0), -1))
                return y
        """,
        "f32[2, 2]",
    ),
    "what is nothing under another name": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(20, 20)
            def forward(self, x, encoder_states=None):
                context = encoder_states
                y = self.linear(x) + context[:, :1]
                return y
        """,
        "20], f32[",
    ),
    "a volume that is halved often": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv3d(2, 8, 3, padding=1)
            def forward(self, x):
                bad = [place for place, size in enumerate(x.shape[2:], 2) if size % 32]
                if bad:
                    raise ValueError(f"spatial dimensions {bad} must be divisible by 2**5")
                y = self.conv(x)
                return y
        """,
        "f32[2, 2, 64, 64, 64]",
    ),
    "a table that is asked whether it has something": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(12, 4)
            def forward(self, features):
                extra = features.get("extra")
                y = self.linear(features["points"] if extra is None else extra)
                return y
        """,
        "Net()({'points': f32[2, 16, 3], 'extra': f32[2, 16, 12]})",
    ),
    "channels that places are folded into": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv3d(5 * 8, 4, 3, padding=1)
            def forward(self, x):
                x = F.pad(x, (0, 0, 0, 0, 1, 1), mode="replicate")
                x = rearrange(x, "b c (t i) (h j) (w k) -> b (c i j k) t h w", i=2, j=2, k=2)
                y = self.conv(x)
                return y
        """,
        "f32[2, 5, ",
    ),
    "sizes of a constructor that windows divide": (
        """
        class Net(nn.Module):
            def __init__(self, dim, h_s, w_s, dim_head=64, window_size=7):
                super().__init__()
                assert dim % dim_head == 0, "dim is a multiple of dim_head"
                self.h_s, self.w_s, self.window_size = h_s, w_s, window_size
                self.norm = nn.LayerNorm(dim)
            def forward(self, x):
                x = rearrange(self.norm(x), "b (h w) d -> b h w d", h=self.h_s, w=self.w_s)
                x = rearrange(x, "b (x a) (y c) d -> (b x y) (a c) d", a=self.window_size, c=self.window_size)
                y = x.softmax(dim=-1)
                return y
        """,
        "h_s=63, w_s=63",
    ),
    "lengths that are no tensors": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.mlp = nn.Linear(1, 4)
            def forward(self, i, j):
                assert j >= i
                bias = self.mlp(torch.arange(j, dtype=torch.float)[:, None])
                first = torch.arange(j - i, j)
                y = bias[first]
                return y
        """,
        "Net()(16, 16)",
    ),
    "one latent without a batch": (
        """
        class Net(nn.Module):
            def __init__(self, dim_in, dim_hidden, num_layers):
                super().__init__()
                dims = [dim_in, *[dim_hidden + dim_in] * (num_layers - 1)]
                self.layers = nn.ModuleList([nn.Sequential(nn.Linear(dim, dim_hidden), nn.ReLU()) for dim in dims])
            def forward(self, z):
                x = z
                for layer in self.layers:
                    x = torch.cat((layer(x), z))
                return x
        """,
        "f32[64]",
    ),
    "what the inner one insists on": (
        """
        class Inner(nn.Module):
            def __init__(self, *, dim, number=None, size):
                super().__init__()
                assert number is not None or isinstance(size, tuple)
                self.layers = nn.ModuleList([nn.Linear(dim, size) for _ in range(number)])
            def forward(self, x):
                return sum(layer(x) for layer in self.layers)

        class Net(nn.Module):
            def __init__(self, *, dim, groups=1, **kwargs):
                super().__init__()
                self.groups = groups
                self.inner = nn.ModuleList([Inner(dim=dim // groups, **kwargs) for _ in range(groups)])
            def forward(self, x):
                parts = x.chunk(self.groups, dim=-1)
                y = torch.stack([inner(part) for inner, part in zip(self.inner, parts)])
                return y
        """,
        "number=",
    ),
    "what numpy makes an array of": (
        """
        class Net(nn.Module):
            def __init__(self, num_inputs: int, num_channels: complex | bytes | str | List[complex]):
                super().__init__()
                widths = [num_inputs, *(num_channels[i] for i in range(len(num_channels)))]
                convs = [nn.Conv1d(*pair, 3, padding=1) for pair in zip(widths, widths[1:])]
                self.layers = nn.Sequential(*convs)
            def forward(self, x):
                y = self.layers(x)
                return y
        """,
        "num_channels=[64, 64]",
    ),
    "a signal as long as a reflection": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.pad = nn.ReflectionPad1d(1024)
                self.conv = nn.Conv1d(1, 3, 2048, stride=512)
            def forward(self, x):
                y = self.conv(self.pad(x))
                return y
        """,
        "Net()(f32[2, 1, ",
    ),
    "a signal as long as a kernel behind others": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.convs = nn.Sequential(*(nn.Conv1d(4, 4, 8, stride=8) for _ in range(3)), nn.Conv1d(4, 4, 7))
            def forward(self, x):
                y = self.convs(x)
                return y
        """,
        "Net()(f32[2, 4, ",
    ),
    "a number and where it is made": (
        """
        class Net(nn.Module):
            def __init__(self, scale):
                super().__init__()
                self.scale = scale
                self.bias = nn.Embedding(32, 4)
            def forward(self, i, j, device):
                q = torch.arange(j - i, j, dtype=torch.long, device=device)
                y = self.bias(q.clamp(max=31)) * self.scale
                return y
        """,
        "(16, 16, torch.device('cpu'))",
    ),
    "a number for each of a batch": (
        """
        class Net(nn.Module):
            def forward(self, scores: Tensor, num_positives: Tensor):
                y = scores.sum() / num_positives.sum()
                return y
        """,
        "Net()(f32[2, 16, 64], f32[2])",
    ),
    "either of two that were left out": (
        """
        class Net(nn.Module):
            def __init__(self, size=None, scale_factor=None):
                super().__init__()
                self.size, self.scale_factor = size, scale_factor
            def forward(self, image):
                y = F.interpolate(image, self.size, self.scale_factor)
                return y
        """,
        "Net(size=",
    ),
    "a layer that is reset": (
        """
        import copy

        class Net(nn.Module):
            def __init__(self, module):
                super().__init__()
                self.one = module
                self.other = copy.deepcopy(module)
                self.other.reset_parameters()
            def forward(self, x):
                y = self.one(x) + self.other(x)
                return y
        """,
        "module=nn.Linear(64, 64)",
    ),
    "sizes, one a dim": (
        """
        class Net(nn.Module):
            def __init__(self, patch_size: Tuple[int, ...], width: int):
                super().__init__()
                self.up = nn.ConvTranspose3d(width, 4, patch_size, patch_size)
            def forward(self, x):
                y = self.up(x)
                return y
        """,
        "patch_size=(8, 8, 8)",
    ),
    "each of a batch with each": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 8)
            def forward(self, queries, memory):
                memory = torch.repeat_interleave(memory, queries.shape[0], dim=0)
                y = self.fc(queries) @ self.fc(memory).transpose(1, 2)
                return y
        """,
        "f32[1, 16, 8]",
    ),
    "one frame, and then groups of two": (
        """
        class Net(nn.Module):
            def forward(self, video):
                b, c, t, h, w = video.shape
                first, rest = video[:, :, :1], video[:, :, 1:]
                pairs = rest.unflatten(2, (-1, 2)).mean(3)
                y = torch.cat((first, pairs), dim=2)
                return y
        """,
        "f32[2, 3, 17, ",
    ),
    "as many bins as a transform back has": (
        """
        class Net(nn.Module):
            def __init__(self, n_fft=400):
                super().__init__()
                self.n_fft = n_fft
                self.register_buffer("window", torch.hann_window(n_fft))
            def forward(self, spec):
                shape = spec.shape
                spec = spec.reshape(-1, *shape[-3:])
                y = torch.istft(torch.view_as_complex(spec), self.n_fft, window=self.window)
                return y.reshape(shape[:-3] + y.shape[-1:])
        """,
        ", 201, ",
    ),
    "a module for each name": (
        """
        class Net(nn.Module):
            def __init__(self, targets: Dict[str, nn.Module]):
                super().__init__()
                self.targets = nn.ModuleDict(targets)
            def forward(self, x):
                outs = [module(x) for module in self.targets.values()]
                y = torch.stack(outs, dim=1)
                return y
        """,
        "{'a': nn.Identity(), 'b': nn.Identity()}",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_asked_for(tmp_path: Path, name: str) -> None:
    source, expected = SOURCES[name]
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert expected in one.call
