"""Inputs whose values, names or documentation say what they are."""

from __future__ import annotations

from pathlib import Path

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.demands import edits
from fx_lsp.worker.inference.inputs import Inputs, Tensor
from fx_lsp.worker.inference.watch import Watch
from tests.worker.test_inference import found, works


def test_the_documentation_says_the_shape(tmp_path: Path) -> None:
    source = '''
    class Net(nn.Module):
        def __init__(self, hidden_size=24):
            super().__init__()
            self.hidden_size = hidden_size
        def forward(self, prompts, marks, mask=None):
            """
            Args:
                mask: has size (), defaults to None
                prompts (`torch.FloatTensor` of shape `(batch_size, 5, hidden_size // 2)`):
                    What is asked.
                marks (`torch.LongTensor` of shape `(batch_size, 5)`): Where.
            """
            assert prompts.shape[1:] == (5, 12)
            assert (marks.shape, marks.dtype) == (prompts.shape[:2], torch.int64)
            y = prompts * marks[..., None]
            return y
    '''
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert one.call == "Net()(f32[2, 5, 12], i64[2, 5])"


def test_sizes_that_are_given_as_values(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 8)
        def forward(self, hidden_states, grid_thw, cu_seqlens):
            lengths = (cu_seqlens[1:] - cu_seqlens[:-1]).tolist()
            parts = torch.split(hidden_states, lengths)
            for t, h, w in grid_thw.tolist():
                assert t * h * w == hidden_states.shape[0]
            y = self.fc(torch.cat(parts))
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "torch.tensor([[1, 4, 4]])" in one.call


def test_sines_and_cosines_are_as_wide_as_a_head(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head_dim = 12
            self.fc = nn.Linear(48, 48)
        def forward(self, hidden_states, position_embeddings=None):
            cos, sin = position_embeddings
            q = self.fc(hidden_states).unflatten(-1, (4, self.head_dim)).transpose(1, 2)
            y = q * cos.unsqueeze(1) + q * sin.unsqueeze(1)
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "(f32[2, 16, 12], f32[2, 16, 12])" in one.call


def test_what_a_part_takes_of_what_is_left_over(tmp_path: Path) -> None:
    source = """
    class Part(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 8)
        def forward(self, x, position_ids):
            y = self.fc(x) + position_ids[..., None]
            return y

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = Part()
        def forward(self, hidden_states, **others):
            y = self.part(hidden_states, **others)
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "position_ids=i64[2, 16]" in one.call


def test_bytes_lists_and_long_clips(tmp_path: Path) -> None:
    source = """
    class Image(nn.Module):
        def __init__(self):
            super().__init__()
        def forward(self, img):
            if img.dtype != torch.uint8:
                raise TypeError(f"Only torch.uint8 image tensors are supported, but found {img.dtype}")
            y = 255 - img
            return y

    class Maps(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(8, 4, 1)
        def forward(self, feature_maps=None):
            y = self.conv(feature_maps[3])
            return y

    class Room(nn.Module):
        def __init__(self):
            super().__init__()
        def forward(self, pred):
            y = pred.reshape(-1, 33)
            return y
    """
    answers = found(tmp_path, source, "Image", "Maps", "Room")
    for one in answers.values():
        works(tmp_path, source, one)


def test_comments_and_short_documentation_say_the_shape(tmp_path: Path) -> None:
    source = '''
    class Net(nn.Module):
        def forward(self, mix, scores, rows, marks):
            """Adds up.

            Args:
                mix (torch.ComplexTensor): shape (batch, mics, freqs)
                scores (torch.Tensor): (batch, mics, mics, freqs)
                    of all (or, so to say, none)
            :param marks: LongTensor of shape [batch, 3]
            """
            # rows: B x 5 x 7
            assert mix.dtype == torch.complex64 and mix.ndim == 3
            assert scores.ndim == 4 and scores.shape[1] == scores.shape[2]
            assert rows.shape[1:] == (5, 7) and marks.dtype == torch.int64
            y = mix.sum() + scores.sum() + rows.sum() + marks.sum()
            return y

    class Behind(nn.Module):
        def forward(
            self,
            points,  # (B, N, 3)
            labels: Tensor,  # [B, 9]
        ):
            assert points.shape[2] == 3 and points.ndim == 3 and labels.shape[1] == 9
            y = points.sum() + labels.sum()
            return y
    '''
    answers = found(tmp_path, source, "Net", "Behind")
    for one in answers.values():
        works(tmp_path, source, one)
    assert answers["Net"].call == "Net()(c64[2, 16, 16], f32[2, 16, 16, 16], f32[2, 5, 7], i64[2, 3])"


def test_what_becomes_ids(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.hours, self.days = nn.Embedding(24, 8), nn.Embedding(7, 8)
        def forward(self, x):
            x = x.long()
            y = self.hours(x[:, :, 1]) + self.days(x[:, :, 0])
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert one.call == "Net()(i64[2, 16, 64])"


def test_numbers_that_a_condition_compares(tmp_path: Path) -> None:
    source = """
    def sampled(points, wanted):
        b, n = points.shape[:2]
        assert wanted <= n, "not enough points to sample"
        return points[:, :wanted]
    class Points(nn.Module):
        def __init__(self, wanted=384):
            super().__init__()
            self.wanted = [wanted, wanted // 2]
            self.fc = nn.Conv1d(3, 8, 1)
        def forward(self, x):
            y = self.fc(x)
            z = sampled(y.transpose(1, 2), self.wanted[0])
            return z
    class Windows(nn.Module):
        def __init__(self, window=24):
            super().__init__()
            self.windows = (window, window)
            self.fc = nn.Linear(8, 8)
        def forward(self, x):
            y = self.fc(x)
            size = self.windows[0]
            if x.shape[1] % size != 0:
                raise ValueError("wrong length")
            return y
    """
    for one in found(tmp_path, source, "Points", "Windows").values():
        works(tmp_path, source, one)


def test_a_module_as_an_input(tmp_path: Path) -> None:
    source = """
    class Penalty(nn.Module):
        def forward(self, model):
            norms = [one.pow(2).sum() for part in model.modules() for one in part.parameters(recurse=False)]
            y = torch.stack(norms).sum()
            return y
    """
    works(tmp_path, source, found(tmp_path, source, "Penalty")["Penalty"])


def test_lists_that_are_asserted(tmp_path: Path) -> None:
    source = """
    class Deep(nn.Module):
        def __init__(self, loss):
            super().__init__()
            self.loss = loss
        def forward(self, x, y):
            assert isinstance(x, (tuple, list)), "x must be either tuple or list"
            assert isinstance(y, (tuple, list)), "y must be either tuple or list"
            total = sum(self.loss(a, b) for a, b in zip(x, y))
            return total
    """
    works(tmp_path, source, found(tmp_path, source, "Deep")["Deep"])


def test_numbers_that_a_distribution_has(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 8)
        def forward(self, x):
            y = torch.distributions.Bernoulli(logits=self.fc(x)).log_prob(x)
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_a_picture_that_a_kernel_takes_something_off(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.Sequential(nn.Conv2d(3, 4, 16, stride=16), nn.Conv2d(4, 4, 7))
            self.fc = nn.Linear(4, 8)
        def forward(self, x):
            y = self.fc(self.parts(x).flatten(1))
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_a_pattern_says_how_many_dims_there_were() -> None:
    error = ValueError("Wrong shape: expected 2 dims. Received 3-dim tensor.")
    inputs: Inputs = {"x": Tensor("f32", (2, 16, 64)), "kind": Tensor("i64", (2, 16))}
    changed = [one["kind"] for one in edits(Attempt(None, error, Watch()), inputs, ["kind"])]
    assert changed.index(Tensor("i64", (2,))) < 3


def test_two_that_are_joined_get_another_rank_together(tmp_path: Path) -> None:
    source = """
    class Register(nn.Module):
        def __init__(self, source_channels: int, target_channels: int):
            super().__init__()
            self.down = nn.Conv2d(source_channels + target_channels, 16, 3, padding=1)
            self.pool = nn.MaxPool2d(2)
            self.up = nn.Upsample(scale_factor=2, mode="bilinear")
        def forward(self, moving: torch.Tensor, fixed: torch.Tensor):
            '''
            Parameters
            ----------
            moving : torch.Tensor
                Picture with shape (B, C, *spatial_dims).
            fixed : torch.Tensor
                Picture with shape (B, C, *spatial_dims).
            '''
            both = torch.cat([moving, fixed], dim=1)
            flow = self.up(self.pool(self.down(both)))
            return flow
    """
    one = found(tmp_path, source, "Register")["Register"]
    works(tmp_path, source, one)
    assert one.call.endswith("(f32[2, 64, 32, 32], f32[2, 64, 32, 32])")


def test_pictures_whose_channels_come_last(tmp_path: Path) -> None:
    source = """
    class Frames(nn.Module):
        def __init__(self, inp_dim: int, image_size: int = 224):
            super().__init__()
            sizes = [(inp_dim, 32, 5, 2), (32, 48, 3, 2), (48, 64, 3, 2), (64, 96, 3, 2), (96, 128, 5, 1)]
            self.net = nn.Sequential(*(nn.Conv2d(a, b, kernel, stride) for a, b, kernel, stride in sizes))
        def forward(self, x):
            x = x.permute(0, 3, 1, 2)
            x = x / 128.0 - 1.0
            return self.net(x)
    """
    one = found(tmp_path, source, "Frames")["Frames"]
    works(tmp_path, source, one)
    assert one.call.endswith("(f32[2, 224, 224, 64])")


def test_the_time_of_a_field_is_one_number(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(7, 6)
        def forward(self, t, x, *args, **kwargs):
            y = self.fc(torch.cat([x, t.repeat(x.shape[0])[:, None]], 1))
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "(f32[()], f32[2, 6])" in one.call


def test_a_shape_of_letters_in_the_line_below_a_name(tmp_path: Path) -> None:
    source = '''
    class Net(nn.Module):
        def __init__(self, dim: int):
            super().__init__()
            self.to_bias = nn.Linear(dim, 4)
            self.to_value = nn.Linear(dim, 4 * 8)
        def forward(self, m: Tensor, z: Tensor, mask: Tensor) -> Tensor:
            """Weigh.

            Parameters
            ----------
            m : torch.Tensor
                The sequences (B, S, N, D)
            z : torch.Tensor
                What is known of pairs (B, N, N, D), of each with each
            mask : torch.Tensor
                Which of them (if any) count (B, N, N)
            """
            v = self.to_value(m)
            v = v.reshape(*v.shape[:3], 4, 8).permute(0, 3, 1, 2, 4)
            b = self.to_bias(z).permute(0, 3, 1, 2) + (1 - mask[:, None]) * -1e9
            o = torch.einsum("bhij,bhsjd->bhsid", b.softmax(-1), v)
            return o
    '''
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "f32[2, 16, 16, 64], f32[2, 16, 16, 64]" in one.call
