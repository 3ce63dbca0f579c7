"""Inputs whose values, names or documentation say what they are."""

from __future__ import annotations

from pathlib import Path

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
